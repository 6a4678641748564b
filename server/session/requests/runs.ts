import { shownSource } from "../../host";
import { whyNoFitAt } from "../../operations/saveFit";
import { measureReport } from "../../report/measure";
import type { WorkDoneProgressReporter } from "vscode-languageserver";
import { scalingChanges } from "../../configs/scaling/scalingEdits";
import type { JobProgress } from "../../operations/jobs";
import { passRatesOf } from "../../report/measure";
import { joined, pathWithin } from "../../syntax/uris";
import { plural } from "../../core/numbers";
import { fitReport } from "../../report/fit";
import { runTableDocument } from "../../report/runs";
import {
  Requests,
  type DocumentReply,
  type FitParams,
  type FitReply,
  type MeasureParams,
  type ScanParams,
  type ScanReply,
} from "../../protocol";
import type { Project } from "../project";
import { scalingEdit, scalingNow } from "../scalingEdit";
import { handler, signalOf } from "./types";

function sourcesOf(project: Project, asked: readonly string[] | undefined): readonly string[] {
  return asked && asked.length > 0 ? asked : (project.scaling?.file.logs.map(({ value }) => value) ?? []);
}

function relativeTo(folderUri: string): (uri: string) => string {
  return (uri) => pathWithin(folderUri, uri) ?? uri;
}

export function reporting(progress: WorkDoneProgressReporter | null): (progress: JobProgress) => void {
  return ({ label, share }) => progress?.report(Math.round(100 * share), label);
}

export const scanLogs = handler<ScanParams, ScanReply>(
  Requests.scanLogs,
  async ({ session }, params, token, progress) => {
    const project = await session.projectOf(params.uri);
    const sources = sourcesOf(project, params.sources);
    if (sources.length === 0)
      return {
        sources,
        found: [],
        skipped: [],
        document: { title: "Run table", markdown: "# Run table\n\nNo source of run logs is named.\n" },
      };
    const { table } = await session.jobs.run(
      { kind: "read-runs", folderUri: project.folderUri, sources, scalingText: project.scaling?.text },
      reporting(progress),
      signalOf(token),
    );
    return {
      sources,
      found: table.rows.map(({ id, setting, outcome, simulated }) => ({
        id,
        setting,
        simulated: simulated === true,
        successRate:
          outcome.kind === "rate"
            ? outcome.rate
            : outcome.kind === "counts"
              ? outcome.successes / outcome.trials
              : null,
      })),
      skipped: table.notes.map(({ code, message, file, line }) => ({ code, message, file, line })),
      document: { title: "Run table", markdown: runTableDocument(table, sources, relativeTo(project.folderUri)) },
    };
  },
);

export const fitLogs = handler<FitParams, FitReply>(
  Requests.fitLogs,
  async ({ session, log }, params, token, progress) => {
    const project = await session.projectOf(params.uri);
    const settings = await session.settingsOf(project.folderUri);
    const sources = sourcesOf(project, params.sources);
    const law =
      params.law ?? (settings.fit.law !== "auto" ? settings.fit.law : (project.scaling?.file.law?.value ?? "auto"));
    const { table, fit } = await session.jobs.run(
      {
        kind: "fit",
        folderUri: project.folderUri,
        sources,
        scalingText: project.scaling?.text,
        options: { law, bootstrap: settings.fit.bootstrap },
      },
      reporting(progress),
      signalOf(token),
    );
    const runs = runTableDocument(table, sources, relativeTo(project.folderUri));
    if (!fit.ok) {
      log.warn(`No fit: ${fit.problem.code}: ${fit.problem.message}`);
      return { ok: false, message: `No fit: ${fit.problem.message}`, document: { title: "Run table", markdown: runs } };
    }
    const name = sources.map(shownSource).join(", ");
    const done = `The ${fit.value.law} law was fitted to ${plural(fit.value.rows, "run")}.`;
    const document: DocumentReply = { title: "Fit", markdown: `${fitReport(fit.value, name)}\n---\n\n${runs}` };
    if (!params.out) {
      project.override(fit.value, name);
      return { ok: true, message: `${done} It is in force until the window is closed.`, document };
    }
    const write = session.host.writeFile?.bind(session.host);
    if (!write) {
      project.override(fit.value, name);
      return { ok: true, message: `${done} It could not be saved: nothing may be written here.`, document };
    }
    const out = joined(project.folderUri, params.out);
    const why = await whyNoFitAt(session.host, out);
    if (why !== undefined) {
      project.override(fit.value, name);
      return { ok: true, message: `${done} It was not saved as ${params.out}: ${why}.`, document };
    }
    await write(out, new TextEncoder().encode(`${JSON.stringify(fit.value, null, 1)}\n`));
    project.override(fit.value, params.out);
    if (!params.use) return { ok: true, message: `${done} Saved as ${params.out}.`, document };
    const now = await scalingNow(session, project.scalingUri);
    const changes =
      now.text === null
        ? [{ span: { start: 0, end: 0 }, newText: `fit: ${params.out}\n` }]
        : scalingChanges(now.text, { kind: "set", key: "fit", value: params.out });
    const edit = scalingEdit(project.scalingUri, now, changes);
    return {
      ok: true,
      message: `${done} Saved as ${params.out} and named in scaling.yaml.`,
      document,
      ...(edit && { edit }),
    };
  },
);

export const measure = handler<MeasureParams, DocumentReply>(
  Requests.measure,
  async ({ session }, { uris }, token, progress) => {
    const { measure: measured } = await session.jobs.run(
      { kind: "measure", uris },
      reporting(progress),
      signalOf(token),
    );
    // Hovers on the group size can then say what the tasks' own pass rates mean for it.
    if (measured.passRates && uris.length > 0) (await session.projectOf(uris[0])).measured(passRatesOf(measured));
    return { title: "Measured dataset", markdown: measureReport(measured) };
  },
);
