import { hasOtherMeaning, isOtherSuccess } from "./metricNames";

const quoted = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");

/** A metric name with `*` for anything, as a test. Names hold slashes of their own, so a user's `*` crosses them. */
export function matcher(glob: string): (name: string) => boolean {
  if (!glob.includes("*")) return (name) => name === glob;
  const parts = glob.split("*");
  return (name) => fits(parts, name);
}

/** The first place of a part is as good as any later one, since a star follows it: nothing is tried twice, and time grows with the name. */
function fits(parts: readonly string[], name: string): boolean {
  const last = parts.length - 1;
  const end = name.length - parts[last].length;
  let at = parts[0].length;
  if (!name.startsWith(parts[0])) return false;
  for (let i = 1; i < last; i++) {
    const next = name.indexOf(parts[i], at);
    if (next < 0) return false;
    at = next + parts[i].length;
  }
  return at <= end && name.endsWith(parts[last]);
}

/** No framework's metric has a longer name. */
const LONGEST_NAME = 1_000;

/**
 * What the stars of a known metric's glob stand for in a name; undefined where it does not match. Here a star keeps to its
 * meaning: at the beginning it is one part of the name, after `@` a number, elsewhere a dataset (whose name may hold slashes),
 * and never a part such as `checkpoint` or `update`, which would make another metric of it.
 */
export function keyMatcher(glob: string): (name: string) => readonly string[] | undefined {
  if (!glob.includes("*")) return (name) => (name === glob ? [] : undefined);
  const pieces = glob.split("*");
  const pattern = new RegExp(
    `^${pieces.map((piece, at) => (at === 0 ? quoted(piece) : `${piece === "" && pieces[at - 1].endsWith("@") ? "(\\d+)" : at === 1 && pieces[0] === "" ? "([^/]*?)" : "(.*?)"}${quoted(piece)}`)).join("")}$`,
  );
  return (name) => {
    const found = name.length > LONGEST_NAME ? undefined : pattern.exec(name)?.slice(1);
    const isOther = found?.some((star, at) => {
      const parts = star.toLowerCase().split("/");
      return parts.some(hasOtherMeaning) || (isWhose(pieces, at) && isOtherSuccess(parts[parts.length - 1]));
    });
    return isOther ? undefined : found;
  };
}

/** Whether a star says whose success it is within one part of the name, as in `val/*_success_rate`. */
function isWhose(pieces: readonly string[], at: number): boolean {
  return /(^|\/)$/.test(pieces[at]) && /^_?[a-z]/.test(pieces[at + 1]);
}
