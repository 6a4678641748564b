import { ledger as operation } from "../../operations/ledger";
import { ledgerText } from "../../report/ledger";
import { json, safe } from "../../report/print/terminal";
import type { Command } from "../command";
import { FIT_OPTIONS } from "../engine";
import type { ExitCode } from "../io";
import { RUN_OPTIONS } from "../sources";

export const ledger: Command = {
  name: "ledger",
  usage: "ledger [FOLDER] [--record RUNS…] [--json]",
  summary: "how often your own predictions held; --record writes down what is predicted of runs that are on",
  options: {
    ...RUN_OPTIONS,
    ...FIT_OPTIONS,
    record: {
      kind: "text",
      value: "RUNS",
      many: true,
      help: "a folder of runs: their predictions and outcomes go into FOLDER/.scaling-lens/predictions.jsonl",
    },
    json: { kind: "flag", help: "print JSON" },
  },
  async run(engine, args): Promise<ExitCode> {
    const record = [...args.texts("record")];
    const found = await operation.run(engine.operating, {
      folder: args.positional[0] ?? ".",
      ...(record.length > 0 && { record }),
      scaling: args.text("scaling"),
      fit: args.text("fit"),
      law: args.text("law"),
      seed: args.number("seed"),
    });
    if (args.flag("json")) engine.io.out(json(operation.json(found, engine.operating)));
    else {
      if (record.length > 0) engine.io.out(`${found.written} lines written to ${safe(engine.shown(found.file))}`);
      engine.io.out(ledgerText(found.calibration));
    }
    return 0;
  },
};
