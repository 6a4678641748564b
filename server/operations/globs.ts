import { glob as globTest } from "../syntax/pattern/glob";
import { joined } from "../syntax/uris";
import type { Host } from "../host";
import { isAddress } from "../sources";

/** Folders deeper than this are not looked into for a glob. */
const DEEPEST = 12;
const MOST = 20_000;

/** `sqlite:mlflow.db` and `sqlite:///mlflow.db` beside scaling.yaml, as an address; other stores say where they are. */
export function storeUri(folderUri: string, source: string): string {
  const path = /^sqlite:(?:\/\/\/(?!\/))?([^/~][^?]*)(\?.*)?$/i.exec(source);
  return path && !path[1].startsWith("file:")
    ? `sqlite:${joined(folderUri, encoded(path[1]))}${path[2] ?? ""}`
    : source;
}

/** Those of `logs:` that are no files: they cannot be watched. */
export function addressesOf(sources: readonly string[]): string[] {
  return sources.filter(isAddress);
}

/**
 * Folders and files that globs of `scaling.yaml` name, as URIs. `runs/**` is the folder itself, so that its runs keep their
 * own files together; other globs are matched against folders first, and files only where no matching folder holds them.
 */
export async function resolveSources(
  host: Host,
  folderUri: string,
  globs: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  const found: string[] = [];
  for (const glob of globs) {
    if (isAddress(glob)) {
      found.push(storeUri(folderUri, glob));
      continue;
    }
    if (/^[a-z][\w+.-]*:\/\//i.test(glob)) {
      found.push(glob);
      continue;
    }
    const whole = glob.replace(/\/+$/, "").replace(/(\/\*\*)?(\/\*)?$/, (tail) => (tail === "/*" ? tail : ""));
    if (!/[*?[{\\]/.test(whole)) {
      found.push(joined(folderUri, encoded(whole)));
      continue;
    }
    found.push(...(await matching(host, folderUri, whole, signal)));
  }
  return [...new Set(found)];
}

function encoded(path: string): string {
  return path
    .split("/")
    .map((part) => (part === ".." || part === "." ? part : encodeURIComponent(part)))
    .join("/");
}

async function matching(
  host: Host,
  folderUri: string,
  glob: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const parts = glob.split("/");
  const fixed = parts.findIndex((part) => /[*?[{\\]/.test(part));
  const base = joined(folderUri, encoded(parts.slice(0, fixed).join("/")));
  const matches = globTest(parts.slice(fixed).join("/"));
  const folders: string[] = [];
  const files: string[] = [];
  let seen = 0;
  const led = new Set<string>();
  const visit = async (uri: string, path: string, depth: number): Promise<void> => {
    if (depth > DEEPEST || seen > MOST || signal?.aborted) return;
    for (const entry of await host.list(uri)) {
      seen++;
      if (entry.leadsTo !== undefined) {
        if (led.has(entry.leadsTo)) continue;
        led.add(entry.leadsTo);
      }
      const child = `${uri.replace(/\/$/, "")}/${encodeURIComponent(entry.name)}`;
      const at = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.kind === "file") {
        if (matches(at)) files.push(child);
      } else if (matches(at)) folders.push(child);
      else if (entry.name !== "node_modules" && entry.name !== ".git") await visit(child, at, depth + 1);
    }
  };
  await visit(base, "", 0);
  return [...folders, ...files].sort();
}
