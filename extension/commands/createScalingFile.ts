import * as vscode from "vscode";
import { Requests, type EditReply } from "../../server/protocol";
import { folderOf, tell, type Command } from "./command";

export const createScalingFile: Command = {
  id: "scalingLens.createScalingFile",
  title: "Create scaling.yaml",
  when: "workspaceFolderCount > 0",
  async run({ client }, target) {
    const uri = folderOf(target);
    if (!uri) return;
    const reply = await client.ask<EditReply>(Requests.scaffold, { uri: uri.toString() });
    if (reply.edit)
      await vscode.workspace.applyEdit(await (await client.get()).protocol2CodeConverter.asWorkspaceEdit(reply.edit));
    if (reply.open) await vscode.window.showTextDocument(vscode.Uri.parse(reply.open, true));
    tell(reply.message);
  },
};
