import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { DuckDBInstance } from "@duckdb/node-api";
import type { ScanBatch, TextColumn } from "../runs/options";
import type { ChildMessage, ChildRequest } from "./duckdbProcess";
import { ABSENT, queryOf } from "./duckdbQuery";

/** Rows of a message. Small ones let the reader work while the next is made. */
const ROWS = 16_384;

/** Messages that may be under way: what is not taken yet is held in memory. */
const UNDER_WAY = 4;

/** The process ends when no request came for so many milliseconds. */
const IDLE = 3_000;

type Vector = ReturnType<DuckDBDataChunk["getColumnVector"]>;

class Sender {
  #credit = UNDER_WAY;
  #next: (() => void) | undefined;

  taken(): void {
    this.#credit++;
    this.#next?.();
  }

  async batch(batch: ScanBatch): Promise<void> {
    while (this.#credit <= 0) await new Promise<void>((resolve) => (this.#next = resolve));
    this.#credit--;
    this.tell({ kind: "batch", batch });
  }

  tell(message: ChildMessage): void {
    process.send?.(message);
  }
}

/** Rows on their way into a message. */
class Batch {
  rows = 0;
  readonly #request: ChildRequest;
  readonly #numbers: Float64Array[];
  readonly #codes: Int32Array[];
  readonly #words: Map<string, number>[];

  constructor(request: ChildRequest) {
    this.#request = request;
    this.#numbers = request.numbers.map(() => new Float64Array(ROWS));
    this.#codes = request.texts.map(() => new Int32Array(ROWS));
    this.#words = request.texts.map(() => new Map<string, number>());
  }

  /** Whether a chunk of so many rows still fits. */
  holds(rows: number): boolean {
    return this.rows + rows <= ROWS;
  }

  add(chunk: DuckDBDataChunk): void {
    this.#numbers.forEach((into, c) => copyNumbers(chunk.getColumnVector(c), chunk.rowCount, into, this.rows));
    this.#codes.forEach((into, c) =>
      copyTexts(chunk.getColumnVector(this.#numbers.length + c), chunk.rowCount, into, this.rows, this.#words[c]),
    );
    this.rows += chunk.rowCount;
  }

  done(): ScanBatch {
    const numbers: Record<string, Float64Array> = {};
    const texts: Record<string, TextColumn> = {};
    this.#request.numbers.forEach((name, c) => (numbers[name] = this.#numbers[c].slice(0, this.rows)));
    this.#request.texts.forEach(
      (name, c) => (texts[name] = { words: [...this.#words[c].keys()], codes: this.#codes[c].slice(0, this.rows) }),
    );
    return { numbers, texts, rows: this.rows };
  }
}

// Two loops, each over vectors of one kind, so that each is compiled for it.
function copyNumbers(vector: Vector, rows: number, into: Float64Array, at: number): void {
  for (let i = 0; i < rows; i++) into[at + i] = (vector.getItem(i) as number | null) ?? NaN;
}

/** Bytes of a text that DuckDB keeps within its 16-byte cell, after the four of its length. */
const WITHIN = 12;

/** Distinct texts of a chunk that are remembered by their cells. */
const REMEMBERED = 64;

/**
 * Logs repeat the names of their runs in turn, so a text is looked for among the chunk's last ones by the bytes of its
 * cell before it is decoded, which is what costs. The cells are not part of the library's interface: without them each
 * text is decoded.
 */
function copyTexts(vector: Vector, rows: number, into: Int32Array, at: number, words: Map<string, number>): void {
  const { dataView: view } = vector as unknown as { readonly dataView?: DataView };
  const cells =
    view instanceof DataView && view.byteOffset % 4 === 0 && view.byteLength >= 16 * rows
      ? new Int32Array(view.buffer, view.byteOffset, 4 * rows)
      : undefined;
  const rowsOf: number[] = [];
  let last = 0;
  for (let i = 0; i < rows; i++) {
    let found = -1;
    if (cells && cells[4 * i] <= WITHIN) {
      for (let k = 0; k < rowsOf.length && found < 0; k++) {
        last = last + 1 < rowsOf.length ? last + 1 : 0;
        if (sameCell(cells, i, rowsOf[last])) found = rowsOf[last];
      }
      if (found < 0 && rowsOf.length < REMEMBERED) rowsOf.push(i);
    }
    into[at + i] = found < 0 ? codeOf(vector.getItem(i) as string | null, words) : into[at + found];
  }
}

function sameCell(cells: Int32Array, i: number, j: number): boolean {
  const a = 4 * i;
  const b = 4 * j;
  return (
    cells[a] === cells[b] &&
    cells[a + 1] === cells[b + 1] &&
    cells[a + 2] === cells[b + 2] &&
    cells[a + 3] === cells[b + 3]
  );
}

function codeOf(word: string | null, words: Map<string, number>): number {
  if (word === null || word === ABSENT) return -1;
  let code = words.get(word);
  if (code === undefined) words.set(word, (code = words.size));
  return code;
}

/** A scan that needs more fails, and the plain reader does the work. */
const MOST_MEMORY = "2GB";

/**
 * A connection that can read one file and nothing else, whatever a query should come to hold, and whose settings nobody changes.
 * Without a path: only to have the native code loaded.
 */
async function connect(path?: string): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    memory_limit: MOST_MEMORY,
    temp_directory: "",
    preserve_insertion_order: "true",
  });
  const connection = await instance.connect();
  if (path !== undefined) await connection.run(`SET allowed_paths = [${allowedPaths(path)}]`);
  await connection.run("SET enable_external_access = false");
  await connection.run("SET lock_configuration = true");
  return connection;
}

/** The path as written, and as a query writes it where it holds what DuckDB takes for a pattern. */
function allowedPaths(path: string): string {
  const escaped = path.replace(/[*?[]/g, "[$&]");
  return [...new Set([path, escaped])].map((one) => `'${one.replace(/'/g, "''")}'`).join(", ");
}

async function scan(connection: DuckDBConnection, request: ChildRequest, sender: Sender): Promise<void> {
  const query = queryOf(request);
  const result = await (request.whole ? connection.run(query) : connection.stream(query));
  let batch = new Batch(request);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    if (!batch.holds(chunk.rowCount)) {
      await sender.batch(batch.done());
      batch = new Batch(request);
    }
    batch.add(chunk);
  }
  if (batch.rows > 0) await sender.batch(batch.done());
  sender.tell({ kind: "done" });
}

/** The child process: loads DuckDB at once and answers one request at a time, rows in the order of the file. */
function main(): void {
  // The native code is loaded before it is asked for anything; what fails is told with the first request.
  const loaded = connect();
  loaded.catch(() => undefined);
  const sender = new Sender();
  sender.tell({ kind: "ready" });
  const rest = () => setTimeout(() => process.exit(0), IDLE);
  let idle = rest();
  process.on("message", (message: ChildRequest | "next") => {
    if (message === "next") {
      sender.taken();
      return;
    }
    clearTimeout(idle);
    loaded
      .then(() => connect(message.path))
      .then((connected) => scan(connected, message, sender).finally(() => connected.closeSync()))
      .catch((error: unknown) =>
        sender.tell({ kind: "error", message: error instanceof Error ? error.message : String(error) }),
      )
      .finally(() => (idle = rest()));
  });
  process.on("disconnect", () => process.exit(0));
}

main();
