/** A file that discovery found. */
export interface FoundFile {
  readonly uri: string;
  readonly name: string;
  /** Relative to the source it was found in, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly modified: number;
}

/** The URI of an entry of a directory. */
export function child(directory: string, name: string): string {
  return `${directory.replace(/\/+$/, "")}/${encodeURIComponent(name)}`;
}

/** The directory of a file or directory. */
export function parent(uri: string): string {
  const at = uri.replace(/\/+$/, "").lastIndexOf("/");
  return at < 0 ? uri : uri.slice(0, at);
}

/** The last part of a URI, decoded. */
export function baseName(uri: string): string {
  const name = uri.replace(/\/+$/, "").replace(/^.*\//, "");
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Packed forms that are read. */
const PACKED = /\.(gz|zst)$/i;

/** Whether a file is packed, by its name. */
export function isPackedName(name: string): boolean {
  return PACKED.test(name);
}

/** The name of what is packed in a file: `exp1.jsonl.gz` → `exp1.jsonl`. */
export function unpackedName(name: string): string {
  return name.replace(PACKED, "");
}

/** A name without its endings: `exp1.jsonl.gz` → `exp1`. */
export function stem(name: string): string {
  return unpackedName(name).replace(/\.[^.]+$/, "");
}
