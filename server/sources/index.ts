import { files } from "./files/source";
import { remote } from "./remote";
import type { Source } from "./source";
import { stores } from "./stores/source";

/** Where runs live, in the order in which an address is tried; files take what is left. */
const SOURCES: readonly Source[] = [stores, remote, files];

/** The source of an address. */
export function sourceOf(uri: string): Source {
  return SOURCES.find((one) => one.matches(uri)) ?? files;
}

/** Whether an address is none of files: it is taken as it stands, and no glob. */
export function isAddress(uri: string): boolean {
  return sourceOf(uri) !== files;
}
