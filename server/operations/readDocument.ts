import { readDocument, type AssessRequest } from "../assessment/assess";
import type { ConfigDocument } from "../configs/document";
import { packed, unpacked } from "../configs/packed";
import { unreadDocument } from "../configs/read";
import type { ScalingFile } from "../configs/scaling/scalingFile";
import { JobStopped } from "./runner";
import type { JobRunner } from "./jobs";

/** What a document is read from. */
export type ReadingOrder = Pick<AssessRequest, "uri" | "text" | "languageId" | "cell"> & {
  readonly scaling: ScalingFile | null;
};

/** A reading that was not begun, since the document has changed again. */
export class Superseded extends Error {
  constructor() {
    super("The document has changed since");
    this.name = "Superseded";
  }
}

interface Next {
  readonly order: ReadingOrder;
  readonly resolve: (document: Promise<ConfigDocument>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Reads documents in workers, where a hang or a crash hurts nothing else. One that is stopped says so in its place, and is not tried again until
 * it changes, or a file that it may build on does. Of one document one reading is on and one waits, the newest: who types faster than is
 * read waits for the last, not for all.
 */
export class DocumentReader {
  readonly #jobs: JobRunner;
  readonly #warn: (message: string) => void;
  readonly #givenUp = new Map<string, ConfigDocument>();
  /** Documents that are being read, with what is to be read after. */
  readonly #reading = new Map<string, Next | null>();

  constructor(jobs: JobRunner, warn: (message: string) => void) {
    this.#jobs = jobs;
    this.#warn = warn;
  }

  /** Rejects with `Superseded` where a newer order for the same document came before this one's turn. */
  read(order: ReadingOrder): Promise<ConfigDocument> {
    const { uri } = order;
    const waiting = this.#reading.get(uri);
    if (waiting === undefined) return this.#begin(order);
    waiting?.reject(new Superseded());
    return new Promise((resolve, reject) => this.#reading.set(uri, { order, resolve, reject }));
  }

  async #begin(order: ReadingOrder): Promise<ConfigDocument> {
    const { uri } = order;
    this.#reading.set(uri, null);
    try {
      return await this.#readNow(order);
    } finally {
      const next = this.#reading.get(uri);
      this.#reading.delete(uri);
      if (next) next.resolve(this.#begin(next.order));
    }
  }

  async #readNow(order: ReadingOrder): Promise<ConfigDocument> {
    const { uri, text } = order;
    const before = this.#givenUp.get(uri);
    if (before?.text === text && !order.cell) return before;
    this.#givenUp.delete(uri);
    for (let attempt = 1; ; attempt++) {
      try {
        return unpacked(await this.#jobs.run({ kind: "read-document", ...order }), uri, text);
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
