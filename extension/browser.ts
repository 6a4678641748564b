import * as vscode from "vscode";
import { activate as setUp, type Api } from "./activate";

export function activate(context: vscode.ExtensionContext): Api {
  return setUp(context, async (options) => {
    const { BrowserMessageReader, BrowserMessageWriter, LanguageClient } =
      await import("vscode-languageclient/browser");
    const script = vscode.Uri.joinPath(context.extensionUri, "dist", "server-web.js");
    return new LanguageClient(
      "scalingLens",
      "Scaling Lens",
      () => {
        const worker = new Worker(script.toString(true));
        // The host's Worker is a stand-in that the client does not recognise as one, so the transports are made here.
        return Promise.resolve({ reader: new BrowserMessageReader(worker), writer: new BrowserMessageWriter(worker) });
      },
      options,
    );
  });
}
