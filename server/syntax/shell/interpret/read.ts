import { expandJoined } from "./expand";
import type { Scope } from "./scope";
import type { Script, Statement } from "../script";
import { joined, rawWord, splitAt } from "./words";
import { literal, textOf, unknownIn, unknownSegment, type Variable, type Word } from "./value";

/** `IFS=, read -r -a LIST <<< "$TEXT"` and `read a b <<< "$TEXT"`; from anywhere else the values are unknown. */
export function readInto(
  variables: Map<string, Variable>,
  script: Script,
  words: readonly Word[],
  one: Extract<Statement, { kind: "command" }>,
  scope: Scope,
): void {
  const options = words
    .map(textOf)
    .filter((text) => text.startsWith("-"))
    .join("");
  const names = words.map(textOf).filter((text) => /^[A-Za-z_]\w*$/.test(text));
  const separator = one.assignments.find((assignment) => assignment.name === "IFS")?.value;
  const marks = separator ? textOf(expandJoined(script, separator, scope)) : " \t\n";
  const whole = names.at(-1);
  if (one.input && one.input.form !== "word" && whole !== undefined && options.includes("d")) {
    const word = one.input.form === "raw" ? rawWord(script, one.input) : expandJoined(script, one.input, scope, true);
    variables.set(whole, { kind: "scalar", word });
    return;
  }
  const text = one.input?.form === "word" ? expandJoined(script, one.input, scope) : null;
  const parts = text && unknownIn(text) === undefined ? splitAt(text, marks === "" ? "\n" : marks) : null;
  if (options.includes("a")) {
    const name = names.at(-1);
    if (name)
      variables.set(
        name,
        parts
          ? { kind: "list", words: parts }
          : { kind: "scalar", word: [unknownSegment(`\`${name}\` is read while the script runs`, `\${${name}}`)] },
      );
    return;
  }
  names.forEach((name, index) => {
    const rest = parts && (index === names.length - 1 ? joined(parts.slice(index)) : (parts[index] ?? [literal("")]));
    variables.set(name, {
      kind: "scalar",
      word: rest ?? [unknownSegment(`\`${name}\` is read while the script runs`, `\${${name}}`)],
    });
  });
}
