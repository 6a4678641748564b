import { capitalised, count } from "../core/numbers";
import type { DocumentModel, LiveView } from "../features/model";
import type { StatusParams } from "../protocol";
import { forecastLine } from "../report/forecast";
import type { FolderView } from "./folders";

/** What the language status item says of a document. */
export function statusOf(model: DocumentModel, folder: FolderView, live: LiveView = () => null): StatusParams {
  const { uri, fit } = model;
  if (folder.busy)
    return {
      uri,
      state: "busy",
      text: "Scaling Lens: fitting",
      detail: `${folder.busy.label} (${Math.round(100 * folder.busy.share)} %)`,
    };
  if (model.experiments.some(({ stale }) => stale)) {
    return {
      uri,
      state: "stale",
      text: "Scaling Lens: last good values",
      detail: "The document has a syntax error; what is shown was true before it.",
    };
  }
  if (model.limited) {
    return {
      uri,
      state: "limited",
      text: "Scaling Lens: large file",
      detail: "Above 200 KB only the lens and hovers are shown.",
    };
  }
  const runs = model.experiments.flatMap((experiment) => live(experiment) ?? []);
  if (runs.length > 0 && fit.kind !== "pending") {
    const running = runs.filter(({ state }) => state === "running").length;
    const said = runs.map((run) => `${runs.length > 1 ? `${run.run}: ` : ""}${forecastLine(run)}`).join("; ");
    return {
      uri,
      state: "idle",
      text: running > 0 ? `${count(running)} ${running === 1 ? "run" : "runs"} live` : runs[0].state,
      detail: `${said}. ${runs[0].advice.reasons.map(({ message }) => message).join(" ")}`,
    };
  }
  switch (fit.kind) {
    case "none":
      return { uri, state: "no-fit", text: "No scaling fit", detail: sentence(fit.reason) };
    case "pending":
      return { uri, state: "busy", text: "Scaling Lens: fitting", detail: sentence(fit.reason) };
    case "failed":
      return { uri, state: "error", text: "Scaling fit failed", detail: sentence(fit.reason) };
    case "ready": {
      const { law, runs, name, simulated, prior, file } = fit.fit;
      const kind = prior
        ? "published recipe, prior"
        : `${law.law} · ${count(runs)} ${runs === 1 ? "run" : "runs"}${simulated ? ", simulated" : ""}`;
      const warnings =
        file.warnings.length > 0
          ? ` ${file.warnings.length === 1 ? "One warning" : `${file.warnings.length} warnings`}: ${file.warnings[0].message}`
          : "";
      return { uri, state: "idle", text: kind, detail: `The ${law.law} law from ${name}.${warnings}` };
    }
  }
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return trimmed === "" ? "" : capitalised(trimmed) + (/[.!?]$/.test(trimmed) ? "" : ".");
}
