/** What a data sheet says of one accelerator: dense bf16 FLOP per second, memory in bytes and bytes per second. */
export interface Gpu {
  readonly name: string;
  readonly peakFlops: number;
  readonly bandwidth: number;
  readonly memory: number;
  /** An assumed rental price, USD per hour. */
  readonly usdPerHour: number;
}

const gpu = (name: string, teraflops: number, terabytes: number, gigabytes: number, usdPerHour: number): Gpu => ({
  name,
  peakFlops: teraflops * 1e12,
  bandwidth: terabytes * 1e12,
  memory: gigabytes * 1e9,
  usdPerHour,
});

/**
 * Accelerators by the spellings people use, the more telling first: `A100-SXM4-80GB`, `NVIDIA H100 PCIe`, `h100x8`,
 * `Ascend A3`. Peaks, bandwidths and memories are the vendors' (sparse figures halved); prices are assumptions.
 */
const GPUS: readonly (readonly [RegExp, Gpu])[] = [
  [/GB300/, gpu("GB300", 2500, 8, 279, 6.5)],
  [/GB200/, gpu("GB200", 2500, 8, 186, 6)],
  [/GH200/, gpu("GH200", 989, 4, 96, 2.5)],
  [/B300/, gpu("B300", 2250, 8, 270, 6)],
  [/B200|B100/, gpu("B200", 2250, 7.7, 180, 5)],
  [/RTX ?PRO ?6000/, gpu("RTX PRO 6000", 503, 1.8, 96, 1.8)],
  [/H100.*NVL/, gpu("H100 NVL", 835, 3.9, 94, 2.5)],
  [/H100.*PCI/, gpu("H100 PCIe", 756, 2, 80, 2.2)],
  [/H100|H800|HOPPER/, gpu("H100", 989, 3.35, 80, 2.5)],
  [/H200/, gpu("H200", 989, 4.8, 141, 3)],
  [/H20(?!\d)/, gpu("H20", 148, 4, 96, 1.5)],
  [/A[18]00.*40 ?G/, gpu("A100 40 GB", 312, 1.56, 40, 1.2)],
  [/A100.*64 ?G/, gpu("A100 64 GB", 312, 1.64, 64, 1.4)],
  [/A100|A800/, gpu("A100", 312, 2.04, 80, 1.5)],
  [/L40S/, gpu("L40S", 362, 0.864, 48, 1)],
  [/L40(?!\d)/, gpu("L40", 181, 0.864, 48, 0.9)],
  [/L20(?!\d)/, gpu("L20", 119.5, 0.864, 48, 0.7)],
  [/L4(?!\d)/, gpu("L4", 121, 0.3, 24, 0.5)],
  [/6000 ?ADA|ADA ?6000/, gpu("RTX 6000 Ada", 182, 0.96, 48, 0.8)],
  [/A6000/, gpu("RTX A6000", 155, 0.768, 48, 0.6)],
  [/A5000/, gpu("RTX A5000", 111, 0.768, 24, 0.4)],
  [/A40(?!\d)/, gpu("A40", 150, 0.696, 48, 0.5)],
  [/A30(?!\d)/, gpu("A30", 165, 0.933, 24, 0.4)],
  [/A10G/, gpu("A10G", 70, 0.6, 24, 0.6)],
  [/A10(?!\d)/, gpu("A10", 125, 0.6, 24, 0.6)],
  [/5090/, gpu("RTX 5090", 210, 1.79, 32, 0.7)],
  [/5080/, gpu("RTX 5080", 113, 0.96, 16, 0.4)],
  [/4090/, gpu("RTX 4090", 165, 1.01, 24, 0.4)],
  [/4080/, gpu("RTX 4080", 97, 0.717, 16, 0.3)],
  [/3090/, gpu("RTX 3090", 71, 0.936, 24, 0.25)],
  [/V100/, gpu("V100", 125, 0.9, 32, 0.6)],
  [/(?:^|[^A-Z])T4(?!\d)/, gpu("T4", 65, 0.32, 16, 0.3)],
  [/MI35[05]/, gpu("MI355X", 2300, 8, 288, 4.5)],
  [/MI325/, gpu("MI325X", 1307, 6, 256, 3)],
  [/MI300/, gpu("MI300X", 1307, 5.3, 192, 2.5)],
  [/MI2[15]0/, gpu("MI250X", 383, 3.2, 128, 1.5)],
  // One NPU as frameworks count them: an A3 (910C) carries two of its predecessor's.
  [/910 ?C|ASCEND ?A3|ATLAS ?(900 )?A3/, gpu("Ascend A3 (one die)", 376, 1.6, 64, 1.5)],
  [/910|ASCEND|NPU|ATLAS/, gpu("Ascend 910B", 353, 1.6, 64, 1.3)],
  [/GAUDI ?3/, gpu("Gaudi 3", 1678, 3.7, 128, 2)],
  [/GAUDI ?2/, gpu("Gaudi 2", 432, 2.45, 96, 1.2)],
  [/V5P/, gpu("TPU v5p", 459, 2.765, 95, 4.2)],
  [/V5(E|LITE)/, gpu("TPU v5e", 197, 0.819, 16, 1.2)],
  [/V6E|TRILLIUM/, gpu("TPU v6e", 918, 1.64, 32, 2.7)],
];

/** The accelerator that a name means, in any case and spelling, or null. */
export function gpuNamed(name: string): Gpu | null {
  const upper = name.toUpperCase().replace(/[_-]+/g, " ");
  // `H1000` is no H100.
  const whole = (found: RegExpExecArray) =>
    !/\d$/.test(found[0]) || !/^\d/.test(upper.slice(found.index + found[0].length));
  for (const [spelling, one] of GPUS) {
    const found = spelling.exec(upper);
    if (found && whole(found)) return one;
  }
  return null;
}

/** What stands in where no accelerator is stated; the interval is widened for it. */
export const ASSUMED_GPU: Gpu = gpu("H100", 989, 3.35, 80, 2.5);
