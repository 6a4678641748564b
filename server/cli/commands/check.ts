import { SIMULATED } from "../../report/terminalNumbers";
import { check as operation, type Checked } from "../../operations/check";
import { plural } from "../../core/numbers";
import { review } from "../../report/review";
import type { Command } from "../command";
import { reportDiagnostics, reportScaling, reportUnread } from "../configs";
import { FIT_OPTIONS, fitChoice, type Engine } from "../engine";
import { InputError, type ExitCode } from "../io";
import { markdown } from "../../report/print/rows";
import { json, safe } from "../../report/print/terminal";
import { sarif, type Finding, type Unjudged } from "../../report/print/sarif";

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
    const format =
      args.choice("format", FORMATS) ?? (args.flag("sarif") ? "sarif" : args.flag("json") ? "json" : "text");
    checked.unread.forEach((one) => reportUnread(engine, one));
    const broken = checked.configs.map((config) => {
      // People read both streams: there, what is wrong with a config is a finding, and said once.
      if (format !== "text" && format !== "github") return reportDiagnostics(engine, config);
      const unread = reportScaling(engine, config);
      return config.assessment.document.diagnostics.some(({ severity }) => severity === "error") || unread;
    });
    const bad = broken.includes(true) || checked.unread.length > 0;
    PRINT[format](engine, checked);
    return bad ? 2 : checked.findings.length > 0 ? 1 : 0;
  },
};

const PRINT: Readonly<Record<Format, (engine: Engine, checked: Checked) => void>> = {
  json: ({ io, operating }, checked) => io.out(json(operation.json(checked, operating))),
  sarif: ({ io }, checked) => io.out(json(sarif(checked.findings, told(checked)))),
  markdown: ({ io }, { reviewed, gone, findings, unjudged, notRead, configs }) => {
    const caveats = [...(isSimulated(configs) ? [SIMULATED] : []), ...notRead.map((one) => `Not read: ${one}`)];
    io.out(markdown(review(reviewed, gone, findings, unjudged, caveats)).trimEnd());
  },
  github: ({ io }, checked) => {
    checked.findings.forEach((finding) => io.out(annotation(finding)));
    for (const { file, experiment, reason, what } of told(checked)) {
      const message = `${experiment ? `${experiment}: ` : ""}${reason}`;
      io.out(annotation({ file, line: 1, column: 1, level: "notice", code: what, message }));
    }
  },
  text: ({ io }, { configs, unread, findings, unjudged, notRead, maxRegret }) => {
    for (const { file, line, column, level, code, message } of findings)
      io.out(`${safe(file)}:${line}:${column}: ${level} ${code}: ${safe(message)}`);
    for (const { file, experiment, reason } of unjudged.filter(
      ({ file: name }) => !unread.some((one) => one.file === name),
    ))
      io.out(`${safe(file)}: not judged${experiment ? ` (${safe(experiment)})` : ""}: ${safe(reason)}`);
    for (const one of notRead) io.out(`not read: ${safe(one)}`);
    if (isSimulated(configs)) io.out(SIMULATED);
    io.out(
      `${plural(configs.length + unread.length, "file")}, ${findings.length} finding${findings.length === 1 ? "" : "s"}, ${unjudged.length} not judged (limit ${maxRegret} points)`,
    );
  },
};

function isSimulated(configs: Checked["configs"]): boolean {
  return configs.some(({ assessment: { fit } }) => fit.kind === "ready" && fit.fit.simulated);
}

/** What is no finding and must be seen: experiments that are not judged, and sources that what is judged lacks. */
function told({ configs, unjudged, notRead }: Checked): readonly Unjudged[] {
  return [
    ...unjudged.map((one) => ({ ...one, what: "not judged" as const })),
    ...notRead.map((reason) => ({ file: configs[0].file, experiment: "", reason, what: "not read" as const })),
  ];
}

/** A workflow command that GitHub turns into an annotation of the line. */
function annotation({
  file,
  line,
  column,
  level,
  code,
  message,
}: Omit<Finding, "level"> & { readonly level: Finding["level"] | "notice" }): string {
  const data = (text: string) =>
    safe(text.replace(/[%\r\n]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`));
  const property = (text: string) =>
    data(text).replace(/[:,]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `::${level} file=${property(file)},line=${line},col=${column},title=${property(code)}::${data(message)}`;
}
