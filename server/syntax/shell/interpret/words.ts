import type { Span } from "../../text";
import type { Script, Statement } from "../script";
import { literal, sliceWord, textOf, type Word } from "./value";

/** A loop over more than this is cut short. */
export const MOST_ROUNDS = 64;

/** Commands that start nothing of interest and change nothing that is tracked. */
export const IGNORED = new Set([
  "echo",
  "printf",
  "set",
  "shopt",
  "cd",
  "pushd",
  "popd",
  "mkdir",
  "rm",
  "cp",
  "mv",
  "ln",
  "sleep",
  "wait",
  "trap",
  "ulimit",
  "umask",
  "kill",
  "pkill",
  "killall",
  "cat",
  "tee",
  "touch",
  "chmod",
  "module",
  "conda",
  "pip",
  "pip3",
  "git",
  "wget",
  "curl",
  "which",
  "ls",
  "hash",
  "alias",
  "complete",
  "type",
  "date",
  "tail",
  "head",
  "sed",
  "awk",
  "grep",
  "find",
  "xargs",
  "sort",
  "uniq",
  "wc",
  "tr",
  "cut",
  "nvidia-smi",
  "wandb",
  "hf",
  "huggingface-cli",
  "apt",
  "apt-get",
  "sudo apt-get",
  "jobs",
  "disown",
  "read",
  "true",
  "false",
  ":",
]);
/** How a command that trains looks in the text of a branch, besides the programs that train by themselves. */
const STARTS_PYTHON =
  /\b(python[\d.]*|torchrun|accelerate|deepspeed|uv run|ray job submit|llamafactory-cli|openrlhf)\b|\$\{?(PYTHON|CMD|LAUNCH)/i;

export function startsTraining(text: string, trainers: ReadonlySet<string>): boolean {
  return STARTS_PYTHON.test(text) || [...trainers].some((name) => new RegExp(`\\b${name}\\b`, "i").test(text));
}

export function joined(words: readonly Word[]): Word {
  return words.flatMap((word, index) => (index === 0 ? [...word] : [literal(" "), ...word]));
}

/** Cuts a word at any of the marks, each piece keeping its place. */
export function splitAt(word: Word, marks: string): Word[] {
  const text = textOf(word);
  const out: Word[] = [];
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && !marks.includes(text[at])) continue;
    if (at > from || !/\s/.test(marks)) out.push(sliceWord(word, from, at));
    from = at + 1;
  }
  return out.filter((piece) => piece.length > 0);
}

export function rawWord(script: Script, range: Span): Word {
  const place = script.locate
    ? script.locate(range.start, range.end)
    : { span: range, ...(script.file ? { file: script.file } : {}) };
  return [literal(script.text.slice(range.start, range.end), place ?? {})];
}

/** A test that only looks: it may be evaluated without being reached. */
export function isPureTest(one: Statement): boolean {
  switch (one.kind) {
    case "test":
      return true;
    case "not":
      return isPureTest(one.body);
    case "list":
      return isPureTest(one.left) && isPureTest(one.right);
    default:
      return false;
  }
}

/** Whether a body ends the script by itself: a guard, not a way to train. */
export function leaves(script: Script, body: readonly Statement[]): boolean {
  return body.some(
    (one) =>
      one.kind === "command" &&
      one.words.length > 0 &&
      /^(exit|return|usage)$/.test(script.text.slice(one.words[0].start, one.words[0].end)),
  );
}

/** `{1..4}` and `{a,b}` as the items of a loop. */
export function braces(words: readonly Word[]): Word[] {
  return words.flatMap((word) => {
    const text = textOf(word);
    const range = /^\{(-?\d+)\.\.(-?\d+)\}$/.exec(text);
    if (range) {
      const [from, to] = [Number(range[1]), Number(range[2])];
      const count = Math.min(Math.abs(to - from) + 1, MOST_ROUNDS);
      return Array.from({ length: count }, (_, index): Word => [literal(String(from + (to >= from ? index : -index)))]);
    }
    const list = /^\{([^{}]*,[^{}]*)\}$/.exec(text);
    return list ? list[1].split(",").map((part): Word => [literal(part)]) : [word];
  });
}

/** `exit 1`: a failure by its number. */
export function isFailure(status: Word | undefined): boolean {
  return status !== undefined && /^[1-9]\d*$/.test(textOf(status));
}

/** `bash -c "…"` anywhere in a command: what stands in the string is what runs. */
export function innerScript(words: readonly Word[]): Word | undefined {
  for (let i = 0; i < words.length - 1; i++) {
    if (!/(^|\/)(bash|sh|zsh)$/.test(textOf(words[i]))) continue;
    const flag = textOf(words[i + 1]);
    if (/^-\w*c$/.test(flag) && words[i + 2]) return words[i + 2];
    if (/^-\w*$/.test(flag) && textOf(words[i + 2] ?? []) === "-c" && words[i + 3]) return words[i + 3];
  }
  return undefined;
}
