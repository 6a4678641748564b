import type { MapEntry } from "../tree";
import { nodeOf } from "./hydra";
import { literal, type Word } from "./interpret/value";

const LONG: Readonly<Record<string, string>> = {
  N: "nodes",
  n: "ntasks",
  G: "gpus",
  J: "job-name",
  c: "cpus-per-task",
};

/** What `#SBATCH` lines ask for: as flags `sbatch.NAME`, and as the variables that Slurm then sets. */
export function slurm(text: string): {
  readonly flags: readonly MapEntry[];
  readonly given: ReadonlyMap<string, Word>;
} {
  const flags: MapEntry[] = [];
  const given = new Map<string, Word>();
  const pattern = /^#SBATCH[ \t]+(?:--([\w-]+)|-(\w))(?:=|[ \t]*)([^\s#]*)/gm;
  for (let match = pattern.exec(text); match && flags.length < 100; match = pattern.exec(text)) {
    const name = match[1] ?? LONG[match[2]] ?? match[2];
    const value = match[3];
    const end = match.index + match[0].length;
    const start = end - value.length;
    const word = [literal(value, { span: { start, end }, via: `#SBATCH --${name}` })];
    flags.push({
      key: `sbatch.${name}`,
      keySpan: { start: match.index, end: start },
      value: nodeOf(word, { start, end }, false),
    });
    const gpus =
      name === "gres"
        ? /(?:^|:)gpu(?::[\w.-]+)?:(\d+)$/.exec(value.split(",")[0])?.[1]
        : /^gpus(-per-node|-on-node)?$/.test(name)
          ? /(\d+)$/.exec(value)?.[1]
          : undefined;
    if (name === "nodes" && /^\d+$/.test(value))
      for (const variable of ["SLURM_JOB_NUM_NODES", "SLURM_NNODES"]) given.set(variable, word);
    if (gpus !== undefined && name !== "gpus") {
      const place = { start: end - gpus.length, end };
      for (const variable of ["SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"])
        given.set(variable, [literal(gpus, { span: place, via: `#SBATCH --${name}` })]);
    }
    if (name === "ntasks-per-node") given.set("SLURM_NTASKS_PER_NODE", word);
  }
  return { flags, given };
}
