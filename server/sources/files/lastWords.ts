import type { Host } from "../../host";
import { type FoundFile, isPackedName } from "../../records/files";
import { endingOf, type Ending, laterEnding } from "../../runs/state";
import { withoutColours } from "./readers/parts/consoleText";
import { unprefixed } from "./readers/parts/printedBlocks";

const TAIL_BYTES = 64 * 1024;
const MOST_LINES = 300;

/** What the last lines of a console text say of its run's end, where its metrics are read from another file. */
export async function lastWords(host: Host, files: readonly FoundFile[]): Promise<Ending | undefined> {
  const latest = files.reduce((a, b) => (b.modified > a.modified ? b : a));
  if (isPackedName(latest.name)) return undefined;
  const bytes = await host.readFile(latest.uri, { start: Math.max(0, latest.size - TAIL_BYTES), end: latest.size });
  if (!bytes) return undefined;
  let ending: Ending | undefined;
  for (const line of new TextDecoder().decode(bytes).split(/\r?\n/).slice(-MOST_LINES)) {
    const { text, writer } = unprefixed(withoutColours(line));
    const found = endingOf(text.trimStart(), 0, writer);
    if (found) ending = laterEnding(ending, found);
  }
  return ending;
}
