import { ASSUMED_GPU, gpuNamed, type Gpu } from "./gpus";

/** What a GPU does and costs. Utilisation is the share of the peak that is reached, in (0, 1]. */
export interface Hardware {
  readonly name: string;
  /** Dense bf16 FLOP per second of one GPU. */
  readonly peakFlops: number;
  readonly utilisation: { readonly generation: number; readonly training: number };
  /** USD per GPU-hour; null: unknown, and nothing is shown in USD. */
  readonly usdPerGpuHour: number | null;
  /** Where each number comes from, for the list of assumptions. */
  readonly sources: { readonly peak: string; readonly utilisation: string; readonly price: string };
}

const DATA_SHEET = "preset: vendor's data sheet, dense bf16";
/** Where utilisation comes from that nobody states. */
export const ASSUMED_UTILISATION = "preset: assumed, set `hardware.utilisation` or give measured GPU-hours";
const LIST = "preset: assumed rental price, set `hardware.price`";

function ofGpu({ name, peakFlops, usdPerHour }: Gpu): Hardware {
  return {
    name,
    peakFlops,
    utilisation: { generation: 0.25, training: 0.4 },
    usdPerGpuHour: usdPerHour,
    sources: { peak: DATA_SHEET, utilisation: ASSUMED_UTILISATION, price: LIST },
  };
}

export interface HardwareOverrides {
  readonly name?: string;
  readonly peakFlops?: number;
  readonly generationUtilisation?: number;
  readonly trainingUtilisation?: number;
  readonly usdPerGpuHour?: number;
  /** Where the overrides were stated. Default `stated`. */
  readonly source?: string;
}

/** What a GPU does by its name, in any spelling, or null where the name is of none that is known. */
export function hardwarePreset(name: string): Hardware | null {
  const gpu = gpuNamed(name);
  return gpu === null ? null : ofGpu(gpu);
}

/** A preset (H100 where the name is unknown and no peak is given) with whatever was stated put over it. */
export function hardware(name: string | undefined, overrides: HardwareOverrides = {}): Hardware {
  const known = name === undefined ? null : hardwarePreset(name);
  const assumed = ofGpu(ASSUMED_GPU);
  const base = known ?? {
    ...assumed,
    sources: {
      ...assumed.sources,
      peak:
        name === undefined
          ? `${DATA_SHEET} (H100 assumed: no hardware is stated)`
          : `${DATA_SHEET} (H100 assumed: \`${name}\` is unknown, give its peak)`,
    },
  };
  const stated = overrides.source ?? "stated";
  const { peakFlops, generationUtilisation, trainingUtilisation, usdPerGpuHour } = overrides;
  return {
    name: overrides.name ?? (peakFlops !== undefined && known === null ? (name ?? "custom") : base.name),
    peakFlops: peakFlops ?? base.peakFlops,
    utilisation: {
      generation: generationUtilisation ?? base.utilisation.generation,
      training: trainingUtilisation ?? base.utilisation.training,
    },
    usdPerGpuHour: usdPerGpuHour ?? base.usdPerGpuHour,
    sources: {
      peak: peakFlops === undefined ? base.sources.peak : stated,
      utilisation: utilisationSource(generationUtilisation, trainingUtilisation, stated, base.sources.utilisation),
      price: usdPerGpuHour === undefined ? base.sources.price : stated,
    },
  };
}

function utilisationSource(
  generation: number | undefined,
  training: number | undefined,
  stated: string,
  assumed: string,
): string {
  if (generation !== undefined && training !== undefined) return stated;
  if (generation === undefined && training === undefined) return assumed;
  return generation === undefined
    ? `training ${stated}; generation ${assumed}`
    : `generation ${stated}; training ${assumed}`;
}
