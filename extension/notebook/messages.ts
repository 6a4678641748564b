import * as vscode from "vscode";
import { Commands } from "../../server/protocol";
import { describe, log } from "../log";

const RENDERER_ID = "scaling-lens.figure";

/** What figures ask of the editor. Everything in it comes from a notebook file, so nothing is taken on trust. */
interface FigureMessage {
  readonly type?: unknown;
  readonly files?: unknown;
  readonly uri?: unknown;
  readonly experiment?: unknown;
}

/** Opens a run's files and applies an optimum, when a figure asks for it. */
export function serveFigures(): vscode.Disposable {
  const messaging = vscode.notebooks.createRendererMessaging(RENDERER_ID);
  return messaging.onDidReceiveMessage(({ editor, message }) => {
    void answer(editor.notebook, (message ?? {}) as FigureMessage).catch((error: unknown) =>
      log().error(`A figure's request failed: ${describe(error)}`),
    );
  });
}

async function answer(notebook: vscode.NotebookDocument, message: FigureMessage): Promise<void> {
  if (message.type === "open-files" && Array.isArray(message.files)) {
    for (const file of message.files.slice(0, 3)) if (typeof file === "string") await open(notebook, file);
  } else if (message.type === "apply-optimum" && typeof message.uri === "string") {
    const uri = within(notebook, message.uri);
    if (!uri) return;
    await vscode.commands.executeCommand(
      Commands.optimise,
      uri.toString(),
      typeof message.experiment === "string" && message.experiment !== "" ? message.experiment : undefined,
    );
  }
}

async function open(notebook: vscode.NotebookDocument, file: string): Promise<void> {
  const [, path, line] = /^(.*?)(?::(\d+))?$/.exec(file) ?? [];
  const uri = within(notebook, path);
  if (!uri) return;
  const at = new vscode.Position(Math.max(0, Number(line ?? 1) - 1), 0);
  await vscode.window.showTextDocument(uri, {
    preview: true,
    viewColumn: vscode.ViewColumn.Beside,
    selection: new vscode.Range(at, at),
  });
}

/** A place named in a notebook file: relative to the notebook, and inside a workspace folder (or the notebook's own) or not at all. */
function within(notebook: vscode.NotebookDocument, place: string): vscode.Uri | undefined {
  const base =
    notebook.uri.scheme === "untitled"
      ? vscode.workspace.workspaceFolders?.[0]?.uri
      : vscode.Uri.joinPath(notebook.uri, "..");
  if (!base || place === "") return undefined;
  // Joining resolves `..`, which the check below must not see as inside.
  const uri = vscode.Uri.joinPath(
    /^[a-z][\w+.-]+:\//i.test(place) ? vscode.Uri.parse(place) : vscode.Uri.joinPath(base, place),
    ".",
  );
  const inside =
    vscode.workspace.getWorkspaceFolder(uri) !== undefined ||
    (uri.scheme === base.scheme && uri.authority === base.authority && uri.path.startsWith(`${base.path}/`));
  return inside ? uri : undefined;
}
