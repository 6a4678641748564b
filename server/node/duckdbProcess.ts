import { type ChildProcess, spawn } from "node:child_process";
import { AcceleratorFailure, type ScanBatch, type ScanRequest } from "../runs/options";

/** What the child tells. */
export type ChildMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "batch"; readonly batch: ScanBatch }
  | { readonly kind: "done" }
  | { readonly kind: "error"; readonly message: string };

/** What the child is asked. */
export interface ChildRequest extends Omit<ScanRequest, "uri" | "size" | "signal"> {
  readonly path: string;
  /** Whether the result is held as a whole (faster), or streamed. */
  readonly whole: boolean;
}

export interface DuckdbPlaces {
  /** The child's program: the bundle of duckdb.child.ts. */
  readonly program: string;
  /** The module that loads DuckDB's native code. */
  readonly bindings: string;
}

/** A process that has loaded DuckDB (or is about to) and does one scan at a time. */
export class DuckdbProcess {
  readonly #child: ChildProcess;
  readonly #inbox: Exclude<ChildMessage, { kind: "ready" }>[] = [];
  #heard: (() => void) | undefined;
  #ended: string | undefined;
  #ready = false;

  constructor({ program, bindings }: DuckdbPlaces, onChild?: (child: ChildProcess) => void) {
    this.#child = spawn(process.execPath, [program, bindings], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1", NODE_OPTIONS: "" },
    });
    this.#child.on("message", (message) => {
      const told = message as ChildMessage;
      if (told.kind === "ready") this.#ready = true;
      else this.#inbox.push(told);
      this.#hear();
    });
    this.#child.on("error", (error) => this.#end(error.message));
    this.#child.on("exit", (code, signal) => this.#end(signal ?? `exit code ${code}`));
    onChild?.(this.#child);
  }

  get isAlive(): boolean {
    return this.#ended === undefined && this.#child.connected;
  }

  send(message: ChildRequest | "next"): void {
    // A child that has died meanwhile is told of by `receive`.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /**
   * The child's next message.
   * @throws AcceleratorFailure when the child has ended, or the signal's reason
   */
  async receive(signal?: AbortSignal): Promise<Exclude<ChildMessage, { kind: "ready" }>> {
    const abort = () => {
      this.stop();
      this.#hear();
    };
    signal?.addEventListener("abort", abort, { once: true });
    try {
      for (;;) {
        signal?.throwIfAborted();
        const message = this.#inbox.shift();
        if (message) return message;
        if (this.#ended !== undefined)
          throw new AcceleratorFailure(
            this.#ready
              ? `DuckDB stopped before it was done (${this.#ended}).`
              : `DuckDB could not be started (${this.#ended}).`,
          );
        await new Promise<void>((resolve) => {
          this.#heard = resolve;
        });
      }
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** A process at rest keeps nobody from ending. */
  rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  wake(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  stop(): void {
    this.#child.kill();
  }

  #end(why: string): void {
    this.#ended ??= why;
    this.#hear();
  }

  #hear(): void {
    this.#heard?.();
    this.#heard = undefined;
  }
}
