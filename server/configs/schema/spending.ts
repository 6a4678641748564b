import * as z from "zod/mini";
import { documented, quantity } from "./synthesis";

/** What is to be spent, what a run took, and what it may not pass. */
export function spending() {
  return {
    compute: documented(
      quantity(),
      "What is to be spent, as `--compute` says it: `3.2e19 FLOPs`, `60 GPUh` or `150 USD`. The best split is then the best for this amount; left out, for what the present split costs. Never edited.",
    ),
    measured: documented(
      z.strictObject({
        gpu_hours: documented(quantity(), "GPU-hours that the rollouts took, training included: `64` or `64 GPUh`."),
        rollouts: documented(
          quantity(),
          "Rollouts that were made in these hours. Left out, those of the split; an optimisation that moves the split states it.",
        ),
      }),
      "What the run was measured to take. It prices a rollout, before any model of it.",
    ),
    constraints: documented(
      z.strictObject({
        usd: documented(quantity(), "Money, data and GPUs together: `20000` or `20 kUSD`. Also `--usd`."),
        gpu_hours: documented(quantity(), "GPU-hours, which buy no data: `768`. Also `--gpu-hours`."),
        deadline: documented(quantity(), "Time on the wall: `48h` or `2 days`. Also `--deadline`."),
      }),
      "Budgets that hold together, as the flags of the same names say them; a flag goes before its key. `optimise` names the one that binds.",
    ),
  };
}
