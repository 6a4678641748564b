import { join } from "node:path";
import type * as vscode from "vscode";
import { activate as setUp, type Api } from "./activate";

export function activate(context: vscode.ExtensionContext): Api {
  return setUp(context, async (options) => {
    const { LanguageClient, TransportKind } = await import("vscode-languageclient/node");
    const module = join(context.extensionPath, "dist", "server.js");
    return new LanguageClient(
      "scalingLens",
      "Scaling Lens",
      {
        run: { module, transport: TransportKind.ipc },
        debug: { module, transport: TransportKind.ipc, options: { execArgv: ["--nolazy", "--inspect=6009"] } },
      },
      options,
    );
  });
}
