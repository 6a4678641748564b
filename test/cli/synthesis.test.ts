import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { random } from "../../server/core/numerics/random";
import { cli, folderWith } from "./harness";

/** A simulated truth in which tasks matter most; a synthetic task is worth 0.55 real ones, up to 3.4 of them per real one. */
function success(real: number, synthetic: number): number {
  const tasks = real + 0.55 * Math.min(synthetic, 3.4 * real);
  return 1 - (0.1 + 0.42 * (tasks / 400) ** -0.45);
}

function files(worth: string): Record<string, string> {
  const stream = random(11);
  const rows = [100, 400, 1600].flatMap((tasks) =>
    [4, 12, 36].flatMap((environments) =>
      [4, 16, 64].map((trajectories) => {
        const rate = 0.9 - (0.9 - success(tasks, 0)) * (environments / 12) ** -0.2 * (trajectories / 16) ** -0.1;
        const own = Math.min(0.99, Math.max(0.005, rate + 0.02 * stream.normal()));
        return `${tasks}-${environments}-${trajectories},${tasks},${environments},${trajectories},${stream.binomial(500, own)},500`;
      }),
    ),
  );
  return {
    "runs.csv": ["name,tasks,environments,trajectories,successes,trials", ...rows].join("\n"),
    "scaling.yaml": `logs: ["runs.csv"]
prices: { environment: 20 USD, task: 4 USD, synthetic: { task: 0.05 USD } }
hardware: { gpu: H100, count: 8, price: 2.5 USD/h, utilisation: { generation: 0.1, training: 0.35 } }
pin: [parameters, environments, trajectories]
`,
    "a.budget.yaml": `name: a
model: Qwen3-8B
algorithm: grpo
design: nested
budget:
  tasks: 270
  environments: 12
  trajectories: 16
tokens_per_trajectory: 2000
synthesis:
  tasks: { method: self-instruct, real: 270, synthetic: 0${worth} }
`,
  };
}

describe("synthetic tasks whose worth is stated by hand", () => {
  it("none yet is a start: they are bought, and truly help", async () => {
    const made = folderWith(files(", discount: [0.4, 0.7], critical_ratio: [3, 4]"));
    try {
      const { code, err } = await cli(made.folder, "optimise", "a.budget.yaml", "--write");
      expect(code, err).toBe(0);
      const text = readFileSync(join(made.folder, "a.budget.yaml"), "utf8");
      const [, real, synthetic] = (/real: (\d+), synthetic: (\d+)/.exec(text) ?? []).map(Number);
      expect(synthetic / real).toBeGreaterThan(2.5);
      expect(synthetic / real).toBeLessThanOrEqual(4);
      expect(text).toContain(`tasks: ${real + synthetic}\n`);
      // No dearer than before, and over 12 points better in truth.
      expect(4 * real + 0.05 * synthetic).toBeLessThan(4 * 270);
      expect(success(real, synthetic) - success(270, 0)).toBeGreaterThan(0.12);
    } finally {
      made.remove();
    }
  });

  it("what is unknown of the worth is in the interval of the gain", async () => {
    const widths: number[] = [];
    for (const worth of ["0.55", "[0.1, 0.55, 0.9]"]) {
      const made = folderWith(files(`, discount: ${worth}, critical_ratio: 3.4`));
      try {
        const { out, err } = await cli(made.folder, "optimise", "a.budget.yaml", "--json");
        const { verdict } = JSON.parse(out || err);
        widths.push(verdict.gain.high - verdict.gain.low);
      } finally {
        made.remove();
      }
    }
    expect(widths[1]).toBeGreaterThan(1.5 * widths[0]);
  });

  it("a worth that nobody stated and no run shows moves nothing, and an interval the wrong way round is said", async () => {
    const made = folderWith(files(""));
    try {
      const { out } = await cli(made.folder, "optimise", "a.budget.yaml");
      expect(out).not.toMatch(/synthetic: \d\d/);
      expect(out).toMatch(/what synthetic tasks are worth is not known/i);
    } finally {
      made.remove();
    }
    const wrong = folderWith(files(", discount: [0.7, 0.4]"));
    try {
      const { err } = await cli(wrong.folder, "inspect", "a.budget.yaml");
      expect(err).toMatch(/a\.budget\.yaml:11:\d+.*rising order/);
    } finally {
      wrong.remove();
    }
  });
});
