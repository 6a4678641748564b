/** A metric name with `*` for anything, as a test. Names hold slashes of their own, so `*` crosses them. */
export function matcher(glob: string): (name: string) => boolean {
  if (!glob.includes("*")) return (name) => name === glob;
  const pattern = new RegExp(
    `^${glob
      .split("*")
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
      .join("(.*?)")}$`,
  );
  return (name) => pattern.test(name);
}

/** What the first `*` stood for, or undefined where the name does not match. */
export function captured(glob: string, name: string): string | undefined {
  const pattern = new RegExp(
    `^${glob
      .split("*")
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
      .join("(.*?)")}$`,
  );
  return pattern.exec(name)?.slice(1).join("|");
}
