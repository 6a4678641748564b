import * as vscode from "vscode";

let channel: vscode.LogOutputChannel | undefined;

/** The one log of the extension; made on first use so that nothing shows before there is something to say. */
export function log(): vscode.LogOutputChannel {
  channel ??= vscode.window.createOutputChannel("Scaling Lens", { log: true });
  return channel;
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
