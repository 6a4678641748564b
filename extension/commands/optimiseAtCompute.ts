import * as vscode from "vscode";
import { textOf, type Command } from "./command";
import { optimise } from "./optimise";

export const optimiseAtCompute: Command = {
  id: "scalingLens.optimiseAtCompute",
  title: "Optimise for a given compute…",
  when: "scalingLens.hasBudget",
  async run(tools, target, experiment, given) {
    const amount =
      textOf(given) ??
      (await vscode.window.showInputBox({
        title: vscode.l10n.t("Optimise for a given compute"),
        prompt: vscode.l10n.t("An amount with its unit"),
        placeHolder: "3e19 FLOPs, 60 GPU-hours, $150",
        validateInput: (text) =>
          /\d/.test(text) && /(flops?|gpu[\s-]*(h|hrs?|hours?)|usd|dollars?|\$)\s*$|^\s*(us)?\$/i.test(text)
            ? undefined
            : vscode.l10n.t("Give a number with FLOPs, GPU-hours or USD."),
      }));
    return amount
      ? optimise(tools, target, { experiment: textOf(experiment), mode: { kind: "compute", amount } })
      : false;
  },
};
