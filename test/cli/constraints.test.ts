import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cli, folderWith } from "./harness";
import { fitLab, LAB } from "./lab";

let made: ReturnType<typeof folderWith>;
beforeAll(async () => {
  made = folderWith(LAB);
  await fitLab(made.folder);
}, 120_000);
afterAll(() => made.remove());

const ask = (...more: string[]) => cli(made.folder, "optimise", "a.budget.yaml", "--fit", "a.fit.json", ...more);

async function optimised(...more: string[]) {
  const run = await ask("--json", ...more);
  expect(run.code, run.err).toBe(0);
  return JSON.parse(run.out);
}

describe("questions of money and time", () => {
  it("--target is the inverse of predict, with the probability that it is reached", async () => {
    const said = await optimised("--target", "62%");
    const levels = said.continuous.levels as Record<string, number>;
    const at = ["tasks", "environments", "trajectories"].map((axis) => `${axis}=${levels[axis]}`);
    const predicted = JSON.parse((await cli(made.folder, "predict", "--fit", "a.fit.json", "--json", ...at)).out);
    expect(Math.abs(predicted.successRate.estimate - 0.62)).toBeLessThan(1e-6);
    expect(said.reaches).toBeGreaterThan(0.2);
    expect(said.reaches).toBeLessThanOrEqual(1);
    expect(said.optimum.success.estimate).toBeGreaterThanOrEqual(0.62 - 1e-9);
  });

  it("--target beyond every limit says the most that can be reached", async () => {
    const run = await ask("--target", "95%");
    expect(run.out).toMatch(/No split within the limits reaches this success; the most is \d\d(\.\d)? %/);
  });

  it("--scale 2 spends twice as much, and more money gains", async () => {
    const [now, twice] = [await optimised(), await optimised("--scale", "2")];
    expect(twice.budget.value / now.budget.value).toBeCloseTo(2, 9);
    expect(twice.optimum.success.estimate).toBeGreaterThan(now.optimum.success.estimate);
    // `predict` answers the same of a config.
    const predict = (...more: string[]) => cli(made.folder, "predict", "a.budget.yaml", "--fit", "a.fit.json", ...more);
    const told = JSON.parse((await predict("--scale", "2", "--json")).out);
    expect(told.successRate).toEqual(now.current.success);
    expect(told.scaled).toMatchObject({ times: 2, levels: twice.optimum.levels, successRate: twice.optimum.success });
    expect((await predict("--scale", "2")).out).toMatch(/^now: .* success at .* USD\n2×: .* success at .* USD/);
    expect((await cli(made.folder, "predict", "tasks=400", "--scale", "2", "--fit", "a.fit.json")).code).toBe(2);
  });

  it("a stated utilisation says which hours it replaces", async () => {
    const said = async (scaling: string) => {
      writeFileSync(join(made.folder, "u", "scaling.yaml"), scaling);
      const [one] = JSON.parse((await cli(made.folder, "inspect", "u/a.budget.yaml", "--json")).out).experiments;
      return one as { cost: { gpuHours: { estimate: number } }; notes: { code: string; message: string }[] };
    };
    mkdirSync(join(made.folder, "u"));
    writeFileSync(join(made.folder, "u", "a.budget.yaml"), LAB["a.budget.yaml"]);
    const stated = await said("hardware: { gpu: H100, count: 8, utilisation: { generation: 0.5, training: 0.5 } }\n");
    const free = await said("hardware: { gpu: H100, count: 8 }\n");
    expect(free.cost.gpuHours.estimate / stated.cost.gpuHours.estimate).toBeGreaterThan(1.5);
    const codes = ({ notes }: typeof free) => notes.map(({ code }) => code);
    expect(codes(stated)).toContain("cost.utilisation-stated");
    expect(codes(free)).not.toContain("cost.utilisation-stated");
  });

  it("money, GPU-hours and a deadline hold together, and the one that binds is named", async () => {
    const free = await optimised("--usd", "3000");
    const hours = (await optimised("--usd", "3000", "--gpu-hours", "1e6")).constraints[1].used as number;
    const tight = await optimised("--usd", "3000", "--gpu-hours", String(hours / 2), "--deadline", "1000h");
    expect(tight.constraints.map(({ name }: { name: string }) => name)).toEqual(["money", "GPU-hours", "deadline"]);
    const [money, gpu, deadline] = tight.constraints;
    expect(gpu.binding).toBe(true);
    expect(gpu.used).toBeLessThanOrEqual((hours / 2) * (1 + 1e-6));
    expect(gpu.relaxed).toBeGreaterThan(0);
    expect(deadline).toMatchObject({ binding: false, unit: "hours", relaxed: 0 });
    expect(money.amount).toBe(3000);
    expect(tight.optimum.success.estimate).toBeLessThanOrEqual(free.optimum.success.estimate + 1e-6);
    const slow = await optimised("--usd", "3000", "--deadline", `${hours / 2 / 8}h`);
    expect(slow.optimum.levels.trajectories).toBeCloseTo(tight.optimum.levels.trajectories, -1);
  });

  it("GPU-hours to spend are answered in GPU-hours: they buy rollouts, and the money for data stays what it is", async () => {
    const said = await optimised("--compute", "60 GPUh");
    expect(said.budget).toEqual({ value: 60, unit: "GPUh" });
    expect(said.optimum.cost.unit).toBe("GPUh");
    expect(said.optimum.cost.value).toBeLessThanOrEqual(60 * (1 + 1e-9));
    const [hours, data] = said.constraints;
    expect(hours).toMatchObject({ name: "GPU-hours", unit: "GPUh", amount: 60, binding: true });
    expect(data).toMatchObject({ name: "money for data", unit: "USD", amount: 8 * 40 + 2000 * 0.5 });
    expect(data.used).toBeLessThanOrEqual(data.amount * (1 + 1e-6));
    const { tasks, trajectories, environments } = said.optimum.levels as Record<string, number>;
    expect(environments * 40 + tasks * 0.5).toBeLessThanOrEqual(data.amount + 1e-6);
    // Tasks and environments trade inside the money for data, though environments cost no GPU-hours: by the law of these runs.
    expect(said.pinned.map(({ axis }: { axis: string }) => axis)).not.toContain("environments");
    const error = (t: number, e: number, r: number) => 0.1 + 5 * t ** -0.25 * e ** -0.3 * r ** -0.12;
    const held = (60 / said.current.cost.value) * 16;
    expect(error(tasks, environments, trajectories)).toBeLessThan(error(2000, 8, held) - 0.02);
    expect(said.computeMultiplier.estimate).toBeLessThan(20);
    // Half the hours are half the rollouts, and as much data.
    const half = await optimised("--compute", "30 GPU-hours");
    const fewer = half.continuous.levels as Record<string, number>;
    const { continuous } = said as { continuous: { levels: Record<string, number> } };
    expect((continuous.levels.tasks * continuous.levels.trajectories) / (fewer.tasks * fewer.trajectories)).toBeCloseTo(
      2,
      4,
    );
    expect(trajectories * tasks).toBeGreaterThan(0);
    // The verdict is at the same hours and the same money for data, and is not moved by what is asked.
    expect(half.verdict.kind).toBe(said.verdict.kind);
    expect((await optimised("--compute", "2000 USD")).budget).toEqual({ value: 2000, unit: "USD" });
  });

  it("data that are all at hand bind by their number", async () => {
    const owned = LAB["a.budget.yaml"] + "owned: { tasks: 2000, environments: 8 }\n";
    writeFileSync(join(made.folder, "owned.budget.yaml"), owned);
    const run = await cli(
      made.folder,
      "optimise",
      "owned.budget.yaml",
      "--fit",
      "a.fit.json",
      "--json",
      "--compute",
      "60 GPUh",
    );
    const { optimum, budget } = JSON.parse(run.out);
    expect(budget.unit).toBe("GPUh");
    expect(optimum.levels.tasks).toBeLessThanOrEqual(2000);
    expect(optimum.levels.environments).toBeLessThanOrEqual(8);
  });

  it("a budget states what is to be spent and what may not be passed, as the flags say them; a flag goes before its key", async () => {
    const write = (name: string, more: string) =>
      writeFileSync(join(made.folder, `${name}.budget.yaml`), `${LAB["a.budget.yaml"]}${more}`);
    const ask = async (name: string, ...more: string[]) => {
      const run = await cli(made.folder, "optimise", `${name}.budget.yaml`, "--fit", "a.fit.json", "--json", ...more);
      expect(run.code, run.err).toBe(0);
      return JSON.parse(run.out);
    };
    const same = (one: Record<string, unknown>, other: Record<string, unknown>) => {
      for (const key of ["mode", "budget", "optimum", "constraints"]) expect(one[key], key).toEqual(other[key]);
    };
    write("spend", "compute: 60 GPUh\n");
    same(await ask("spend"), await ask("a", "--compute", "60 GPUh"));
    same(await ask("spend", "--compute", "30 GPUh"), await ask("a", "--compute", "30 GPUh"));
    write("limits", "constraints: { usd: 3000, gpu_hours: 20, deadline: 2 days }\n");
    const limits = await ask("limits");
    same(limits, await ask("a", "--usd", "3000", "--gpu-hours", "20", "--deadline", "48h"));
    expect(limits.constraints.map(({ name }: { name: string }) => name)).toEqual(["money", "GPU-hours", "deadline"]);
    expect(limits.constraints.find(({ binding }: { binding: boolean }) => binding).relaxed).toBeGreaterThan(0);
    same(
      await ask("limits", "--gpu-hours", "10"),
      await ask("a", "--usd", "3000", "--gpu-hours", "10", "--deadline", "48h"),
    );
    // Beside an amount of compute, money is a limit: data may cost more than now, within it.
    write("both", "compute: 60 GPUh\nconstraints: { usd: 6000 }\n");
    const both = await ask("both");
    same(both, await ask("a", "--compute", "60 GPUh", "--usd", "6000"));
    // Amounts as people type them, on the command line as in a file.
    same(both, await ask("a", "--compute", "60 GPUh", "--usd", "$6k"));
    expect(both.constraints.map(({ name }: { name: string }) => name)).toEqual(["GPU-hours", "money"]);
    expect(both.optimum.success.estimate).toBeGreaterThan((await ask("spend")).optimum.success.estimate);
    // Limits hold beside a success that is asked for, too.
    const cheap = await ask("a", "--target", "62%");
    const [money, hours] = [
      cheap.optimum.cost.value,
      0.5 * (await ask("a", "--target", "62%", "--gpu-hours", "1e6")).constraints[0].used,
    ];
    const held = await ask("a", "--target", "62%", "--gpu-hours", String(hours));
    expect(held.constraints[0].used).toBeLessThanOrEqual(hours * (1 + 1e-6));
    expect(held.optimum.cost.value).toBeGreaterThan(money);
    expect(Math.abs(held.continuous.success.estimate - 0.62)).toBeLessThan(1e-6);
  });

  it("what is to be spent is never written over, and the answer speaks of it everywhere", async () => {
    const text = `${LAB["a.budget.yaml"]}compute: 60 GPUh # booked\n`;
    writeFileSync(join(made.folder, "w.budget.yaml"), text);
    const run = await cli(made.folder, "optimise", "w.budget.yaml", "--fit", "a.fit.json", "--write");
    expect(run.code, run.err).toBe(0);
    const [, headline] = run.out.split("\n");
    expect(headline).toMatch(/success · for 60 GPUh: .* % .*points.* · as it costs now: /);
    expect(run.out).toContain("best for 60 GPUh");
    expect(run.out).toMatch(/limit: GPU-hours: .* of 60 GPUh \(now /);
    expect(run.out).toMatch(/limit: money for data: .*used up; 10 % more gains/);
    const after = readFileSync(join(made.folder, "w.budget.yaml"), "utf8");
    expect(after).toContain("compute: 60 GPUh # booked\n");
    expect(after).not.toBe(text);
    const again = await cli(made.folder, "optimise", "w.budget.yaml", "--fit", "a.fit.json", "--write");
    expect(again.err).toContain("nothing to change");
  });

  it("hours that cannot be spent are said to be left over, with what holds them", async () => {
    const { out } = await ask("--compute", "4000 GPUh");
    expect(out).toMatch(/limit: GPU-hours: .* GPUh left over/);
    expect(out).toMatch(
      /not all of the GPU-hours is spent, held by money for data and rollouts per task .*--bold.*--usd/,
    );
  });

  it("refuses two questions at once, and what cannot be asked", async () => {
    for (const wrong of [
      ["--usd", "100", "--scale", "2"],
      ["--target", "150"],
      ["--deadline", "soon"],
      ["--usd", "-3"],
      ["--usd", "20 GPUh"],
    ])
      expect((await ask(...wrong)).code).toBe(2);
    expect((await ask("--compute", "2000 USD/h")).err).toMatch(/Expected FLOPs or GPU·h or USD, found USD\/h/);
  });
});

describe("what is held and what is freed", () => {
  const STEPS =
    LAB["a.budget.yaml"].replace("trajectories: 16 }", "prompts_per_step: 64, group_size: 8, steps: 62 }") + "";

  it("--pin steps keeps the rollouts; the group size and prompts per step stay anyway, and are named", async () => {
    writeFileSync(join(made.folder, "steps.budget.yaml"), STEPS);
    const ask = async (...more: string[]) =>
      cli(made.folder, "optimise", "steps.budget.yaml", "--fit", "a.fit.json", "--json", ...more);
    const free = JSON.parse((await ask()).out);
    const held = JSON.parse((await ask("--pin", "steps", "--pin", "group_size", "--pin", "promptsPerStep")).out);
    const rollouts = ({ levels }: { levels: Record<string, number> }) => levels.tasks * levels.trajectories;
    expect(rollouts(free.continuous)).toBeGreaterThan(1.05 * 64 * 8 * 62);
    expect(rollouts(held.continuous)).toBeLessThanOrEqual(64 * 8 * 62 * (1 + 1e-6));
    expect(rollouts(held.optimum)).toBeLessThanOrEqual(64 * 8 * 62 * (1 + 1e-6));
    const steps = held.constraints.find(({ name }: { name: string }) => name === "steps");
    expect(steps).toMatchObject({ unit: "steps", amount: 62, binding: true });
    expect(steps.relaxed).toBeGreaterThan(0);
    const pinned = held.pinned.filter(({ code }: { code: string }) => code === "user");
    expect(pinned.map(({ axis, level }: { axis: string; level: number }) => [axis, level])).toEqual([
      ["steps", 62],
      ["groupSize", 8],
      ["promptsPerStep", 64],
    ]);
    // Pinned, less can be gained: it is part of what the verdict compares.
    expect(held.regret.estimate).toBeLessThan(free.regret.estimate);
  });

  it("what no run varies is not freed, with the reason; what is no axis is refused", async () => {
    const { out } = await ask("--json", "--free", "groupSize");
    expect(JSON.parse(out)).toMatchObject({
      optimum: null,
      reason: expect.stringContaining("no run of the fit varies it"),
    });
    const wrong = await ask("--pin", "luck");
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('"luck" is no axis')]);
  });

  it("steps × prompts × group and tasks × trajectories that disagree are an error with both numbers", async () => {
    const twice = LAB["a.budget.yaml"].replace(
      "trajectories: 16 }",
      "trajectories: 16, prompts_per_step: 64, group_size: 8, steps: 250 }",
    );
    writeFileSync(join(made.folder, "twice.budget.yaml"), twice);
    const { code, err } = await cli(made.folder, "inspect", "twice.budget.yaml");
    expect(code).toBe(2);
    expect(err).toMatch(/128k rollouts.*32k/);
  });

  it("hardware.count says the GPUs where a budget does not", async () => {
    const without = LAB["a.budget.yaml"].replace("gpus: 8\n", "");
    writeFileSync(join(made.folder, "count.budget.yaml"), without);
    const hours = async (file: string) =>
      JSON.parse((await cli(made.folder, "inspect", file, "--json", "--fit", "a.fit.json")).out).experiments[0].cost;
    const [counted, stated] = [await hours("count.budget.yaml"), await hours("a.budget.yaml")];
    expect(counted.wallClockHours).toEqual(stated.wallClockHours);
    expect(counted.wallClockHours.estimate).toBeCloseTo(counted.gpuHours.estimate / 8, 9);
  });
});

describe("8B or 14B for this money", () => {
  it("is chosen among the sizes that were fitted, and twice the money may choose another", async () => {
    const rows = ["tasks,environments,trajectories,parameters,successes,trials"];
    for (const tasks of [300, 4000])
      for (const environments of [4, 40])
        for (const trajectories of [4, 32])
          for (const parameters of [1.7e9, 8e9, 14e9]) {
            const error =
              0.1 + 5 * tasks ** -0.25 * environments ** -0.3 * trajectories ** -0.12 * (parameters / 8e9) ** -0.25;
            rows.push(`${tasks},${environments},${trajectories},${parameters},${Math.round(1000 * (1 - error))},1000`);
          }
    writeFileSync(join(made.folder, "sizes.csv"), `${rows.join("\n")}\n`);
    await cli(made.folder, "fit", "sizes.csv", "--law", "multiplicative", "--bootstrap", "60", "--out", "s.fit.json");
    const ask = async (...more: string[]) =>
      JSON.parse((await cli(made.folder, "optimise", "a.budget.yaml", "--fit", "s.fit.json", "--json", ...more)).out);
    const said = await ask("--free", "parameters");
    const sizes = said.models.map(({ parameters }: { parameters: number }) => parameters) as number[];
    expect([...sizes].sort((a, b) => a - b)).toEqual([1.7e9, 8e9, 14e9]);
    expect(said.optimum.levels.parameters).toBe(sizes[0]);
    const successes = said.models.map(({ success }: { success: { estimate: number } }) => success.estimate) as number[];
    expect([...successes].sort((a, b) => b - a)).toEqual(successes);
    for (const { cost } of said.models as { cost: number }[])
      expect(cost).toBeLessThanOrEqual(said.budget.value * (1 + 1e-9));
    // Held, it is the present one, and does no better.
    const held = await ask();
    expect(held.models).toEqual([]);
    expect(held.optimum.levels.parameters).toBe(8e9);
    expect(said.optimum.success.estimate).toBeGreaterThanOrEqual(held.optimum.success.estimate - 1e-9);
    // Listed models are chosen among instead, each by what it costs: of a mixture the active part is paid for.
    writeFileSync(
      join(made.folder, "scaling.yaml"),
      `${LAB["scaling.yaml"]}models: [Qwen3-8B, Qwen3-14B, Qwen3-30B-A3B, no-size]\n`,
    );
    const listed = await cli(
      made.folder,
      "optimise",
      "a.budget.yaml",
      "--fit",
      "s.fit.json",
      "--json",
      "--free",
      "parameters",
    );
    writeFileSync(join(made.folder, "scaling.yaml"), LAB["scaling.yaml"]);
    expect(listed.err).toMatch(/scaling.yaml:3:.*The size of this model is not known/);
    const choices = JSON.parse(listed.out).models as {
      name: string;
      levels: Record<string, number>;
      parameters: number;
    }[];
    // What decides between models is named with the prices.
    expect(listed.out).toContain("parameter exponent of a rollout");
    expect(choices.map(({ name }) => name).sort()).toEqual(["Qwen3-14B", "Qwen3-30B-A3B", "Qwen3-8B"]);
    const rollouts = (name: string) => {
      const { levels } = choices.find((one) => one.name === name)!;
      return levels.tasks * levels.trajectories;
    };
    expect(rollouts("Qwen3-30B-A3B")).toBeGreaterThan(rollouts("Qwen3-14B"));
    writeFileSync(join(made.folder, "scaling.yaml"), `${LAB["scaling.yaml"]}limits: { parameters: [20B, 40B] }\n`);
    const none = await ask("--free", "parameters");
    writeFileSync(join(made.folder, "scaling.yaml"), LAB["scaling.yaml"]);
    expect(none).toMatchObject({ optimum: null, reason: expect.stringMatching(/No listed or fitted model is within/) });
    const dear = await ask("--free", "parameters", "--scale", "8");
    expect(dear.models[0].parameters).toBeGreaterThanOrEqual(sizes[0]);
    expect(dear.optimum.success.estimate).toBeGreaterThan(said.optimum.success.estimate);
  });
});
