import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import {
  FileRequests,
  type FileListReply,
  type FileReadParams,
  type FileReadReply,
  type FileStatReply,
  type FileWriteParams,
} from "../server/protocol";

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(binary);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

/** The largest file that is read (bytes): it is held as a whole. */
const MOST_WHOLE = 128 * 1024 * 1024;

/** `workspace.fs` reads whole files only, so the last one is kept while its pieces are asked for. */
let kept: { readonly uri: string; readonly modified: number; readonly bytes: Uint8Array } | undefined;

async function read({ uri, start, end }: FileReadParams): Promise<FileReadReply> {
  try {
    const place = vscode.Uri.parse(uri, true);
    const { mtime, size, type } = await vscode.workspace.fs.stat(place);
    if (!(type & vscode.FileType.File) || size > MOST_WHOLE) return { base64: null };
    if (kept?.uri !== uri || kept.modified !== mtime)
      kept = { uri, modified: mtime, bytes: await vscode.workspace.fs.readFile(place) };
    const { bytes } = kept;
    const piece = bytes.subarray(start ?? 0, end ?? bytes.length);
    if ((end ?? bytes.length) >= bytes.length) kept = undefined;
    return { base64: toBase64(piece) };
  } catch {
    return { base64: null };
  }
}

async function stat({ uri }: { uri: string }): Promise<FileStatReply> {
  try {
    const { type, size, mtime } = await vscode.workspace.fs.stat(vscode.Uri.parse(uri, true));
    return { stat: { kind: type & vscode.FileType.Directory ? "directory" : "file", size, modified: mtime } };
  } catch {
    return { stat: null };
  }
}

async function list({ uri }: { uri: string }): Promise<FileListReply> {
  try {
    const entries = await vscode.workspace.fs.readDirectory(vscode.Uri.parse(uri, true));
    // Links are not followed here: workspace.fs cannot say whether one leads back to a folder above it.
    return {
      entries: entries
        .filter(([, type]) => !(type & vscode.FileType.SymbolicLink && type & vscode.FileType.Directory))
        .map(([name, type]) => ({
          name,
          kind: type & vscode.FileType.Directory ? ("directory" as const) : ("file" as const),
        })),
    };
  } catch {
    return { entries: [] };
  }
}

async function write({ uri, base64 }: FileWriteParams): Promise<null> {
  await vscode.workspace.fs.writeFile(vscode.Uri.parse(uri, true), fromBase64(base64));
  return null;
}

/** Answers the server's file requests, for browsers and virtual workspaces. */
export function serveFiles(client: BaseLanguageClient): vscode.Disposable {
  return vscode.Disposable.from(
    client.onRequest(FileRequests.read, read),
    client.onRequest(FileRequests.stat, stat),
    client.onRequest(FileRequests.list, list),
    client.onRequest(FileRequests.write, write),
  );
}
