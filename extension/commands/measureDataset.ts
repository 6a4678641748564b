import * as vscode from "vscode";
import { Requests, type DocumentReply } from "../../server/protocol";
import { withProgress } from "../progress";
import type { Command } from "./command";

export const measureDataset: Command = {
  id: "scalingLens.measureDataset",
  title: "Measure dataset",
  when: "workspaceFolderCount > 0",
  async run({ client, documents }, first, selected) {
    const given = Array.isArray(selected) ? selected : [first];
    const uris = given
      .map((item) => (typeof item === "string" ? vscode.Uri.parse(item, true) : item))
      .filter((item): item is vscode.Uri => item instanceof vscode.Uri);
    const chosen =
      uris.length > 0
        ? uris
        : await vscode.window.showOpenDialog({
            title: vscode.l10n.t("Measure dataset"),
            canSelectMany: true,
            filters: { [vscode.l10n.t("Rollouts")]: ["jsonl", "json", "parquet", "csv", "gz"] },
          });
    if (!chosen || chosen.length === 0) return;
    await documents.openText(
      await withProgress<DocumentReply>(client, vscode.l10n.t("Measuring the dataset"), Requests.measure, {
        uris: chosen.map((uri) => uri.toString()),
      }),
    );
  },
};
