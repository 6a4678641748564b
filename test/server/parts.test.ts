import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseYaml } from "../../server/syntax/yaml/yaml";
import { readScalingFile } from "../../server/configs/scaling/scalingFile";
import { splice } from "../../server/syntax/text";
import { resolveSources } from "../../server/operations/globs";
import { scalingChanges, scalingTemplate } from "../../server/configs/scaling/scalingEdits";
import { calibratedRecipe } from "../../server/operations/calibrate";
import { relativeAnswer } from "../../server/assessment/relative";
import type { LawInForce } from "../../server/assessment/types";
import { readConfig } from "../../server/configs/read";
import { openFit, predict } from "../../server/core/fit";
import { spanMapper } from "../../server/features/carryOver";
import { code, escape, table } from "../../server/report/print/markdown";
import { groupSignal, wastedShare } from "../../server/report/signal";
import { fromBase64, toBase64 } from "../../server/session/clientHost";
import { MemoryHost } from "./memoryHost";
import { BUDGET, simulatedFit } from "./runs";

describe("places carried into a newer text", () => {
  it("keep their text, or are lost", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.string(),
        fc.string(),
        fc.nat(),
        fc.nat(),
        (head, removed, added, tail, a, b) => {
          const before = head + removed + tail;
          const after = head + added + tail;
          const [start, end] = [a % (before.length + 1), b % (before.length + 1)].sort((x, y) => x - y);
          const moved = spanMapper(before, after)({ start, end });
          if (moved) expect(after.slice(moved.start, moved.end)).toBe(before.slice(start, end));
          else expect(end).toBeGreaterThan(0);
        },
      ),
    );
  });

  it("outside the edit always survive", () => {
    const map = spanMapper("aaa [x] bbb", "aaa [long] bbb");
    expect(map({ start: 0, end: 3 })).toEqual({ start: 0, end: 3 });
    expect(map({ start: 8, end: 11 })).toEqual({ start: 11, end: 14 });
    expect(map({ start: 4, end: 7 })).toBeNull();
  });
});

describe("edits of scaling.yaml", () => {
  const apply = (text: string, change: Parameters<typeof scalingChanges>[1]) => {
    const changes = scalingChanges(text, change);
    return changes === null ? null : splice(text, changes);
  };
  const pins = (text: string) => readScalingFile("file:///w/scaling.yaml", text).pin;

  it.each([
    ["an empty file", ""],
    ["no pins yet", "logs: runs/**\n# a remark\n"],
    ["a flow list", "pin: [parameters] # held\nlogs: runs/**\n"],
    ["a block list", "pin:\n  - parameters # held\nlogs: runs/**\n"],
    ["an empty key", "pin:\nlogs: runs/**\n"],
    ["CRLF", "pin:\r\n  - parameters\r\nlogs: runs/**\r\n"],
  ])("pins and unpins in %s, and leaves the rest alone", (_, text) => {
    const pinned = apply(text, { kind: "pin", axis: "tasks" });
    expect(pins(pinned!)).toEqual([...pins(text), "tasks"]);
    expect(apply(pinned!, { kind: "pin", axis: "tasks" })).toBeNull();
    const unpinned = apply(pinned!, { kind: "unpin", axis: "tasks" });
    expect(pins(unpinned!)).toEqual(pins(text));
    for (const remark of text.match(/#.*/g) ?? []) expect(unpinned).toContain(remark);
    expect(readScalingFile("file:///w/scaling.yaml", pinned!).logs).toEqual(expect.arrayContaining([]));
    if (text.includes("logs")) expect(readScalingFile("file:///w/scaling.yaml", pinned!).logs[0].value).toBe("runs/**");
    if (text.includes("\r\n")) expect(pinned!.replaceAll("\r\n", "")).not.toContain("\n");
  });

  it("names a fit, in place of another or at the end", () => {
    expect(apply("logs: runs/**\n", { kind: "set", key: "fit", value: "fits/a.fit.json" })).toBe(
      "logs: runs/**\nfit: fits/a.fit.json\n",
    );
    expect(apply("fit: old.fit.json # mine\n", { kind: "set", key: "fit", value: "new one.fit.json" })).toBe(
      'fit: "new one.fit.json" # mine\n',
    );
    expect(apply("fit: a.fit.json\n", { kind: "set", key: "fit", value: "a.fit.json" })).toBeNull();
    expect(apply("no newline: 1", { kind: "set", key: "law", value: "additive" })).toBe(
      "no newline: 1\nlaw: additive\n",
    );
  });

  it.each([
    ["", "facts:\n  - files: configs/a.yaml\n    environments: # state the number\n"],
    [
      "facts:\n  - files: other.yaml\n    tasks: 3\n",
      "facts:\n  - files: other.yaml\n    tasks: 3\n  - files: configs/a.yaml\n    environments: # state the number\n",
    ],
    [
      "facts:\n  - files: configs/a.yaml\n    tasks: 3\npin: [tasks]\n",
      "facts:\n  - files: configs/a.yaml\n    tasks: 3\n    environments: # state the number\npin: [tasks]\n",
    ],
  ])("leaves a fact for a person to fill in", (before, after) => {
    expect(apply(before, { kind: "fact", file: "configs/a.yaml", axis: "environments" })).toBe(after);
  });

  it.each([
    ["facts:\n  a.yaml: { tasks: 3 }\npin: [tasks]\n", '  "b/**": { environments: 7 }\npin'],
    ["facts:\n  a.yaml:\n    tasks: 3 # ours\n", '    tasks: 3 # ours\n  "b/**": { environments: 7 }\n'],
    ['facts: { "a.yaml": { tasks: 3 } }\n', ', "b/**": { environments: 7 }}\n'],
    ['facts:\r\n  "b/**":\r\n    tasks: 4\r\n', "    tasks: 4\r\n    environments: 7\r\n"],
    ['facts:\n  "b/**": {}\n', '"b/**": { environments: 7 }\n'],
    ['facts:\n  "b/**":\n  c.yaml: { tasks: 1 }\n', '"b/**": { environments: 7 }\n  c.yaml'],
    ["facts: []\npin: [tasks]\n", '  - files: "b/**"\n    environments: 7\npin'],
    ["facts:\npin: [tasks]\n", '  - files: "b/**"\n    environments: 7\npin'],
  ])("a fact joins those that are there, however they are written: %j", (before, part) => {
    const after = apply(before, { kind: "fact", file: "b/**", axis: "environments", value: 7 }) ?? "";
    expect(after).toContain(part);
    const { facts, diagnostics } = readScalingFile("file:///w/scaling.yaml", after);
    expect(diagnostics).toEqual([]);
    const told = facts.filter(({ numbers }) => numbers.environments?.value === 7);
    expect(told.map(({ files }) => files)).toEqual([["b/**"]]);
    const rules = readScalingFile("file:///w/scaling.yaml", before).facts;
    for (const { files, numbers } of rules)
      if (numbers.tasks)
        expect(facts.find((one) => one.files[0] === files[0])?.numbers.tasks?.value).toBe(numbers.tasks.value);
  });

  it("the template reads without a complaint", () => {
    expect(readScalingFile("file:///w/scaling.yaml", scalingTemplate(["runs/**"])).diagnostics).toEqual([]);
    expect(parseYaml(scalingTemplate([]), { dialect: "1.2" }).diagnostics).toEqual([]);
  });
});

describe("text from files in Markdown", () => {
  it("has no characters left that Markdown or HTML would act on", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const escaped = escape(text);
        expect(escaped).not.toMatch(/[\r\n]/);
        expect(escaped.replace(/\\[\\`*_{}[\]()#!|~$]/g, "")).not.toMatch(/[\\`*_{}[\]()#!|~$<>]/);
        expect(escaped.replace(/&(amp|lt|gt|#\d+);/g, "")).not.toContain("&");
      }),
    );
  });

  it("cannot leave a code span", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const span = code(text);
        const [fence] = /^`+/.exec(span) ?? [""];
        const inside = span.slice(fence.length, span.length - fence.length);
        expect(inside.split(/[^`]+/)).not.toContain(fence);
        expect(span).not.toMatch(/[\r\n|]/);
      }),
    );
  });

  it("keeps a table's columns", () => {
    const cell = escape("a | b");
    expect(table(["x", "y"], [[cell, "2"]]).split("\n")[2]).toBe("| a \\| b | 2 |");
  });
});

describe("groups without signal", () => {
  it("match the closed form at a single rate, and the spread example", () => {
    expect(wastedShare([0.5], 8)).toBeCloseTo(2 * 0.5 ** 8, 12);
    // Beta(0.5, 0.5) has its quantiles at sin²(πu/2); the mean of p^8 + (1 − p)^8 over it is 39 %.
    const rates = Array.from({ length: 20_000 }, (_, i) => Math.sin((Math.PI * (i + 0.5)) / 40_000) ** 2);
    expect(wastedShare(rates, 8)).toBeCloseTo(0.393, 3);
  });

  it("halve where they halve", () => {
    const signal = groupSignal([0.3], 4, true)!;
    expect(wastedShare([0.3], signal.halvedAt!)).toBeLessThanOrEqual(signal.wasted / 2);
    expect(wastedShare([0.3], signal.halvedAt! - 1)).toBeGreaterThan(signal.wasted / 2);
    expect(groupSignal([0, 1], 4, true)?.halvedAt).toBeNull();
    expect(groupSignal([], 4, true)).toBeNull();
  });
});

describe("the calibrated recipe", () => {
  const budget = async () =>
    (await readConfig({ uri: "file:///w/a.budget.yaml", text: BUDGET, readText: () => Promise.resolve(undefined) }))
      .experiments[0];

  it("passes through the measured success, marked as prior", async () => {
    const fit = calibratedRecipe(await budget(), { successRate: 0.58, trials: 500 });
    if (!fit.ok) throw new Error(fit.problem.message);
    const law = openFit(fit.value);
    if (!law.ok) throw new Error(law.problem.message);
    const levels = { tasks: 1000, environments: 10, trajectories: 64, parameters: 8e9 };
    const here = predict(law.value, levels).successRate!;
    expect(here.estimate).toBeCloseTo(0.58, 6);
    // Run noise is itself uncertain (2 points, log-spread 0.9): wider than ±1.96·√(0.02² + 0.58·0.42/500), not twice as wide.
    const known = 2 * 1.96 * Math.sqrt(0.02 ** 2 + (0.58 * 0.42) / 500);
    expect(here.high - here.low).toBeGreaterThan(known);
    expect(here.high - here.low).toBeLessThan(2 * known);
    expect(predict(law.value, { ...levels, environments: 20 }).successRate!.estimate).toBeGreaterThan(0.58);
    for (const exponent of Object.values(fit.value.exponents))
      expect(exponent).toMatchObject({ status: "prior", shares: { data: 0, prior: 1 } });
    expect(law.value.priorOnly).toEqual(law.value.axes);
  });

  it("refuses what it cannot rest on", async () => {
    expect(calibratedRecipe(await budget(), { successRate: 0 }).ok).toBe(false);
    expect(calibratedRecipe(await budget(), { successRate: 1.2 }).ok).toBe(false);
    const bare = (
      await readConfig({
        uri: "file:///w/a.budget.yaml",
        text: "name: x\nbudget: {}\n",
        readText: () => Promise.resolve(undefined),
      })
    ).experiments[0];
    expect(calibratedRecipe(bare, { successRate: 0.5 })).toMatchObject({
      ok: false,
      problem: { code: "calibrate.levels" },
    });
  });
});

describe("the relative answer", () => {
  it("is (e − E)(1 − 2^−α), in points", () => {
    const file = simulatedFit();
    const law = openFit(file);
    if (!law.ok) throw new Error(law.problem.message);
    const answer = relativeAnswer({ law: law.value } as LawInForce, 0.6)!;
    const floor = file.floor.estimate!;
    const tasks = answer.doublings.find(({ axis }) => axis === "tasks")!;
    expect(tasks.points.estimate).toBeCloseTo(100 * (0.4 - floor) * (1 - 2 ** -file.exponents.tasks.estimate!), 6);
    expect(tasks.points.low).toBeLessThan(tasks.points.estimate);
    expect(relativeAnswer({ law: law.value } as LawInForce, 0.999)).toBeNull();
  });
});

describe("sources", () => {
  it("resolves folders, files and globs relative to scaling.yaml", async () => {
    const host = new MemoryHost();
    for (const path of ["runs/a/run.json", "runs/b/run.json", "old/x.csv", "old/y.csv", "odd name/r.csv"])
      host.set(`file:///w/${path.split("/").map(encodeURIComponent).join("/")}`, "x");
    const resolved = (globs: string[]) => resolveSources(host, "file:///w", globs);
    expect(await resolved(["runs/**"])).toEqual(["file:///w/runs"]);
    expect(await resolved(["runs/"])).toEqual(["file:///w/runs"]);
    expect(await resolved(["runs/*"])).toEqual(["file:///w/runs/a", "file:///w/runs/b"]);
    expect(await resolved(["old/*.csv", "old/x.csv"])).toEqual(["file:///w/old/x.csv", "file:///w/old/y.csv"]);
    expect(await resolved(["odd name/r.csv"])).toEqual(["file:///w/odd%20name/r.csv"]);
    expect(await resolved(["none/*.csv"])).toEqual([]);
  });
});

it("bytes survive base64", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40_000 }), (bytes) => {
      expect(fromBase64(toBase64(bytes))).toEqual(bytes);
    }),
    { numRuns: 20 },
  );
});
