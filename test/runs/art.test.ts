import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNodeHost, toUri } from "../../server/node/host";
import { measureRollouts, readRuns } from "../../server/sources/read";
import { memoryHost } from "./memoryHost";
import { cpuTime } from "../cpu";

const ROOT = join(__dirname, "../fixtures/runs/art-dumps");
const yaml = readFileSync(join(ROOT, "yaml/trajectories/train/0000.yaml"), "utf8");

const measureYaml = (text: string, name = "0003.yaml") => {
  const host = memoryHost({ [`trajectories/val/${name}`]: text });
  return measureRollouts(host, [host.uri("trajectories")], { duplicates: "exact" });
};

describe("ART's trajectories", () => {
  it.each(["yaml", "jsonl", "parquet"])("are measured as they were made: %s", async (format) => {
    const measure = await measureRollouts(createNodeHost(), [toUri(join(ROOT, format))]);
    expect(measure).toMatchObject({
      rollouts: 32,
      tasks: 4,
      structures: 1,
      environments: 1,
      coveredCells: 4,
      trajectories: 8,
      coverage: 1,
      rewardDensity: 1 / 3,
      notes: [],
      neverSolved: { tasks: ["mail-0"] },
      alwaysSolved: { tasks: ["mail-3"] },
    });
    // Two steps of four groups of four; those of task 3 hold one reward only.
    expect(measure.passRates).toMatchObject({ groups: 8, withoutSignal: 2, meanGroupSize: 4 });
  });

  it("are rollouts and no runs, wherever a model's history stands beside them", async () => {
    const host = memoryHost({
      "m/history.jsonl": `{"step":1,"val/reward":0.5}\n`,
      "m/trajectories/train/0001.yaml": yaml,
      "m/trajectories/val/0001.jsonl": readFileSync(join(ROOT, "jsonl/trajectories/train/0000.jsonl"), "utf8"),
    });
    const { rows, notes } = await readRuns(host, [host.uri("m")]);
    expect(rows).toHaveLength(1);
    expect(notes.find(({ code }) => code === "run.rollouts")?.message).toMatch(/^2 files of rollouts/);
    expect((await measureRollouts(host, [host.uri("m")])).rollouts).toBe(32);
  });

  it("leave other YAML alone, and groups without rollouts", async () => {
    expect((await measureYaml("- a: 1\n- b: 2\n")).notes.map(({ code }) => code)).toEqual(["rollouts.none"]);
    expect((await measureYaml(`- metadata: {}\n  trajectories: []\n${yaml}`)).rollouts).toBe(16);
  });

  it("name the group that cannot be read, and read the others", async () => {
    const lines = yaml.split("\n");
    const second = lines.findIndex((line, i) => i > 0 && line.startsWith("- "));
    const broken = [...lines.slice(0, second + 2), "  ]: {", ...lines.slice(second + 2)].join("\n");
    const measure = await measureYaml(broken);
    expect(measure.notes).toEqual([
      expect.objectContaining({
        code: "log.bad-line",
        line: second + 1,
        file: expect.stringContaining("0003.yaml") as string,
      }),
    ]);
    expect(measure.rollouts).toBe(12);
  });

  it("cut short keep only whole rollouts, and say so", async () => {
    const rewards = [...yaml.matchAll(/^ {4}reward: /gm)].map(({ index }) => index);
    for (const at of [0.2, 0.5, 0.9]) {
      const cut = Math.floor(at * yaml.length);
      const measure = await measureYaml(yaml.slice(0, cut));
      expect(measure.rollouts).toBeLessThanOrEqual(rewards.filter((place) => place < cut).length);
      expect(measure.rollouts).toBeGreaterThanOrEqual(rewards.filter((place) => place < cut).length - 1);
      expect(measure.notes.map(({ code }) => code)).toContain("log.truncated");
    }
  });

  it("any damage gives a measure or a note", async () => {
    const bytes = new TextEncoder().encode(yaml);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("cut", "flip", "insert"),
        fc.nat(bytes.length - 1),
        fc.nat(255),
        async (kind, at, byte) => {
          const broken =
            kind === "cut"
              ? bytes.slice(0, at)
              : kind === "insert"
                ? Uint8Array.from([...bytes.slice(0, at), byte, ...bytes.slice(at)])
                : bytes.map((each, i) => (i === at ? each ^ (1 << (byte % 8)) : each));
          const host = memoryHost({ "trajectories/train/0001.yaml": broken });
          const measure = await measureRollouts(host, [host.uri("trajectories")], { duplicates: "exact" });
          expect(measure.rollouts).toBeLessThanOrEqual(16);
          expect(measure.rollouts + measure.notes.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("a file made to grow without bound is refused", async () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) =>
        `      l${i}: &id${100 + i} [${Array.from({ length: 12 }, () => (i === 0 ? "x" : `*id${99 + i}`)).join(", ")}]`,
    ).join("\n");
    const bomb = `- metadata:\n    task_id: a\n  trajectories:\n  - logs: []\n    messages_and_choices: []\n    metadata:\n${levels}\n    reward: 0.0\n    tools: *id111\n`;
    const start = cpuTime();
    const measure = await measureYaml(bomb + yaml);
    expect(measure.notes.map(({ code }) => code)).toContain("log.bad-line");
    expect(measure.rollouts).toBe(16);
    expect(cpuTime() - start).toBeLessThan(5000);
  });
});
