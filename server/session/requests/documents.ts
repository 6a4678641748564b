import { assessDocument } from "../../assessment/assess";
import { difference } from "../../assessment/difference";
import { InputError } from "../../operations/inputError";
import { ledgerOf } from "../../operations/ledger";
import { comparison, type ComparedExperiment } from "../../report/compare";
import { explainView } from "../../report/explainView";
import { explanation } from "../../report/experiment";
import { ledgerSection } from "../../report/ledger";
import {
  Requests,
  type CompareParams,
  type DocumentReply,
  type ExplainParams,
  type ExplainReply,
} from "../../protocol";
import { handler, type Tools } from "./types";

export function fileName(uri: string): string {
  const last = uri.split("/").pop() ?? uri;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

async function judged(tools: Tools, uri: string) {
  const found = await tools.model(uri);
  if (!found?.model.assessment) return null;
  const { model, folder, settings } = found;
  const assessment = assessDocument(found.model.assessment.document, uri, folder.scaling, folder.fit, {
    recommend: settings.recommendation,
    thorough: true,
  });
  return { model, folder, assessment };
}

export const explain = handler<ExplainParams, ExplainReply>(Requests.explain, async (tools, { uri, experiment }) => {
  const file = fileName(uri);
  const found = await judged(tools, uri);
  if (!found) return { title: file, markdown: "No budget was recognised in this document.\n", views: [] };
  const wanted = found.assessment.experiments.filter(
    ({ budget }) => experiment === undefined || budget.name === experiment,
  );
  const shown = wanted.length > 0 ? wanted : found.assessment.experiments;
  const texts = shown.map((one) => explanation(file, one, found.folder.fit));
  const record = await ownRecord(tools, found.folder.uri);
  return {
    title: file,
    markdown:
      texts.length > 0 ? `${texts.join("\n---\n\n")}${record}` : "No experiment was recognised in this document.\n",
    views: shown.map((one, i) => {
      const view = explainView(uri, file, one, found.folder.fit);
      return i === shown.length - 1 ? { ...view, details: `${view.details}\n${record}` } : view;
    }),
  };
});

/** How far this team's earlier predictions held, where it keeps a ledger. A damaged one is said, and costs no answer. */
async function ownRecord({ session }: Tools, folderUri: string): Promise<string> {
  try {
    const calibration = await ledgerOf(session.host, folderUri);
    return calibration ? ledgerSection(calibration) : "";
  } catch (error) {
    if (error instanceof InputError) return `\nThe ledger of predictions was not read: ${error.message}.\n`;
    throw error;
  }
}

export const compare = handler<CompareParams, DocumentReply>(Requests.compare, async (tools, { uris }) => {
  const compared: ComparedExperiment[] = [];
  for (const uri of uris) {
    const found = await judged(tools, uri);
    for (const experiment of found?.assessment.experiments ?? []) {
      compared.push({
        file: fileName(uri),
        fit: found?.folder.fit ?? { kind: "none", reason: "" },
        experiment,
        difference: compared.length === 0 ? null : difference(compared[0].experiment, experiment),
      });
    }
  }
  const markdown =
    compared.length === 0
      ? "# Compared allocations\n\nNone of these documents holds a budget that is recognised.\n"
      : comparison(compared);
  return { title: "Compared allocations", markdown };
});
