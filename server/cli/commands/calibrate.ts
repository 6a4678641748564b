import { calibrate as operation } from "../../operations/calibrate";
import { axisWord } from "../../core/axes";
import { list, percent } from "../../core/numbers";
import { json, safe } from "../../report/print/terminal";
import { EXPERIMENT } from "../engine";
import type { Command } from "../command";
import { InputError, type ExitCode } from "../io";

export const calibrate: Command = {
  name: "calibrate",
  usage: "calibrate CONFIG --success RATE [--trials N] [--out FILE.fit.json]",
  summary: "the published recipe as a fit file, its level set by one run's measured success",
  options: {
    success: { kind: "text", value: "RATE", help: "measured success of a run with this budget: 0.42, 42 or '42 %'" },
    trials: { kind: "count", value: "N", help: "distinct evaluation tasks behind it" },
    out: { kind: "text", value: "FILE", help: "where to write it (default: the config's name with .fit.json)" },
    ...EXPERIMENT,
    seed: { kind: "count", value: "N", help: "seed of the draws (default 1)" },
    json: { kind: "flag", help: "print JSON" },
  },
  async run(engine, args): Promise<ExitCode> {
    const config = args.only("config");
    const success = args.text("success");
    if (success === undefined) throw new InputError("say the measured success with --success 42");
    const trials = args.number("trials");
    if (trials === 0) throw new InputError("--trials wants at least 1 evaluation task");
    const done = await operation.run(engine.operating, {
      file: config,
      success,
      trials,
      out: args.text("out"),
      experiment: args.text("experiment"),
      seed: args.number("seed"),
    });
    if (args.flag("json")) engine.io.out(json(operation.json(done, engine.operating)));
    else {
      engine.io.out(
        `${safe(config)}: the published recipe, calibrated at ${percent(done.success)} success; every exponent is a prior`,
      );
      if (done.missing.length > 0)
        engine.io.out(
          `${list(done.missing.map(axisWord))}: unknown in this config, so that the fit says nothing of more or less of them; facts in scaling.yaml can state them`,
        );
      engine.io.out(
        `saved ${safe(done.saved)}${done.kept === null ? "" : `; what stood there is in ${safe(done.kept)}`}`,
      );
      engine.io.out(`use it with --fit ${safe(done.saved)}, or as \`fit:\` in scaling.yaml`);
    }
    return 0;
  },
};
