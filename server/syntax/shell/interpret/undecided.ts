import type { Script, Statement } from "../script";
import type { Verdict } from "./conditions";
import type { ShellState } from "./state";
import { textOf, unknownIn, unknownSegment } from "./value";
import { leaves } from "./words";

/** A value that is written out: a word without expansions. */
const PLAIN = /^(["']?)[\w.,:/+-]*\1$/;

/** What each variable holds where nothing of some statements has run: plain texts only. */
export function plainBefore(
  state: ShellState,
  script: Script,
  bodies: readonly (readonly Statement[])[],
): ReadonlyMap<string, string> {
  const before = new Map<string, string>();
  for (const name of bodies.flatMap((body) => [...plainIn(script, body).keys()])) {
    const variable = state.variables.get(name);
    if (variable?.kind === "scalar" && unknownIn(variable.word) === undefined) before.set(name, textOf(variable.word));
  }
  return before;
}

/**
 * After one of several arms was followed though only a run decides between them: a variable that they leave with
 * different plain values is not known. Arms that end the script leave nothing.
 */
export function leaveOpen(
  state: ShellState,
  script: Script,
  bodies: readonly (readonly Statement[])[],
  before: ReadonlyMap<string, string>,
): void {
  const arms = bodies.filter((body) => !leaves(script, body)).map((body) => plainIn(script, body));
  for (const name of new Set(arms.flatMap((arm) => [...arm.keys()]))) {
    const values = arms.map((arm) => (arm.has(name) ? arm.get(name) : before.get(name)));
    // A copy on the machine and what it is a copy of bear one name: it is the same model or data set.
    if (values.some((value) => value === undefined) || new Set(values.map(nameIn)).size < 2) continue;
    const reason = "it depends on a condition that only a run decides";
    state.variables.set(name, { kind: "scalar", word: [unknownSegment(reason, `$${name}`)] });
  }
}

const nameIn = (value: string | undefined): string | undefined => value?.replace(/\/+$/, "").split("/").at(-1);

/** The same for `test && a` and `test && a || b`. */
export function leaveListOpen(
  state: ShellState,
  script: Script,
  one: Extract<Statement, { kind: "list" }>,
  left: Verdict,
  run: () => Verdict,
): Verdict {
  if (!left.printed) return run();
  const other = one.operator === "||" && one.left.kind === "list" && one.left.operator === "&&" ? one.left.right : null;
  const bodies = [[one.right], other ? [other] : []];
  const before = plainBefore(state, script, bodies);
  const verdict = run();
  leaveOpen(state, script, bodies, before);
  return verdict;
}

/** Variables that statements set to plain texts, one after the other; null where the text is not plain. */
function plainIn(script: Script, body: readonly Statement[]): ReadonlyMap<string, string | undefined> {
  const out = new Map<string, string | undefined>();
  for (const one of body) {
    const assignments =
      one.kind === "assign" || (one.kind === "command" && one.words.length === 0) ? one.assignments : [];
    for (const { name, index, append, value, items } of assignments) {
      const text = value ? script.text.slice(value.start, value.end) : "";
      const plain = !index && !append && !items && PLAIN.test(text);
      out.set(name, plain ? text.replace(/^["']|["']$/g, "") : undefined);
    }
  }
  return out;
}
