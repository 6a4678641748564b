import type { Engine, FitChoice, Judged } from "./engine";
import { InputError } from "./inputError";

/** A file that could not be read, and why. */
export interface Unread {
  readonly file: string;
  readonly reason: string;
}

export function isUnread(one: Judged | Unread): one is Unread {
  return "reason" in one;
}

/** Each config judged, in the order named; one that cannot be read costs the others nothing. The only one named must be there. */
export async function judgeEach(
  engine: Engine,
  files: readonly string[],
  choice: FitChoice,
  signal?: AbortSignal,
): Promise<(Judged | Unread)[]> {
  const all: (Judged | Unread)[] = [];
  for (const file of files)
    try {
      all.push(await engine.judge(file, choice, undefined, signal));
    } catch (error) {
      if (!(error instanceof InputError) || error.place.file !== file || files.length === 1) throw error;
      all.push({ file, reason: error.message });
    }
  return all;
}
