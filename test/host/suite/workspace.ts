import * as vscode from "vscode";
import { eventually } from "./harness";

/** The folder that the host was opened on: a copy of the sample workspace. */
export function folder(): vscode.Uri {
  const first = vscode.workspace.workspaceFolders?.[0];
  if (!first) throw new Error("no folder is open");
  return first.uri;
}

export function inFolder(name: string): vscode.Uri {
  return vscode.Uri.joinPath(folder(), name);
}

export async function read(uri: vscode.Uri): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

export async function write(name: string, text: string): Promise<vscode.Uri> {
  const uri = inFolder(name);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return uri;
}

export async function show(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  return document;
}

/** The lenses' titles, in order. */
export async function lenses(uri: vscode.Uri): Promise<string[]> {
  const found = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri, 50);
  return found.map((lens) => lens.command?.title ?? "").filter((title) => title !== "");
}

/** Waits for a lens whose title matches. */
export function lens(uri: vscode.Uri, pattern: RegExp): Promise<string> {
  return eventually(
    `a lens like ${String(pattern)}`,
    async () => (await lenses(uri)).find((title) => pattern.test(title)),
    60_000,
  );
}

/** The text of the hovers on the first occurrence of a word. */
export async function hoverOn(document: vscode.TextDocument, word: string): Promise<string> {
  const position = document.positionAt(document.getText().indexOf(word) + 1);
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
    "vscode.executeHoverProvider",
    document.uri,
    position,
  );
  return hovers
    .flatMap((hover) => hover.contents)
    .map((content) => (typeof content === "string" ? content : content.value))
    .join("\n");
}

/** Inlay hints of the whole document, as `line:text`. */
export async function hints(document: vscode.TextDocument): Promise<string[]> {
  const range = new vscode.Range(0, 0, document.lineCount, 0);
  const found = await vscode.commands.executeCommand<vscode.InlayHint[]>(
    "vscode.executeInlayHintProvider",
    document.uri,
    range,
  );
  return found.map(
    ({ position, label }) =>
      `${position.line}:${typeof label === "string" ? label : label.map((part) => part.value).join("")}`,
  );
}

/** Our diagnostics with a code, once there are any. */
export function diagnostic(uri: vscode.Uri, code: string): Promise<vscode.Diagnostic> {
  const codeOf = ({ code: own }: vscode.Diagnostic) => (typeof own === "object" ? String(own.value) : String(own));
  return eventually(
    `a diagnostic ${code}`,
    () => vscode.languages.getDiagnostics(uri).find((one) => codeOf(one) === code),
    60_000,
  );
}
