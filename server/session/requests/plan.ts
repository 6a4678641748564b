import { planFor } from "../../operations/plan";
import { planDocument } from "../../report/plan";
import { escape } from "../../report/print/markdown";
import { Requests, type DocumentReply, type ExplainParams } from "../../protocol";
import { fileName } from "./documents";
import { handler } from "./types";

export const plan = handler<ExplainParams, DocumentReply>(Requests.plan, async ({ model }, { uri, experiment }) => {
  const title = "Next runs";
  const found = await model(uri);
  const experiments =
    found?.model.assessment?.experiments.filter(
      ({ budget }) => experiment === undefined || budget.name === experiment,
    ) ?? [];
  if (!found || experiments.length === 0)
    return {
      title,
      markdown: "# Next runs\n\nOpen a budget or a config first: runs are planned around an experiment.\n",
    };
  const texts = experiments.map((one) => {
    const name = one.budget.name === "" ? fileName(uri) : one.budget.name;
    const planned = planFor(one, found.folder.scaling);
    return planned.ok
      ? planDocument(name, planned.value)
      : `# Next runs for ${escape(name)}\n\nNo plan can be made: ${escape(planned.problem.message)}\n`;
  });
  return { title, markdown: texts.join("\n---\n\n") };
});
