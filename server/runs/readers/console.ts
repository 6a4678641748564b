import { messageOf, openBytes, ReadFault } from "../bytes";
import type { FoundFile } from "../files";
import { readLines } from "../lines";
import type { Interest, RunMetrics } from "../series";
import { consoleRow, withoutColours } from "./consoleText";
import { FlatRows, unwrapRow } from "./flat";
import type { LogReader, Probe, ReadContext } from "./reader";

const EVIDENCE = /step:\s*\d+\s+-\s+\S+:|\{['"][\w/@.-]+['"]:\s*(?:np\.)?[\w.-]+/;

/** W&B's own logs, and lists of packages. */
const OTHERS = /^(debug(-\w+)*\.log|requirements.*\.txt|readme.*|licen[cs]e.*)$/;

/**
 * What a trainer prints, teed into a file: verl, verl-agent and RAGEN (`step:31 - critic/score/mean:0.8 - …`), and those
 * that print a dict or JSON a step (TRL, ROLL). Colours, Ray's prefixes, progress bars and other lines are passed over.
 */
export const consoleLog: LogReader = {
  id: "console-1",
  title: "console text",
  parts: false,
  recognises(probe) {
    if (!isTextName(probe) || OTHERS.test(probe.name) || !probe.isText()) return false;
    // A .log is one by its name; anything else must show a logged step at its beginning.
    return /\.log(\.\d+)?$/.test(probe.name) || EVIDENCE.test(withoutColours(probe.text()));
  },
  async read(files, context) {
    const rows = new FlatRows(context);
    for (const file of files) await readConsole(file, context, rows);
    return rows.runs.filter((run) => run.series.size > 0 || run.names.size > 0);
  },
};

function isTextName({ name }: Probe): boolean {
  return /\.(log|txt|out|err)(\.\d+)?$/.test(name) || /^(nohup|stdout|stderr|output|console|log)$/.test(name);
}

function isSuccess(interest: Interest): boolean {
  return interest === "evaluation" || interest === "training";
}

async function readConsole(file: FoundFile, context: ReadContext, rows: FlatRows): Promise<void> {
  const { notes, signal } = context;
  let found = 0;
  const logged: { run?: RunMetrics } = {};
  const take = (text: string, number: number, ended: boolean) => {
    const row = consoleRow(text, ended);
    if (!row) return;
    if (row.step === undefined) {
      // Configs, samples and tool calls are printed as dicts too: only one with a success metric is a logged row.
      if (!Object.keys(row.values).some((key) => isSuccess(context.wants(key)))) return;
      found++;
      rows.add(unwrapRow(row.values), number, file);
      return;
    }
    found++;
    logged.run ??= rows.run("");
    logged.run.addRow(row.values, row.step, number);
    if (!ended) notes.warn("log.truncated", `The last line (${number}) has no line end: its last value may be cut short and was left out.`, { file: file.uri, line: number, column: text.length });
  };
  try {
    await readLines(openBytes(context.host, file.uri, signal, context.onBytes), {
      line(line, number, ended) {
        // A progress bar overwrites its line with carriage returns; what was logged between stands after one of them.
        if (!line.includes("\r")) take(line, number, ended);
        else for (const part of line.split("\r")) take(part, number, ended);
      },
      tooLong: (at) => notes.error("log.long-line", `Line ${at} is longer than 32 MiB and was left out.`, { file: file.uri, line: at }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    notes.error(error instanceof ReadFault ? error.code : "log.unreadable", messageOf(error), { file: file.uri });
  }
  if (found === 0) notes.inform("log.no-metrics", "No line of this text holds logged metrics.", { file: file.uri });
}
