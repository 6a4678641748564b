/** The path of a URI, without scheme and authority. */
export function pathOf(uri: string): string {
  return uri.replace(/^[a-z][\w+.-]*:(\/\/[^/]*)?/i, "");
}

/** A folder without a slash at its end. */
export function trimmed(uri: string): string {
  return uri.replace(/\/+$/, "");
}
