import type { DirectoryEntry, FileStat, Host, RemoteTrouble } from "../../host";
import type { SecretOf } from "../../sources/secret";
import { bodyOf, bucketUrl, get as request, s3Place, Unreachable } from "./requests";

/** A server that gives no parts of a file must give the whole: no more than this (bytes). */
const MOST_WHOLE = 64 * 1024 * 1024;
/** Files up to this many bytes are remembered, for when their server is gone. */
const SMALL = 256 * 1024;
const PIECE = 4 * 1024 * 1024;

type Get = typeof request;

/** What was last told of a place. */
interface Remembered {
  stat?: FileStat;
  list?: readonly DirectoryEntry[];
  readonly small: Map<string, Uint8Array>;
  /** All of a file whose server gives no parts. */
  whole?: Uint8Array;
  /** When it was last reached, in milliseconds since 1970. */
  since: number | null;
}

/**
 * Files on servers (`https:`) and in buckets (`s3:`), by ranges of bytes. What a server that is gone has told before is remembered, so
 * that a table of unchanged files is still the same, and `trouble` says why and of when it is.
 * @param allows whether a place may be asked for
 * @param secretOf who keeps the keys of buckets; those of the environment come before it
 */
export function createRemoteHost(
  memory = new Map<string, unknown>(),
  allows: (uri: string) => boolean = () => true,
  secretOf?: SecretOf,
): Host {
  const get: Get = (uri, how) => request(uri, { ...how, ...(secretOf && { secretOf }) });
  const troubles = new Map<string, string>();
  /** Servers that do not answer, and why: one is waited for once, and not for each of its files. */
  const gone = new Map<string, string>();
  const about = (uri: string): Remembered => {
    const key = uri.replace(/\/+$/, "");
    const held = (memory.get(key) as Remembered | undefined) ?? { small: new Map(), since: null };
    memory.set(key, held);
    return held;
  };
  const lost = (uri: string, { message, isGone }: Unreachable) => {
    troubles.set(uri, message);
    if (isGone) gone.set(serverOf(uri), message);
  };
  /** What `ask` gives; where the server cannot be reached, what it gave before. */
  const reached = async <Value>(uri: string, ask: () => Promise<Value>, before: () => Value | undefined) => {
    if (!allows(uri)) {
      troubles.set(uri, "scaling.yaml does not name it under logs:, so it is not asked");
      return undefined;
    }
    const reason = gone.get(serverOf(uri));
    if (reason !== undefined) {
      troubles.set(uri, reason);
      return before();
    }
    try {
      const value = await ask();
      about(uri).since = Date.now();
      return value;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      lost(uri, error);
      return before();
    }
  };
  const bytes = async (uri: string, start: number, end: number): Promise<Uint8Array | undefined> => {
    const { whole } = about(uri);
    if (whole) return whole.slice(start, end);
    if (end <= start) return new Uint8Array();
    const response = await get(uri, { range: [start, end] });
    if (response.status === 404) return undefined;
    const body = await bodyOf(response);
    if (response.status !== 206) return body.slice(start, end);
    if (body.length > end - start) throw new Unreachable("the server gives another part than was asked for");
    return body;
  };
  /** Bytes of a file that must all come. */
  const part = async (uri: string, start: number, end: number): Promise<Uint8Array> => {
    try {
      const reason = gone.get(serverOf(uri));
      if (reason !== undefined) throw new Unreachable(reason);
      const piece = await bytes(uri, start, end);
      if (!piece || piece.length < end - start) throw new Unreachable("the answer was cut");
      return piece;
    } catch (error) {
      if (error instanceof Unreachable) lost(uri, error);
      throw error;
    }
  };
  const stat = (uri: string) =>
    reached(
      uri,
      () => statOf(uri, about(uri), get, list),
      () => about(uri).stat,
    );
  const list = async (uri: string): Promise<readonly DirectoryEntry[]> => {
    const place = s3Place(uri);
    if (!place || !allows(uri)) return [];
    return (
      (await reached(
        uri,
        async () => (about(uri).list = await listed(uri, place, get, (child) => about(child))),
        () => about(uri).list,
      )) ?? []
    );
  };
  return {
    stat,
    list,
    async readFile(uri, { start = 0, end } = {}) {
      const until = end ?? (await stat(uri))?.size;
      if (until === undefined) return undefined;
      const key = `${start}-${end ?? ""}`;
      const { small } = about(uri);
      return reached(
        uri,
        async () => {
          const read = await bytes(uri, start, until);
          if (read && read.length <= SMALL) small.set(key, read);
          return read;
        },
        () => small.get(key),
      );
    },
    async *readChunks(uri, chunkSize = PIECE) {
      const size = (await stat(uri))?.size ?? 0;
      for (let at = 0; at < size; at += chunkSize) {
        yield await part(uri, at, Math.min(size, at + chunkSize));
      }
    },
    trouble(uri): RemoteTrouble | undefined {
      const top = uri.replace(/\/+$/, "");
      for (const [place, reason] of troubles)
        if (place === top || place.startsWith(`${top}/`)) return { reason, since: about(place).since };
      return undefined;
    },
  };
}

const serverOf = (uri: string) => /^[a-z0-9]+:\/\/[^/]*/i.exec(uri)?.[0] ?? uri;

/** Size and time of a file; a folder where a bucket holds something below the name. Undefined: there is no such thing. */
async function statOf(
  uri: string,
  held: Remembered,
  get: Get,
  list: (uri: string) => Promise<readonly DirectoryEntry[]>,
): Promise<FileStat | undefined> {
  const place = s3Place(uri);
  const isFolder = place && (place.key === "" || place.key.endsWith("/"));
  const response = isFolder ? undefined : await get(uri, { range: [0, 1] });
  if (!response || response.status === 404) {
    await response?.body?.cancel();
    if (!place || (await list(uri)).length === 0) return (held.stat = undefined);
    return (held.stat = { kind: "directory", size: 0, modified: 0 });
  }
  const modified = Date.parse(response.headers.get("last-modified") ?? "") || 0;
  const total = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
  const size = Number(total ?? response.headers.get("content-length") ?? NaN);
  if (response.status === 200) {
    // No parts: it must come whole.
    if (!(size <= MOST_WHOLE)) {
      await response.body?.cancel();
      throw new Unreachable("the server gives no parts of a file, and this one is too large to take whole (64 MB)");
    }
    held.whole = await bodyOf(response);
    return (held.stat = { kind: "file", size: held.whole.length, modified });
  }
  await response.body?.cancel();
  held.whole = undefined;
  if (!Number.isFinite(size)) throw new Unreachable("the server does not say how long the file is");
  return (held.stat = { kind: "file", size, modified });
}

/** What a bucket holds right below a name. */
async function listed(
  uri: string,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  get: Get,
  about: (uri: string) => Remembered,
): Promise<readonly DirectoryEntry[]> {
  const prefix = key === "" || key.endsWith("/") ? key : `${key}/`;
  const found: DirectoryEntry[] = [];
  let next: string | undefined;
  do {
    const query = new URLSearchParams({ "list-type": "2", delimiter: "/", "encoding-type": "url", prefix });
    if (next !== undefined) query.set("continuation-token", next);
    const response = await get(uri, { url: `${bucketUrl(bucket)}/?${query.toString().replaceAll("+", "%20")}` });
    if (response.status === 404) throw new Unreachable("there is no such bucket");
    const text = new TextDecoder().decode(await bodyOf(response));
    const named = (tag: string, part: string) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(part)?.[1];
    const inside = (part: string) =>
      decodeURIComponent((named("Key", part) ?? named("Prefix", part) ?? "").replaceAll("+", " ")).slice(prefix.length);
    for (const [part] of text.matchAll(/<Contents>[^]*?<\/Contents>/g)) {
      const name = inside(part);
      if (name === "") continue;
      found.push({ name, kind: "file" });
      const child = `${uri.replace(/\/+$/, "")}/${encodeURIComponent(name)}`;
      about(child).since = Date.now();
    }
    for (const [part] of text.matchAll(/<CommonPrefixes>[^]*?<\/CommonPrefixes>/g))
      found.push({ name: inside(part).replace(/\/$/, ""), kind: "directory" });
    next = named("NextContinuationToken", text)?.replaceAll("&amp;", "&");
  } while (next !== undefined);
  return found;
}
