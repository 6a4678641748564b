import { routed, type DirectoryEntry, type FileStat, type Host, type ReadOptions } from "../host";
import { FileRequests, SecretRequest } from "../protocol";
import type { FileListReply, FileReadReply, FileStatReply, SecretReply } from "../protocol";

/** Sends one request to whoever has the files. */
export type AskForFile = (method: string, params: unknown) => Promise<unknown>;

const CHUNK = 4 * 1024 * 1024;

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  // In pieces, since a call takes a limited number of arguments.
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(binary);
}

export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Files through the extension (`workspace.fs`): for browsers and for virtual workspaces. */
export function clientHost(ask: AskForFile, canWrite: boolean): Host {
  const readFile = async (uri: string, options: ReadOptions = {}): Promise<Uint8Array | undefined> => {
    const { base64 } = (await ask(FileRequests.read, { uri, ...options })) as FileReadReply;
    return base64 === null ? undefined : fromBase64(base64);
  };
  const stat = async (uri: string): Promise<FileStat | undefined> =>
    ((await ask(FileRequests.stat, { uri })) as FileStatReply).stat ?? undefined;
  return {
    readFile,
    stat,
    async *readChunks(uri, chunkSize = CHUNK) {
      const size = (await stat(uri))?.size ?? 0;
      for (let start = 0; start < size; start += chunkSize) {
        const piece = await readFile(uri, { start, end: Math.min(size, start + chunkSize) });
        if (!piece) return;
        yield piece;
      }
    },
    async list(uri): Promise<readonly DirectoryEntry[]> {
      return ((await ask(FileRequests.list, { uri })) as FileListReply).entries;
    },
    ...(canWrite && {
      async writeFile(uri: string, content: Uint8Array): Promise<void> {
        await ask(FileRequests.write, { uri, base64: toBase64(content) });
      },
    }),
  };
}

/** Secrets that the extension keeps, each asked for when it is needed. An editor without our extension keeps none. */
export function clientSecrets(ask: AskForFile): (address: string) => Promise<string | undefined> {
  return (address) =>
    ask(SecretRequest, { address }).then(
      (reply) => (reply as SecretReply | null)?.secret ?? undefined,
      () => undefined,
    );
}

/** Reads files of the extension itself (`dist/wasm/`), where there is no disk. */
export function assetReader(host: Host, assetsUri: string | undefined): (name: string) => Promise<Uint8Array> {
  return async (name) => {
    const bytes = assetsUri === undefined ? undefined : await host.readFile(`${assetsUri}/${name}`);
    if (!bytes) throw new Error(`${name} could not be read`);
    return bytes;
  };
}

/** A host that writes nothing, for workspaces that are not trusted. */
export function readOnly({ readFile, readChunks, stat, list, realPlace, whyNotListed }: Host): Host {
  return { readFile, readChunks, stat, list, ...(realPlace && { realPlace }), ...(whyNotListed && { whyNotListed }) };
}

/** `file:` places through `local`, all others through `other`. */
export function hostByScheme(local: Host, other: Host): Host {
  const pick = (uri: string) => (uri.startsWith("file:") ? local : other);
  return {
    ...routed(pick),
    ...(local.writeFile && {
      async writeFile(uri: string, content: Uint8Array): Promise<void> {
        const write = pick(uri).writeFile;
        if (!write) throw new Error(`Nothing may be written to ${uri}`);
        await write(uri, content);
      },
    }),
  };
}
