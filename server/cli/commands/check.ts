import { SIMULATED } from "../../report/terminalNumbers";
import { check as operation, type Checked } from "../../operations/check";
import { review } from "../../report/review";
import type { Command } from "../command";
import { reportDiagnostics } from "../configs";
import { FIT_OPTIONS, fitChoice, type Engine } from "../engine";
import { InputError, type ExitCode } from "../io";
import { markdown } from "../../report/print/rows";
import { json, safe } from "../../report/print/terminal";
import { sarif, type Finding } from "../../report/print/sarif";

const FORMATS = ["text", "json", "sarif", "markdown", "github"] as const;
type Format = (typeof FORMATS)[number];

export const check: Command = {
  name: "check",
  usage: "check FILE… [--max-regret POINTS] [--base REF] [--format NAME]",
  summary: "for CI: exits 1 when a split is too far from the best, or a config breaks its framework's rules",
  options: {
    ...FIT_OPTIONS,
    "max-regret": {
      kind: "number",
      value: "POINTS",
      help: "points below the best split above which it is a finding (default 5); only a better split that is sure is one",
    },
    base: {
      kind: "text",
      value: "REF",
      help: "compare with a git revision, or with a folder that holds the older files",
    },
    format: {
      kind: "text",
      value: "NAME",
      help: `${FORMATS.join(", ")}: markdown for a comment, sarif for code scanning, github for annotations`,
    },
    json: { kind: "flag", help: "print the findings as JSON" },
    sarif: { kind: "flag", help: "print the findings as SARIF 2.1.0" },
  },
  examples: [
    "scaling-lens check configs/*.yaml --max-regret 3",
    "scaling-lens check configs/*.yaml --base origin/main --format markdown",
  ],
  async run(engine, args): Promise<ExitCode> {
    if (args.positional.length === 0) throw new InputError("name at least one config");
    const limit = args.number("max-regret");
    if (limit !== undefined && limit < 0) throw new InputError(`--max-regret wants at least 0, not ${limit}`);
    const checked = await operation.run(engine.operating, {
      files: [...args.positional],
      maxRegret: limit,
      base: args.text("base"),
      ...fitChoice(args),
    });
    const bad = checked.configs.map((config) => reportDiagnostics(engine, config)).includes(true);
    const format =
      args.choice("format", FORMATS) ?? (args.flag("sarif") ? "sarif" : args.flag("json") ? "json" : "text");
    PRINT[format](engine, checked);
    return bad ? 2 : checked.findings.length > 0 ? 1 : 0;
  },
};

const PRINT: Readonly<Record<Format, (engine: Engine, checked: Checked) => void>> = {
  json: ({ io, operating }, checked) => io.out(json(operation.json(checked, operating))),
  sarif: ({ io }, { findings }) => io.out(json(sarif(findings))),
  markdown: ({ io }, { reviewed, gone, findings, unjudged, configs }) => {
    const simulated = configs.some(({ assessment: { fit } }) => fit.kind === "ready" && fit.fit.simulated);
    io.out(markdown(review(reviewed, gone, findings, unjudged, simulated)).trimEnd());
  },
  github: ({ io }, { findings }) => findings.forEach((finding) => io.out(annotation(finding))),
  text: ({ io }, { configs, findings, unjudged, maxRegret }) => {
    for (const { file, line, column, code, message } of findings)
      io.out(`${safe(file)}:${line}:${column}: ${code}: ${safe(message)}`);
    for (const { file, experiment, reason } of unjudged)
      io.out(`${safe(file)}: not judged${experiment ? ` (${safe(experiment)})` : ""}: ${safe(reason)}`);
    if (configs.some(({ assessment: { fit } }) => fit.kind === "ready" && fit.fit.simulated)) io.out(SIMULATED);
    io.out(
      `${configs.length} file${configs.length > 1 ? "s" : ""}, ${findings.length} finding${findings.length === 1 ? "" : "s"}, ${unjudged.length} not judged (limit ${maxRegret} points)`,
    );
  },
};

/** A workflow command that GitHub turns into an annotation of the line. */
function annotation({ file, line, column, level, code, message }: Finding): string {
  const data = (text: string) =>
    text.replace(/[%\r\n]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  const property = (text: string) =>
    data(text).replace(/[:,]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `::${level} file=${property(file)},line=${line},col=${column},title=${property(code)}::${data(message)}`;
}
