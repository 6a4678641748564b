import { folderOf, joined } from "../uris";
import { SCRIPT_DIRECTORY } from "./interpret/output";

const MOST_FOLDERS = 8;
/** An absolute path is from the author's machine: fewer places are tried for it, since its end is tried in several lengths. */
const MOST_FOLDERS_ABSOLUTE = 5;
const MOST_ENDS = 4;
const SYSTEM = /^\/(etc|usr|bin|sbin|lib|var|proc|dev|sys)\//;

/**
 * Where a sourced script may be: beside the script when the path starts from its directory, else from the script's
 * folder and the folders above it, since launch scripts are started from the project's root. An absolute path names a
 * checkout on the author's machine, so its end is looked for here: `/home/me/project/scripts/run.sh` as `scripts/run.sh`.
 */
export function sourceCandidates(path: string, uri: string): string[] {
  const folder = folderOf(uri);
  const fromScript = /^(\$SCRIPT_DIR|\$0\/\.\.)\/?/.exec(path);
  if (fromScript || path.startsWith(SCRIPT_DIRECTORY))
    return [joined(folder, path.slice(fromScript?.[0].length ?? SCRIPT_DIRECTORY.length))];
  const rest = path.replace(/^(\$\{?\w+(:-[^}]*)?\}?|\$PWD)\/+/, "").replace(/^\.\//, "");
  if (/[$`*]/.test(rest) || rest === "" || path.startsWith("~")) return [];
  if (path.startsWith("/"))
    return SYSTEM.test(path)
      ? []
      : endsOf(path).flatMap((end) => foldersFrom(folder, MOST_FOLDERS_ABSOLUTE).map((at) => joined(at, end)));
  return foldersFrom(folder, MOST_FOLDERS).map((at) => joined(at, rest));
}

/** The ends of an absolute path, the longest first; a bare file name would fit anything. */
function endsOf(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return parts
    .slice(0, -1)
    .map((_, index) => parts.slice(index).join("/"))
    .slice(-MOST_ENDS);
}

function foldersFrom(folder: string, most: number): string[] {
  const folders: string[] = [];
  for (let at = folder; folders.length < most && at.length > 0;) {
    folders.push(at);
    const above = folderOf(at);
    if (above === at || /:\/+$/.test(above) || above === "") break;
    at = above;
  }
  return folders;
}
