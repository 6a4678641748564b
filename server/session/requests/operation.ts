import { createEngine } from "../../operations/engine";
import { OPERATIONS } from "../../operations";
import { InputError } from "../../operations/inputError";
import { joined } from "../../syntax/uris";
import { Requests, type OperationParams, type OperationReply } from "../../protocol";
import { reporting } from "./runs";
import { handler, signalOf } from "./types";

/** Any operation by its name, within the workspace's folders: what the editor's language-model tools call. */
export const operation = handler<OperationParams, OperationReply>(
  Requests.operation,
  async ({ session, document }, { name, input }, token, progress) => {
    const wanted = OPERATIONS.find((one) => one.name === name);
    if (!wanted) return { ok: false, message: `there is no tool ${name}` };
    const folders = session.folders.map((folder) => folder.replace(/\/+$/, ""));
    const inside = (uri: string) => folders.some((folder) => uri === folder || uri.startsWith(`${folder}/`));
    const { host } = session;
    const report = reporting(progress);
    const engine = createEngine({
      // What is open counts as it stands in the editor.
      host: {
        ...host,
        readFile: async (uri, options) => {
          const open = options ? undefined : document(uri);
          return open ? new TextEncoder().encode(open.getText()) : host.readFile(uri, options);
        },
        readChunks: (uri, size) => host.readChunks(uri, size),
        stat: (uri) => host.stat(uri),
        list: (uri) => host.list(uri),
        ...(host.writeFile && { writeFile: host.writeFile.bind(host) }),
      },
      jobs: session.jobs,
      grammars: session.grammars,
      uri(path) {
        const uri = /^[a-z][\w+.-]+:\/\//i.test(path)
          ? path
          : path.startsWith("/")
            ? (folders
                .map((folder) => folder.replace(/^([a-z][\w+.-]*:\/\/[^/]*).*/i, `$1${encoded(path)}`))
                .find(inside) ?? "")
            : joined(folders[0] ?? "", encoded(path));
        if (!inside(uri) || /(^|\/)\.\.(\/|$)/.test(path))
          throw new InputError("this path lies outside the workspace", { file: path });
        return uri;
      },
      shown(uri) {
        const folder = folders.find((one) => uri.startsWith(`${one}/`));
        return folder === undefined ? uri : decoded(uri.slice(folder.length + 1));
      },
      documentation: (page) => session.documentation(page),
      keptFit: async (folderUri) => (await session.projectOf(`${folderUri}/scaling.yaml`)).settled(signalOf(token)),
      onProgress: (now) => now && report(now),
    });
    try {
      return { ok: true, value: await wanted.call(engine, input, signalOf(token)) };
    } catch (error) {
      if (error instanceof InputError) return { ok: false, message: error.toString() };
      throw error;
    }
  },
);

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
