import * as vscode from "vscode";
import { Requests, type CalibrateParams, type FitReply } from "../../server/protocol";
import { documentOf, tell, textOf, type Command } from "./command";

/** The published recipe, calibrated by the measured success of one run; every figure is then marked "prior". */
export const calibrate: Command = {
  id: "scalingLens.calibrate",
  async run({ client }, target, experiment, given) {
    const uri = documentOf(target);
    if (!uri) return undefined;
    await vscode.workspace.openTextDocument(uri);
    const percent = typeof given === "number" ? given : percentOf((await ask()) ?? "");
    if (!Number.isFinite(percent)) return undefined;
    const params: CalibrateParams = { uri: uri.toString(), experiment: textOf(experiment), successRate: percent / 100 };
    const reply = await client.ask<FitReply>(Requests.calibrate, params);
    tell(reply.message);
    return reply;
  },
};

/** `0.42`, `42` and `42 %` are the same success rate. */
function percentOf(text: string): number {
  const value = text.trim() === "" ? NaN : Number(text.replace("%", "").replace(",", "."));
  return text.includes("%") || value > 1 ? value : 100 * value;
}

function ask(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t("Calibrate the published recipe with one run"),
    prompt: vscode.l10n.t("Measured success of a run with this budget, in percent (mean of its last evaluations)"),
    placeHolder: "58",
    validateInput: (text) => {
      const value = percentOf(text);
      return value > 0 && value < 100 ? undefined : vscode.l10n.t("A percentage between 0 and 100");
    },
  });
}
