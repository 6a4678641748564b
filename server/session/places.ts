/** The path of a URI, without scheme and authority. */
function pathOf(uri: string): string {
  return uri.replace(/^[a-z][\w+.-]*:(\/\/[^/]*)?/i, "");
}

/** A folder without a slash at its end. */
export function trimmed(uri: string): string {
  return uri.replace(/\/+$/, "");
}

/** An untitled document is at home where it would be saved, else in the first folder. */
export function homeOf(uri: string, folders: readonly string[]): string {
  if (uri.includes("://") && !uri.startsWith("untitled:")) return uri;
  const path = pathOf(uri);
  const folder = folders.find((one) => path.startsWith(`${pathOf(one)}/`));
  if (folder) return folder + path.slice(pathOf(folder).length);
  return folders[0] ? `${folders[0]}/x` : uri;
}
