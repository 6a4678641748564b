import { explain as operation } from "../../operations/explain";
import { json, terminal } from "../../report/print/terminal";
import type { Command } from "../command";
import { reportDiagnostics } from "../configs";
import { FIT_OPTIONS, fitChoice } from "../engine";
import { InputError, type ExitCode } from "../io";

export const explain: Command = {
  name: "explain",
  usage: "explain CONFIG [--markdown] [--json]",
  summary: "why: split, cost, law, assumptions, the published recipe and doubts, at length",
  options: {
    ...FIT_OPTIONS,
    experiment: { kind: "text", value: "NAME", help: "one experiment of a file that holds several" },
    markdown: { kind: "flag", help: "print Markdown" },
    json: { kind: "flag", help: "print JSON" },
  },
  async run(engine, args): Promise<ExitCode> {
    if (args.positional.length !== 1) throw new InputError("name one config");
    const found = await operation.run(engine.operating, {
      file: args.positional[0],
      experiment: args.text("experiment"),
      ...fitChoice(args),
    });
    const broken = reportDiagnostics(engine, found.config);
    if (args.flag("json")) engine.io.out(json(operation.json(found, engine.operating)));
    else engine.io.out(args.flag("markdown") ? found.markdown.trimEnd() : terminal(found.markdown));
    return broken ? 2 : 0;
  },
};
