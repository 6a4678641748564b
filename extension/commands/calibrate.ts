import * as vscode from "vscode";
import { Requests, type CalibrateParams, type FitReply } from "../../server/protocol";
import { budgetOf, tell, textOf, type Command } from "./command";

/** The published recipe, calibrated by the measured success of one run; every figure is then marked "prior". */
export const calibrate: Command = {
  id: "scalingLens.calibrate",
  title: "Calibrate with one run (published recipe)",
  when: "scalingLens.hasBudget",
  async run({ client }, target, experiment, given) {
    const uri = await budgetOf(target);
    if (!uri) return undefined;
    await vscode.workspace.openTextDocument(uri);
    const percent = typeof given === "number" ? given : percentOf((await ask()) ?? "");
    if (percent === undefined) return undefined;
    const params: CalibrateParams = { uri: uri.toString(), experiment: textOf(experiment), successRate: percent / 100 };
    const reply = await client.ask<FitReply>(Requests.calibrate, params);
    tell(reply.message);
    return reply;
  },
};

/** `42 %`, `42` and `0.42` are the same success rate; a number below 1 without a percent sign is a share. In percent. */
function percentOf(text: string): number | undefined {
  const match = /^\s*(\d*[.,]?\d+)\s*(%?)\s*$/.exec(text);
  if (!match) return undefined;
  const value = Number(match[1].replace(",", "."));
  const percent = match[2] === "" && value < 1 ? 100 * value : value;
  return percent > 0 && percent < 100 ? percent : undefined;
}

function ask(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t("Calibrate the published recipe with one run"),
    prompt: vscode.l10n.t(
      "Measured success of a run with this budget, as a percentage or a share (mean of its last evaluations)",
    ),
    placeHolder: "42 %, 42 or 0.42",
    validateInput: (text) =>
      percentOf(text) === undefined ? vscode.l10n.t("A success rate: 42 %, 42 or 0.42") : undefined,
  });
}
