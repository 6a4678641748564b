import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/browser";
import { activate as setUp, type Api } from "./activate";

export function activate(context: vscode.ExtensionContext): Api {
  return setUp(context, (_, options) => {
    const script = vscode.Uri.joinPath(context.extensionUri, "dist", "server-web.js");
    return new LanguageClient("scalingLens", "Scaling Lens", () => Promise.resolve(new Worker(script.toString(true))), options);
  });
}
