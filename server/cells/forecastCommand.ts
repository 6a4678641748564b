import type { Shown } from "../configs/cells/schema";
import { forecastRuns } from "../core/forecast/runs";
import { resolveSources } from "../operations/globs";
import { lawPrior } from "../operations/forecast";
import { curves } from "../report/figures";
import { calibrationText, forecastTable } from "../report/forecast";
import { markdownTable, plain } from "../report/print/cells";
import type { Span } from "../syntax/text";
import { QueryFailure, type CommandInput, type Part } from "./types";

export const CURVES_SHOWN = new Set<Shown>(["curves"]);

/** Where runs will end: a panel per run, and a table. Runs without a curve are in the table alone. */
export async function forecastCommand({ query, context }: CommandInput, place: Span | undefined): Promise<Part[]> {
  const logs = query.forecast ?? query.fit?.logs ?? context.scaling?.file.logs.map(({ value }) => value) ?? [];
  if (logs.length === 0) throw new QueryFailure('Name run logs with `forecast: "runs/**"`, or in scaling.yaml.', place);
  const base = query.forecast || query.fit?.logs ? context.baseUri : context.folderUri;
  const sources = await resolveSources(context.host, base, logs, context.signal);
  if (sources.length === 0) throw new QueryFailure(`Nothing matches ${logs.join(", ")}.`, place);
  const { table } = await context.jobs.run(
    {
      kind: "read-runs",
      folderUri: context.folderUri,
      sources,
      ...(context.scaling && { scalingText: context.scaling.text }),
    },
    context.onProgress,
    context.signal,
  );
  const price = context.scaling?.file.hardware.price?.value;
  const found = forecastRuns(table, {
    law: lawPrior(await context.defaultFit()),
    ...(price !== undefined && { usdPerGpuHour: price }),
  });
  if (found.length === 0) throw new QueryFailure(`No run was found in ${logs.join(", ")}.`, place);
  const simulated = table.rows.some((row) => row.simulated);
  const payload = curves(found, simulated, { link: `curves ${logs.join(" ")}` });
  const { head, rows } = forecastTable(found);
  return [
    ...(found.some(({ points }) => points.length > 0) ? [{ kind: "figure" as const, payload }] : []),
    {
      kind: "table",
      text: payload.text,
      markdown: `${markdownTable(head, rows)}\n\n${plain(calibrationText(found))}`,
    },
  ];
}
