import { readDocument, type AssessRequest } from "../assessment/assess";
import { packed, unpacked, unreadDocument, type ConfigDocument } from "../configs/read";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import { JobStopped } from "./runner";
import type { JobRunner } from "./jobs";

/** What a document is read from. */
export type ReadingOrder = Pick<AssessRequest, "uri" | "text" | "languageId"> & {
  readonly scaling: ScalingFile | null;
};

/**
 * Reads documents in workers, where a hang or a crash hurts nothing else. One that is stopped says so in its place, and is not tried again until
 * it changes, or a file that it may build on does.
 */
export class DocumentReader {
  readonly #jobs: JobRunner;
  readonly #warn: (message: string) => void;
  readonly #givenUp = new Map<string, ConfigDocument>();

  constructor(jobs: JobRunner, warn: (message: string) => void) {
    this.#jobs = jobs;
    this.#warn = warn;
  }

  async read(order: ReadingOrder, within?: readonly string[]): Promise<ConfigDocument> {
    const { uri, text } = order;
    const before = this.#givenUp.get(uri);
    if (before?.text === text) return before;
    this.#givenUp.delete(uri);
    for (let attempt = 1; ; attempt++) {
      try {
        return unpacked(
          await this.#jobs.run({ kind: "read-document", ...order, ...(within && { within }) }),
          uri,
          text,
        );
      } catch (error) {
        const stopped = error instanceof JobStopped ? error : null;
        const full = /memory/i.test(String(error));
        // A worker that was ended from outside is no fault of the document.
        if (stopped?.why === "died" && !full && attempt === 1) continue;
        const reason = full
          ? "To read this file takes more memory than there is for it; it was stopped"
          : stopped?.why === "slow"
            ? "To read this file takes too long; it was stopped"
            : `This file could not be read (${error instanceof Error ? error.message : String(error)})`;
        this.#warn(`${uri}: ${reason}.`);
        const unread = unreadDocument(uri, text, `${reason}, and is tried again when it changes.`);
        this.#givenUp.set(uri, unread);
        return unread;
      }
    }
  }

  /** Some file has changed: what was given up may be another now. */
  retry(): void {
    this.#givenUp.clear();
  }

  forget(uri: string): void {
    this.#givenUp.delete(uri);
  }
}

/** The worker's side of `DocumentReader`. */
export async function readPacked(request: Omit<AssessRequest, "fit" | "options">): Promise<ReturnType<typeof packed>> {
  return packed(await readDocument(request));
}
