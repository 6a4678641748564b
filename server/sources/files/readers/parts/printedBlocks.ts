/** `(TaskRunner pid=4711, ip=10.0.0.1) `, as Ray begins each line of a worker. */
const PREFIX = /^\(([^()]{1,120}?pid=\d+[^()]{0,60})\) ?/;
/** Where a dict, or a text that pprint broke in parentheses, begins. */
const BEGINNING = /\{(?=\s*$|\s*['"])|^\s*\((?=["'])/;
/** What goes on is indented; progress bars and logged rows of others may be too. */
const CONTINUES = /^(?!\s*(?:\d+%\||step:\s*\d+\s+-))[\s}\])]/;

const MOST_CHARACTERS = 400_000;
/** Lines of others between those of a block, from which on it counts as never finished. */
const MOST_BETWEEN = 200;
const MOST_WRITERS = 256;

/** A value that was printed over several lines. */
export interface PrintedBlock {
  /** What stands before it on its first line. */
  readonly lead: string;
  readonly text: string;
  /** 1-based, its first. */
  readonly line: number;
  /** The step that the writer's line before it announces. */
  readonly announced: number | undefined;
}

interface Open extends Omit<PrintedBlock, "text"> {
  readonly parts: string[];
  size: number;
  depth: number;
  between: number;
}

/** The text of a line of a Ray worker without the worker's name, and that name ("" without one). */
export function unprefixed(line: string): { readonly writer: string; readonly text: string } {
  const found = line.startsWith("(") ? PREFIX.exec(line) : null;
  return found ? { writer: found[1], text: line.slice(found[0].length) } : { writer: "", text: line };
}

/** Puts values together that `pprint` or an indented JSON spread over lines, of each writer by itself. */
export class PrintedBlocks {
  readonly #open = new Map<string, Open>();

  /** @returns a block that ends with this line; `true` where the line belongs to one that goes on; undefined for any other line */
  take(writer: string, text: string, line: number, announced?: number): PrintedBlock | true | undefined {
    const open = this.#open.get(writer);
    if (open && CONTINUES.test(text)) return this.#continued(writer, open, text);
    const beginning = BEGINNING.exec(text);
    if (beginning) {
      const rest = text.slice(beginning.index);
      const { depth } = balance(rest, 0);
      if (depth > 0) {
        if (this.#open.size < MOST_WRITERS)
          this.#open.set(writer, {
            lead: text.slice(0, beginning.index),
            line,
            announced,
            parts: [rest],
            size: rest.length,
            depth,
            between: 0,
          });
        return true;
      }
    }
    if (open && ++open.between > MOST_BETWEEN) this.#open.delete(writer);
    return undefined;
  }

  /** The blocks that were never finished. */
  get unfinished(): PrintedBlock[] {
    return [...this.#open.values()].map(finished);
  }

  /** Whether no line can belong to a block but one that begins it. */
  get idle(): boolean {
    return this.#open.size === 0;
  }

  #continued(writer: string, open: Open, text: string): PrintedBlock | true {
    const { depth, end } = balance(text, open.depth);
    open.parts.push(text.slice(0, end));
    open.size += text.length;
    open.depth = depth;
    if (depth > 0 && open.size <= MOST_CHARACTERS) return true;
    this.#open.delete(writer);
    return depth > 0 ? true : finished(open);
  }
}

function finished({ lead, line, announced, parts }: Open): PrintedBlock {
  return { lead, line, announced, text: parts.join("\n") };
}

/** How many brackets are open after a text, and where the last of them closed. A string never goes over a line's end. */
function balance(text: string, before: number): { depth: number; end: number } {
  let depth = before;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quote !== "") {
      if (char === "\\") at++;
      else if (char === quote) quote = "";
    } else if (char === "'" || char === '"') quote = char;
    else if (char === "{" || char === "[" || char === "(") depth++;
    else if ((char === "}" || char === "]" || char === ")") && --depth <= 0) return { depth: 0, end: at + 1 };
  }
  return { depth, end: text.length };
}
