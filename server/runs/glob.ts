import { hasOtherMeaning } from "./metricNames";

const quoted = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");

/** A metric name with `*` for anything, as a test. Names hold slashes of their own, so a user's `*` crosses them. */
export function matcher(glob: string): (name: string) => boolean {
  if (!glob.includes("*")) return (name) => name === glob;
  const pattern = new RegExp(`^${glob.split("*").map(quoted).join("(.*?)")}$`);
  return (name) => pattern.test(name);
}

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
    const found = pattern.exec(name)?.slice(1);
    return found?.some((part) => part.split("/").some((each) => hasOtherMeaning(each.toLowerCase())))
      ? undefined
      : found;
  };
}
