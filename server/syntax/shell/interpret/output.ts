import type { Span } from "../../text";
import { arithmetic } from "./arithmetic";
import { awkOutput, printfOutput } from "./awk";
import { expandJoined, expandRange } from "./expand";
import type { Scope } from "./scope";
import type { Script } from "../script";
import { rawWord } from "./words";
import { literal, OUTPUT, shownOf, textOf, unknownIn, unknownSegment, type Word } from "./value";

/** Stands for the directory of the script itself, as `$(dirname "$0")` gives it. */
export const SCRIPT_DIRECTORY = "$SCRIPT_DIR";

/**
 * What `$( … )` prints, for the few commands whose output follows from their words alone; otherwise an unknown piece.
 */
export function simpleOutput(script: Script, range: Span, scope: Scope): Word {
  const source = script.text.slice(range.start, range.end);
  const shown = `$(${source})`;
  const unknown = (reason = `${OUTPUT}: ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`): Word => [
    unknownSegment(reason, shown),
  ];
  const body = source.trim();
  if (/^pwd\s*(-\w\s*)?$/.test(body)) return [literal("$PWD", { via: "the current directory" })];
  if (/^cd\b/.test(body) && /&&\s*pwd\s*(-P)?\s*$/.test(body))
    return [literal(SCRIPT_DIRECTORY + relativePart(body), { via: "the script's directory" })];
  if (/^dirname\s/.test(body) && /\$0|BASH_SOURCE/.test(body) && !/[|;&]/.test(body))
    return [literal(SCRIPT_DIRECTORY, { via: "the script's directory" })];
  // `probe && echo npu || echo gpu`: what holds where the probe finds nothing, as with files that are not there.
  const probed = /&&\s*echo\s+["']?([\w./-]+)["']?\s*\|\|\s*echo\s+["']?([\w./-]+)["']?\s*$/.exec(body);
  if (probed) return [literal(probed[2], { via: `${shown}, where the probe fails` })];
  const here = hereText(script, range, scope);
  if (here) return here;
  const counted = awkOutput(script, range, scope);
  if (counted) return counted;
  if (/[|;&<>]/.test(body)) return echoedSum(script, range, scope) ?? unknown();
  const words = splitWords(script, range).flatMap((one) => expandRange(script, one, scope));
  const name = textOf(words[0] ?? []);
  const args = words.slice(1).filter((word) => !/^-[a-zA-Z]+$/.test(textOf(word)));
  const texts = args.map(textOf);
  const missing = args.map(unknownIn).find((reason) => reason !== undefined);
  if (missing !== undefined && name !== "echo") return unknown(missing);
  switch (name) {
    case "echo":
      return args.flatMap((word, index) => (index ? [literal(" "), ...word] : [...word]));
    case "printf": {
      const text = printfOutput(args);
      return text === undefined ? unknown() : [literal(text, { via: `${shown} = ${text}` })];
    }
    case "basename":
      return args.length
        ? [literal(stripSuffix(shownOf(args[0]).replace(/\/+$/, "").split("/").at(-1) ?? "", texts[1]), { via: shown })]
        : unknown();
    case "dirname":
      return args.length
        ? [literal(shownOf(args[0]).replace(/\/+$/, "").split("/").slice(0, -1).join("/") || ".", { via: shown })]
        : unknown();
    case "realpath":
    case "readlink":
      return args.length ? args[0] : unknown();
    case "seq":
      return sequence(texts) ?? unknown();
    case "expr": {
      const value = arithmetic(texts.join(" "), () => null);
      return value === null ? unknown() : [literal(String(value), { via: `${shown} = ${value}` })];
    }
    default:
      return unknown();
  }
}

/** `$(cat <<EOF … EOF)`: the text itself. */
function hereText(script: Script, range: Span, scope: Scope): Word | undefined {
  const source = script.text.slice(range.start, range.end);
  const opening = /^\s*cat\s*<<-?\s*(\\?)(["']?)(\w+)\2[ \t]*\r?\n/.exec(source);
  if (!opening) return undefined;
  const closing = new RegExp(`^[ \\t]*${opening[3]}[ \\t]*\\r?$`, "m").exec(source.slice(opening[0].length));
  const start = range.start + opening[0].length;
  const body = { start, end: closing ? start + closing.index : range.end };
  return opening[1] || opening[2] ? rawWord(script, body) : expandJoined(script, body, scope, true);
}

/** `$(cd "$(dirname "$0")/.." && pwd)` → `/..`. */
function relativePart(body: string): string {
  const match = /\)"?((?:\/[\w.-]+)+)"?/.exec(body);
  return match ? match[1] : "";
}

function stripSuffix(text: string, suffix: string | undefined): string {
  return suffix && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

function sequence(texts: readonly string[]): Word | undefined {
  const numbers = texts.map(Number);
  if (numbers.length === 0 || numbers.length > 3 || numbers.some((value) => !Number.isFinite(value))) return undefined;
  const [from, step, to] =
    numbers.length === 1 ? [1, 1, numbers[0]] : numbers.length === 2 ? [numbers[0], 1, numbers[1]] : numbers;
  if (step === 0) return undefined;
  const out: string[] = [];
  for (let value = from; step > 0 ? value <= to : value >= to; value += step) {
    if (out.push(String(value)) >= 64) break;
  }
  return [literal(out.join("\n"))];
}

/** `echo "8 * 4" | bc`. */
function echoedSum(script: Script, range: Span, scope: Scope): Word | undefined {
  const source = script.text.slice(range.start, range.end);
  const match = /^\s*echo\s+([^|;&<>]+)\|\s*bc(\s+-l)?\s*$/.exec(source);
  if (!match) return undefined;
  const start = range.start + source.indexOf(match[1]);
  const words = splitWords(script, { start, end: start + match[1].trimEnd().length }).flatMap((one) =>
    expandRange(script, one, scope),
  );
  const missing = words.map(unknownIn).find((reason) => reason !== undefined);
  if (missing !== undefined) return [unknownSegment(missing, `$(${source})`)];
  const value = arithmetic(words.map(textOf).join(" "), () => null);
  return value === null ? undefined : [literal(String(value), { via: `$(${source}) = ${value}` })];
}

/** Cuts a simple command at blanks outside quotes. */
export function splitWords(script: Script, range: Span): Span[] {
  const words: Span[] = [];
  const text = script.text;
  let at = range.start;
  while (at < range.end) {
    if (/\s/.test(text[at])) {
      at++;
      continue;
    }
    const from = at;
    let quote = "";
    let depth = 0;
    for (; at < range.end; at++) {
      const c = text[at];
      if (c === "\\") {
        at++;
        continue;
      }
      if (quote) {
        if (c === quote) quote = "";
        continue;
      }
      if (c === '"' || c === "'") quote = c;
      else if (c === "(" || c === "{") depth++;
      else if (c === ")" || c === "}") depth--;
      else if (/\s/.test(c) && depth <= 0) break;
    }
    words.push({ start: from, end: Math.min(at, range.end) });
  }
  return words;
}
