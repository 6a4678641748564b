import { explain as operation } from "../../operations/explain";
import { json, terminal } from "../../report/print/terminal";
import type { Command } from "../command";
import { reportDiagnostics } from "../configs";
import { EXPERIMENT, FIT_OPTIONS, fitChoice } from "../engine";
import type { ExitCode } from "../io";

export const explain: Command = {
  name: "explain",
  usage: "explain CONFIG [--markdown] [--json]",
  summary: "why: split, cost, law, assumptions, the published recipe and doubts, at length",
  options: {
    ...FIT_OPTIONS,
    ...EXPERIMENT,
    markdown: { kind: "flag", help: "print Markdown" },
    json: { kind: "flag", help: "print JSON" },
  },
  async run(engine, args): Promise<ExitCode> {
    const found = await operation.run(engine.operating, {
      file: args.only("config"),
      experiment: args.text("experiment"),
      ...fitChoice(args),
    });
    const broken = reportDiagnostics(engine, found.config);
    if (args.flag("json")) engine.io.out(json(operation.json(found, engine.operating)));
    else engine.io.out(args.flag("markdown") ? found.markdown.trimEnd() : terminal(found.markdown));
    return broken ? 2 : 0;
  },
};
