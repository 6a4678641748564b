import type { JobRunner } from "./jobs";
import type { Host } from "../host";

/**
 * A host that reaches nothing outside some folders, for workspaces that are not trusted: whatever a config names (`../../**`, `/etc/…`, a link,
 * `http:`), what lies elsewhere is not there. A place is judged by where its links lead, and it is that place that is opened.
 */
export function confined(host: Host, folders: () => readonly string[]): Host {
  const roots = new Map<string, Promise<Place | undefined>>();
  const rootOf = (folder: string): Promise<Place | undefined> => {
    let root = roots.get(folder);
    if (!root)
      roots.set(folder, (root = realPlace(host, folder).then((uri) => (uri === undefined ? undefined : placeOf(uri)))));
    return root;
  };
  /** Where a place really is; undefined where that is outside. */
  const inside = async (uri: string): Promise<string | undefined> => {
    const asked = placeOf(uri);
    const lexical = folders().map(placeOf);
    // Nothing is even looked at that does not seem to be inside.
    if (!asked || !lexical.some((folder) => folder && holds(folder, asked))) return undefined;
    const real = await realPlace(host, uri);
    const place = real === undefined ? undefined : placeOf(real);
    if (real === undefined || !place) return undefined;
    for (const folder of folders()) {
      const root = await rootOf(folder);
      if (root && holds(root, place)) return real;
    }
    return undefined;
  };
  return {
    async readFile(uri, options) {
      const real = await inside(uri);
      return real === undefined ? undefined : host.readFile(real, options);
    },
    async *readChunks(uri, chunkSize) {
      const real = await inside(uri);
      if (real !== undefined) yield* host.readChunks(real, chunkSize);
    },
    async stat(uri) {
      const real = await inside(uri);
      return real === undefined ? undefined : host.stat(real);
    },
    async list(uri) {
      const real = await inside(uri);
      return real === undefined ? [] : host.list(real);
    },
    async whyNotListed(uri) {
      return (await inside(uri)) === undefined
        ? "it is outside the workspace, which is not trusted"
        : host.whyNotListed?.(uri);
    },
  };
}

function realPlace(host: Host, uri: string): Promise<string | undefined> {
  return host.realPlace ? host.realPlace(uri) : Promise.resolve(uri);
}

/** A URI taken apart: scheme with authority, and names with `.` and `..` worked out. */
interface Place {
  readonly origin: string;
  readonly names: readonly string[];
}

function placeOf(uri: string): Place | undefined {
  const match = /^([a-z][\w+.-]*:)(\/\/[^/]*)?(\/[^?#]*)?$/i.exec(uri);
  if (!match) return undefined;
  const names: string[] = [];
  for (const part of (match[3] ?? "").split("/")) {
    let name: string;
    try {
      name = decodeURIComponent(part);
    } catch {
      return undefined;
    }
    // A name that holds a slash is no name.
    if (/[/\\\u0000]/.test(name)) return undefined;
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return { origin: `${match[1]}${match[2] ?? ""}`.toLowerCase(), names };
}

function holds(folder: Place, place: Place): boolean {
  return (
    folder.origin === place.origin &&
    folder.names.length <= place.names.length &&
    folder.names.every((name, i) => name === place.names[i])
  );
}

/** Jobs that are told what they may read. */
export function withinFolders(jobs: JobRunner, within: () => readonly string[]): JobRunner {
  return { run: (job, onProgress, signal) => jobs.run({ ...job, within: within() }, onProgress, signal) };
}
