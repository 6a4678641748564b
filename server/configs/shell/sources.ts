import { folderOf, joined } from "../uris";
import { SCRIPT_DIRECTORY } from "./output";

const MOST_FOLDERS = 8;

/**
 * Where a sourced script may be: beside the script when the path starts from its directory, else from the script's
 * folder and the folders above it, since launch scripts are started from the project's root.
 */
export function sourceCandidates(path: string, uri: string): string[] {
  const folder = folderOf(uri);
  const fromScript = /^(\$SCRIPT_DIR|\$0\/\.\.)\/?/.exec(path);
  if (fromScript || path.startsWith(SCRIPT_DIRECTORY)) return [joined(folder, path.slice(fromScript?.[0].length ?? SCRIPT_DIRECTORY.length))];
  const rest = path.replace(/^(\$\{?\w+(:-[^}]*)?\}?|\$PWD)\/+/, "").replace(/^\.\//, "");
  if (/[$`*]/.test(rest) || rest === "" || path.startsWith("~")) return [];
  if (path.startsWith("/")) return [];
  const candidates: string[] = [];
  let at = folder;
  for (let up = 0; up < MOST_FOLDERS && at.length > 0; up++) {
    candidates.push(joined(at, rest));
    const above = folderOf(at);
    if (above === at || /:\/+$/.test(above) || above === "") break;
    at = above;
  }
  return candidates;
}
