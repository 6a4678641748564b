import { type Alias, type Document, isAlias, isNode, parseDocument, Scalar, visit } from "yaml";
import { messageOf, openBytes, ReadFault } from "../../../records/bytes";
import { isObject, type JsonObject } from "../../../records/json";
import { readLines } from "../../../records/lines";
import type { RecordReading } from "../../../records/recordTypes";

/** A group beyond this many characters is left out: its tree takes some seventy times as much memory. */
const LONGEST_GROUP = 16 * 1024 * 1024;
/** What is said once and referred to later: tools, a system prompt. */
const LONGEST_SHARED = 64 * 1024;
/** Above what real files refer to, below what a file made to exhaust the memory does. */
const MOST_REFERENCES = 10_000;

/** Whether a file may be ART's YAML of a step, by its name. */
export function isStepYaml(name: string): boolean {
  return /^\d{1,9}\.ya?ml$/i.test(name);
}

/** Whether a text begins as a list of trajectory groups. */
export function isArtYaml(head: string): boolean {
  return (
    /^(?:---\s*\n)?- /.test(head) &&
    /^[- ] trajectories:\s*$/m.test(head) &&
    /^ +(?:- )?(?:logs|messages_and_choices|reward):/m.test(head)
  );
}

/**
 * Hands over the groups of ART's YAML, one after another, with the line on which each begins. PyYAML writes a list's items at
 * the margin, so a file of any length is read a group at a time.
 */
export async function readArtYaml({ host, file, notes, signal, onBytes, onRecord }: RecordReading): Promise<void> {
  const groups = new Groups();
  let lines: string[] = [];
  let size = 0;
  let start = 1;
  const give = (last: boolean, ended: boolean) => {
    if (lines.length > 0 && size <= LONGEST_GROUP) {
      const group = groups.read(lines.join("\n"));
      const whole = typeof group === "string" ? undefined : last ? withoutCut(group, ended) : group;
      if (typeof group === "string")
        notes.error(
          "log.bad-line",
          `The group that begins on line ${start} is no YAML that could be read, and was left out: ${group}`,
          { file: file.uri, line: start },
        );
      else if (whole !== group)
        notes.warn(
          "log.truncated",
          `The file is cut short in the group that begins on line ${start}; what is not whole was left out.`,
          { file: file.uri, line: start },
        );
      if (whole) onRecord(whole, { line: start, column: () => undefined });
    } else if (size > LONGEST_GROUP)
      notes.error(
        "log.long-line",
        `The group that begins on line ${start} is longer than 16 million characters and was left out.`,
        { file: file.uri, line: start },
      );
    lines = [];
    size = 0;
  };
  let unended = false;
  try {
    await readLines(openBytes(host, file.uri, signal, onBytes), {
      line(line, number, ended) {
        unended = !ended;
        if (line === "---" || line === "...") return;
        if (line.startsWith("- ")) {
          give(false, true);
          start = number;
        }
        size += line.length + 1;
        if (size <= LONGEST_GROUP) lines.push(line);
      },
    });
  } catch (error) {
    signal?.throwIfAborted();
    notes.error(error instanceof ReadFault ? error.code : "log.unreadable", messageOf(error), { file: file.uri });
    unended = true;
  }
  give(true, !unended);
}

/** Reads groups one at a time, with what earlier ones define and later ones refer to. */
class Groups {
  readonly #shared = new Map<string, unknown>();

  /** A group, or what is wrong with it. */
  read(text: string): JsonObject | string {
    const document = parseDocument(text, { uniqueKeys: false, logLevel: "silent" });
    if (document.errors.length > 0) return document.errors[0].message.split("\n", 1)[0];
    try {
      if (/[&*]id\d/.test(text)) this.#connect(document);
      const list = document.toJS({ maxAliasCount: MOST_REFERENCES }) as unknown;
      const group: unknown = Array.isArray(list) ? list[0] : undefined;
      return isObject(group) ? group : "it is no group of trajectories";
    } catch (error) {
      return messageOf(error);
    }
  }

  #connect(document: Document.Parsed): void {
    const own = new Set<string>();
    visit(document, {
      Alias: (_, alias: Alias) =>
        !own.has(alias.source) && this.#shared.has(alias.source)
          ? new Scalar(this.#shared.get(alias.source))
          : undefined,
      Node: (_, node) => {
        if (isAlias(node) || !node.anchor) return;
        own.add(node.anchor);
        const [from, to] = node.range ?? [0, Infinity];
        let refers = false;
        visit(node, {
          Alias: () => {
            refers = true;
            return visit.BREAK;
          },
        });
        // One that refers to others itself could grow without bound.
        if (!refers && to - from <= LONGEST_SHARED && this.#shared.size < MOST_REFERENCES && isNode(node))
          this.#shared.set(node.anchor, node.toJS(document));
      },
    });
  }
}

/** Keys stand in the order of the alphabet, the reward late: a trajectory that lacks some of the others', or may go on, is not whole. */
function withoutCut(group: JsonObject, ended: boolean): JsonObject | undefined {
  if (!Array.isArray(group.trajectories)) return undefined;
  const [first] = group.trajectories;
  const keys = isObject(first) ? ["reward", ...Object.keys(first)] : ["reward"];
  const whole = group.trajectories.filter(
    (each, i, all) => isObject(each) && keys.every((key) => key in each) && (ended || i < all.length - 1),
  );
  return whole.length === group.trajectories.length ? group : { ...group, trajectories: whole };
}
