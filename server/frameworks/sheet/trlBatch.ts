import { isKnown, known, unknown, type FrameworkRule } from "../../budget/budget";
import type { Span } from "../../syntax/text";
import { rules } from "./common";
import type { Config } from "./config";
import type { Read } from "./sheet";
import { byDefault, combined, first, number, times } from "./reads";

/** What GRPO trainers of the TRL family share: the batch counts completions, over devices, processes and accumulation. */
export interface TrlBatch {
  readonly perDevice: Read<number>;
  readonly processes: Read<number>;
  readonly accumulation: Read<number>;
  readonly stepsPerGeneration: Read<number>;
  readonly generationBatch: Read<number>;
  readonly generations: Read<number>;
  /** Updates of one generation (`num_iterations`). */
  readonly iterations?: Read<number>;
}

/** Completions generated at once: stated, or per device × processes × steps per generation (by default the accumulation). */
export function completions(batch: TrlBatch): Read<number> {
  return first(
    batch.generationBatch,
    times(batch.perDevice, batch.processes, first(batch.stepsPerGeneration, batch.accumulation)),
  );
}

/**
 * Prompts per optimiser step: the mean, so that steps × prompts are the prompts of the run. By default each step generates
 * its own. One generation serves `steps_per_generation` × `num_iterations` micro-steps, of which a step has as many as it
 * accumulates, so that a step may have less than one prompt.
 */
export function prompts(batch: TrlBatch): Read<number> {
  const generated = combined([completions(batch), batch.generations], ([all, n]) => all / n, " completions / ");
  return (config) => {
    const whole = generated(config);
    if (!whole || !isKnown(whole)) return whole;
    if (!Number.isInteger(whole.value)) {
      const made = `${whole.note ?? whole.value}`;
      return unknown(
        isAssumed(batch, config)
          ? `how many processes are started is not known here, and the completions of one do not divide by the group size: ${made}`
          : `the completions do not divide by the group size, so the run would not start: ${made}`,
      );
    }
    const iterations = batch.iterations?.(config) ?? known(1, "default");
    if (!isKnown(iterations)) return iterations;
    const reused = Math.max(1, iterations.value);
    const mean = statesGeneration(batch, config)
      ? combined(
          [times(batch.perDevice, batch.processes, batch.accumulation), batch.generations],
          ([all, n]) => all / (n * reused),
          " completions a step / ",
        )(config)
      : ({ ...whole, value: whole.value / reused } as const);
    if (!mean || !isKnown(mean)) return mean;
    const fact = reused > 1 ? { ...mean, note: `${mean.note ?? mean.value} / ${reused} updates of each` } : mean;
    return fact.source === "default" && reused === 1 ? fact : { ...fact, source: "derived", ...placeOf(batch, config) };
  };
}

/** The generation is stated apart from the step, and the processes say how many steps it serves. */
function statesGeneration(batch: TrlBatch, config: Config): boolean {
  if (batch.stepsPerGeneration(config) !== undefined) return true;
  const processes = batch.processes(config);
  return (
    batch.generationBatch(config) !== undefined &&
    processes !== undefined &&
    isKnown(processes) &&
    processes.source !== "default"
  );
}

/** The completions rest on a number of processes that nothing here states. */
function isAssumed(batch: TrlBatch, config: Config): boolean {
  const processes = batch.processes(config);
  return (
    batch.generationBatch(config) === undefined && (!processes || !isKnown(processes) || processes.source === "default")
  );
}

/** Where the batch stands: what one would look at to see how the prompts come about. */
function placeOf(batch: TrlBatch, config: Config): { readonly span?: Span; readonly file?: string } {
  const fact = [batch.generationBatch, batch.perDevice, batch.accumulation]
    .map((read) => read(config))
    .find((one) => one !== undefined && isKnown(one) && one.span !== undefined);
  return fact && isKnown(fact) && fact.span ? { span: fact.span, ...(fact.file ? { file: fact.file } : {}) } : {};
}

export function trlRules(batch: TrlBatch, config: Config): FrameworkRule[] {
  const all = completions(batch)(config);
  // With more processes than are stated here the completions may well divide.
  const assumed = isAssumed(batch, config);
  return [
    rules.groupAtLeastTwo(
      "num_generations must be at least 2: advantages compare the completions of a prompt with each other",
    ),
    {
      id: "trl-generation-batch",
      code: "batch.indivisible",
      message:
        "the completions per generation (per device × processes × accumulation, or generation_batch_size) must divide by num_generations",
      holds: ({ groupSize: n }) => (all && isKnown(all) && n ? all.value % n === 0 || (assumed ? null : false) : null),
    },
  ];
}

export const PROMPTS_HELP =
  "`per_device_train_batch_size` counts **completions** on one device, not prompts. Prompts per generation = per device × processes × steps per generation (gradient accumulation unless set) / num_generations; `generation_batch_size` states the completions instead.";

const LAUNCHERS = /(^|\/)(accelerate|torchrun|deepspeed)$/;

/** Processes that a launch script starts; one where nothing says more, unknown where another file or machine decides. */
export const launchedProcesses: Read<number> = (config) => {
  const stated = first(
    number(["--launcher.num-processes", "--launcher.num_processes"]),
    times(
      number(["--launcher.nproc-per-node", "--launcher.nproc_per_node"]),
      first(number("--launcher.nnodes"), byDefault(1, "torchrun")),
    ),
    number("--launcher.num-gpus"),
    included,
    times(number("--env.NPROC_PER_NODE"), first(number("--env.NNODES"), byDefault(1, "torchrun"))),
  )(config);
  if (stated) return stated;
  const program = config.variant.command?.program ?? "";
  if (LAUNCHERS.test(program)) return unknown(`\`${program}\` decides the number of processes outside this file`);
  return known(1, "default", { note: "assumed: one process, for no launcher is known here; more multiply it" });
};

/** `deepspeed --include localhost:0,1,2,3`. */
function included(config: Config): ReturnType<Read<number>> {
  const node = config.find("--launcher.include")?.node;
  const devices = node?.kind === "scalar" ? /^localhost:(\d+(?:,\d+)*)$/.exec(String(node.value)) : null;
  return node && devices
    ? known(devices[1].split(",").length, "config", { span: node.span, note: "devices of --include" })
    : undefined;
}

/** Devices that a script makes visible, or the processes that it starts. */
export const launchedGpus: Read<number> = (config) => {
  const processes = launchedProcesses(config);
  if (processes && isKnown(processes) && processes.source !== "default") return processes;
  const node = config.find("--env.CUDA_VISIBLE_DEVICES")?.node;
  const ids =
    node?.kind === "scalar"
      ? String(node.value)
          .split(",")
          .filter((id) => id.trim() !== "")
      : [];
  if (node && ids.length > 0 && ids.every((id) => /^\s*\d+\s*$/.test(id)))
    return known(new Set(ids).size, "config", { span: node.span, note: "devices in CUDA_VISIBLE_DEVICES" });
  const job = jobGpus(config);
  if (job) return job;
  return processes && !isKnown(processes) ? processes : undefined;
};

/** What a Slurm job asks for: nodes × GPUs on each. */
function jobGpus(config: Config): ReturnType<Read<number>> {
  for (const flag of ["--sbatch.gres", "--sbatch.gpus-per-node", "--sbatch.gpus"]) {
    const node = config.find(flag)?.node;
    const gpus =
      node?.kind === "scalar"
        ? (flag === "--sbatch.gres" ? /(?:^|,)gpu(?::[\w.-]+)?:(\d+)(?:,|$)/ : /^(?:[\w.-]+:)?(\d+)$/).exec(
            String(node.value),
          )?.[1]
        : undefined;
    if (node === undefined || gpus === undefined) continue;
    const asked: Read<number> = () =>
      known(Number(gpus), "config", { span: node.span, note: `#SBATCH ${flag.replace("sbatch.", "")}` });
    return flag === "--sbatch.gpus"
      ? asked(config)
      : times(asked, first(number("--sbatch.nodes"), byDefault(1, "Slurm")))(config);
  }
  return undefined;
}
