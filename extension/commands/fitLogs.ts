import * as vscode from "vscode";
import { Requests, type FitParams, type FitReply, type ScanReply } from "../../server/protocol";
import { withProgress } from "../progress";
import { folderOf, tell, type Command, type Tools } from "./command";

/** Scripts and tests give what a person would be asked for. */
interface Given {
  readonly sources?: readonly string[];
  readonly out?: string;
  readonly use?: boolean;
  readonly law?: string;
}

/** Shows which runs were found and which were skipped, then fits; saves only where asked to. */
export const fitLogs: Command = {
  id: "scalingLens.fitLogs",
  title: "Fit scaling laws from run logs",
  when: "workspaceFolderCount > 0",
  async run(tools, target, given) {
    const uri = folderOf(target);
    if (!uri) return undefined;
    const asked = typeof given === "object" && given !== null ? (given as Given) : undefined;
    const folder = { uri: uri.toString() };
    let sources = asked?.sources;
    let scan = await tools.client.ask<ScanReply>(Requests.scanLogs, { ...folder, sources });
    if (scan.sources.length === 0 && !asked) {
      sources = await askForSources();
      if (!sources) return undefined;
      scan = await tools.client.ask<ScanReply>(Requests.scanLogs, { ...folder, sources });
    }
    await tools.documents.openText(scan.document);
    if (scan.found.length === 0) {
      tell(vscode.l10n.t("No runs with a success rate were found; the run table says what was skipped and why."));
      return undefined;
    }
    const plan = asked ?? (await askWhatToDo(scan));
    if (!plan) return undefined;
    return fit(tools, { ...folder, sources, law: plan.law, out: plan.out, use: plan.use });
  },
};

async function fit(tools: Tools, params: FitParams): Promise<FitReply> {
  const reply = await withProgress<FitReply>(
    tools.client,
    vscode.l10n.t("Fitting scaling laws"),
    Requests.fitLogs,
    params,
  );
  if (reply.edit) {
    const edit = await (await tools.client.get()).protocol2CodeConverter.asWorkspaceEdit(reply.edit);
    await vscode.workspace.applyEdit(edit);
    // The fit was asked to be used: an unsaved scaling.yaml would not be read.
    for (const [uri] of edit.entries()) await (await vscode.workspace.openTextDocument(uri)).save();
  }
  await tools.documents.openText(reply.document);
  tell(reply.message);
  return reply;
}

async function askForSources(): Promise<string[] | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Fit scaling laws from run logs"),
    value: "runs/**",
    prompt: vscode.l10n.t(
      "Folders, globs or tables of runs, relative to the workspace folder; several are separated by commas",
    ),
  });
  const sources = text
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return sources && sources.length > 0 ? sources : undefined;
}

async function askWhatToDo(scan: ScanReply): Promise<Given | undefined> {
  const title = vscode.l10n.t("{0} runs found, {1} notes", scan.found.length, scan.skipped.length);
  const items: (vscode.QuickPickItem & { plan: "use" | "save" | "try" })[] = [
    {
      label: vscode.l10n.t("Fit, save and use"),
      detail: vscode.l10n.t("Writes a *.fit.json and names it in scaling.yaml"),
      plan: "use",
    },
    { label: vscode.l10n.t("Fit and save"), detail: vscode.l10n.t("Writes a *.fit.json"), plan: "save" },
    {
      label: vscode.l10n.t("Fit without saving"),
      detail: vscode.l10n.t("In force until the window is closed"),
      plan: "try",
    },
  ];
  const picked = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true });
  if (!picked) return undefined;
  if (picked.plan === "try") return {};
  const out = await vscode.window.showInputBox({
    title: vscode.l10n.t("Save the fit as"),
    value: "fits/runs.fit.json",
    validateInput: (text) => (/\.fit\.json$/.test(text) ? undefined : vscode.l10n.t("The name ends in .fit.json")),
  });
  return out ? { out, use: picked.plan === "use" } : undefined;
}
