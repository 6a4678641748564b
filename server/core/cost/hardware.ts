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
const TYPICAL = "preset: assumed, set `hardware.utilisation` or give measured GPU-hours";
const LIST = "preset: assumed rental price, set `hardware.price`";

function preset(name: string, peakFlops: number, usdPerGpuHour: number): Hardware {
  return {
    name,
    peakFlops,
    utilisation: { generation: 0.25, training: 0.4 },
    usdPerGpuHour,
    sources: { peak: DATA_SHEET, utilisation: TYPICAL, price: LIST },
  };
}

/** Peaks are the vendors'; utilisations and prices are assumptions to be overridden, and say so. */
export const HARDWARE_PRESETS = {
  A100: preset("A100", 312e12, 1.5),
  H100: preset("H100", 989e12, 2.5),
  H200: preset("H200", 989e12, 3),
  B200: preset("B200", 2250e12, 5),
} as const satisfies Record<string, Hardware>;

export type HardwarePreset = keyof typeof HARDWARE_PRESETS;

export interface HardwareOverrides {
  readonly name?: string;
  readonly peakFlops?: number;
  readonly generationUtilisation?: number;
  readonly trainingUtilisation?: number;
  readonly usdPerGpuHour?: number;
  /** Where the overrides were stated. Default `stated`. */
  readonly source?: string;
}

/** A preset by its name (any case, `NVIDIA H100 80GB` included), or null where the name holds none. */
export function hardwarePreset(name: string): Hardware | null {
  const upper = name.toUpperCase();
  for (const [key, value] of Object.entries(HARDWARE_PRESETS)) if (upper.includes(key)) return value;
  return null;
}

/** A preset (H100 where the name is unknown and no peak is given) with whatever was stated put over it. */
export function hardware(name: string | undefined, overrides: HardwareOverrides = {}): Hardware {
  const known = name === undefined ? null : hardwarePreset(name);
  const base = known ?? {
    ...HARDWARE_PRESETS.H100,
    sources: {
      ...HARDWARE_PRESETS.H100.sources,
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
