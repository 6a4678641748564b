import type { Span } from "../../text";
import type { Assignment, Script } from "../script";
import { assigned } from "./assign";
import { sure, type Verdict } from "./conditions";
import type { ShellState } from "./state";

/** Runs assignments, alone or under a keyword: `export`, `declare -A`, `local`, `unset`. */
export function declare(
  state: ShellState,
  script: Script,
  assignments: readonly Assignment[],
  keyword: string | null,
  options: readonly Span[],
): Verdict {
  const words = options.map((range) => script.text.slice(range.start, range.end));
  const associative = words.some((word) => /^-\w*A/.test(word));
  for (const one of assignments) {
    state.trail.readingFor(one.name, () => {
      const value = assigned(script, one, state.variables.get(one.name), associative, state);
      if (value) state.variables.set(one.name, value);
    });
    if (keyword === "export" || words.some((word) => /^-\w*x/.test(word))) state.exported.add(one.name);
  }
  if (keyword === "export") for (const word of words) state.exported.add(word);
  if (associative)
    for (const word of words)
      if (/^[A-Za-z_]\w*$/.test(word) && !state.variables.has(word))
        state.variables.set(word, { kind: "map", entries: new Map() });
  if (keyword === "unset") for (const word of words) state.variables.delete(word);
  return sure(true);
}
