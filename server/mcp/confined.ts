import { isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Host } from "../host";
import { toUri } from "../node/host";
import { followed } from "../node/place";
import { InputError } from "../operations/inputError";

/** A folder out of which nothing is read and nothing written, whatever a path, a link or a scaling.yaml says. */
export interface Confined {
  readonly host: Host;
  /** The address of a path as an agent names it; an InputError where it lies outside. */
  uri(name: string): string;
  /** The path within the folder. */
  shown(uri: string): string;
}

/** `root` is a real path: links in it are followed already. */
export function confined(host: Host, root: string): Confined {
  const inside = (path: string): boolean => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
  const pathOf = (uri: string): string | undefined => {
    try {
      return fileURLToPath(uri);
    } catch {
      return undefined;
    }
  };
  /** Whether what stands there, or would be made there, is inside once links are followed. */
  const reachable = async (uri: string): Promise<boolean> => {
    const path = pathOf(uri);
    return path !== undefined && inside(path) && inside(await followed(path).catch(() => ""));
  };
  const write = host.writeFile?.bind(host);
  return {
    host: {
      readFile: async (uri, options) => ((await reachable(uri)) ? host.readFile(uri, options) : undefined),
      async *readChunks(uri, size) {
        if (await reachable(uri)) yield* host.readChunks(uri, size);
      },
      stat: async (uri) => ((await reachable(uri)) ? host.stat(uri) : undefined),
      list: async (uri) => ((await reachable(uri)) ? host.list(uri) : []),
      ...(write && {
        whyNotWritten: async (uri: string) =>
          (await reachable(uri)) ? host.whyNotWritten?.(uri) : "it lies outside the folder of this server",
        writeFile: async (uri: string, content: Uint8Array) => {
          if (!(await reachable(uri))) throw new InputError("it lies outside the folder of this server");
          await write(uri, content);
        },
      }),
    },
    uri(name) {
      const path = name.startsWith("file:")
        ? pathOf(name)
        : /^[a-z][\w+.-]+:\/\//i.test(name)
          ? undefined
          : resolve(root, name);
      if (path === undefined || !inside(path))
        throw new InputError("this path lies outside the folder of this server", { file: name });
      return toUri(path);
    },
    shown(uri) {
      const path = pathOf(uri);
      const near = path === undefined ? uri : relative(root, path);
      return near === "" ? "." : isAbsolute(near) ? near : near.split(sep).join("/");
    },
  };
}
