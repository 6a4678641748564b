import { describe, expect, it } from "vitest";
import { openFit } from "../../server/core/fit";
import type { FitFile } from "../../server/core/fit/file/file";
import type { SynthesisEstimate } from "../../server/core/synthesis/drawn";
import { synthesisRatio } from "../../server/report/figures";
import { allFigures } from "../core/figures/all";
import { FRONTIER_INPUT, GROWTH_INPUT, oneSetting, SPLIT_INPUT, SYNTHESIS } from "../core/figures/fixture";
import { sceneOf } from "./scene";

const figures = allFigures();
/** Payloads keep four or five digits, and scales are inverted from pixels. */
const close = (actual: number, expected: number | undefined): void =>
  expect(Math.abs(actual / (expected ?? NaN) - 1)).toBeLessThan(2e-3);

describe("what is drawn is what the engine says", () => {
  it("axis fits: every run and the line, at the law's numbers", async () => {
    const fit = oneSetting();
    const opened = openFit(fit);
    if (!opened.ok) throw new Error(opened.problem.message);
    const law = opened.value;
    const centre = law.axes.map((axis) => law.ranges[axis].centre);
    const scene = await sceneOf(figures.axisFits);
    const points = scene.marks("symbol");
    expect(points).toHaveLength(48 * 3);
    for (const mark of points) {
      const run = fit.runs.find(({ id }) => id === mark.datum.run);
      const i = law.axes.indexOf(String(mark.datum.panel));
      const own = law.axes.map((axis) => run?.axes[axis] ?? NaN);
      const moved = centre.map((level, j) => (i === j ? own[i] : level));
      close(scene.value("y", mark.y), ((1 - (run?.rate ?? NaN)) * law.point.error(moved)) / law.point.error(own));
    }
    const lines = scene.marks("line").filter((mark) => mark.datum.panel === "environments");
    expect(lines.length).toBeGreaterThan(30);
    for (const mark of lines) {
      const levels = centre.map((level, j) => (law.axes[j] === "environments" ? Number(mark.datum.x) : level));
      if (law.point.error(levels) < 1) close(scene.value("y", mark.y), law.point.error(levels));
    }
  });

  it("axis fits: the band holds 95 % of the draws at each level", async () => {
    const opened = openFit(oneSetting());
    if (!opened.ok) throw new Error(opened.problem.message);
    const law = opened.value;
    const scene = await sceneOf(figures.axisFits);
    for (const mark of scene.marks("area").filter(({ datum }) => datum.panel === "tasks" && datum.part === "within")) {
      const levels = law.axes.map((axis) => (axis === "tasks" ? Number(mark.datum.x) : law.ranges[axis].centre));
      const [low, high] = [scene.value("y", mark.y), scene.value("y", mark.y2 ?? NaN)].sort((a, b) => a - b);
      const inside = law.draws.filter(
        (draw) => draw.error(levels) >= low * 0.998 && draw.error(levels) <= high * 1.002,
      ).length;
      expect(inside / law.draws.length).toBeGreaterThanOrEqual(0.93);
      expect(inside / law.draws.length).toBeLessThan(1);
    }
  });

  it("axis fits: dashed beyond the data, hollow where held out", async () => {
    const scene = await sceneOf(figures.axisFits);
    const ranges = oneSetting().ranges;
    for (const mark of scene.marks("line")) {
      const { min, max } = ranges[String(mark.datum.panel)];
      const beyond = Number(mark.datum.x) > max * 1.001 || Number(mark.datum.x) < min * 0.999;
      if (beyond) expect(mark.strokeDash).toEqual([4, 3]);
      if (mark.datum.part === "within") expect(mark.strokeDash).toBeUndefined();
    }
    const held = scene.marks("symbol").filter(({ datum }) => datum.held);
    expect(held.length).toBe(3 * oneSetting().runs.filter((run) => run.heldOut).length);
    expect(held.length).toBeGreaterThan(0);
    for (const mark of held) expect(mark.fill).toContain("editor-background");
  });

  it("forest: exponents with their intervals, a rule at 0", async () => {
    const scene = await sceneOf(figures.forest);
    const { exponents } = oneSetting();
    for (const mark of scene.marks("symbol")) {
      const value = exponents[String(mark.datum.label)];
      close(scene.value("x", mark.x), value.estimate ?? NaN);
    }
    const rules = scene.marks("rule");
    expect(rules.filter(({ datum }) => datum.kind === "one")).toHaveLength(3);
    for (const mark of rules.filter(({ datum }) => datum.kind === "one")) {
      const value = exponents[String(mark.datum.label)];
      const ends = [scene.value("x", mark.x), scene.value("x", mark.x2 ?? NaN)].sort((a, b) => a - b);
      close(ends[0], value.low ?? NaN);
      close(ends[1], value.high ?? NaN);
    }
    expect(rules.some((mark) => mark.datum.kind === undefined && Math.abs(scene.value("x", mark.x)) < 1e-9)).toBe(true);
  });

  it("forest of settings: squares by setting, diamonds pooled", async () => {
    const scene = await sceneOf(figures.forestThree);
    const marks = scene.marks("symbol");
    expect(marks.filter(({ datum }) => datum.kind === "one")).toHaveLength(9);
    expect(marks.filter(({ datum }) => datum.kind === "pooled")).toHaveLength(3);
  });

  it("synthesis: r* with its interval, and no rule where it is not identified", async () => {
    const scene = await sceneOf(figures.synthesisRatio);
    const critical = SYNTHESIS.environments.genenv.criticalRatio;
    const ratio = (pixel: number): number => scene.panels[0].scale("child_x")?.invert(pixel) ?? NaN;
    const shaded = scene.marks("rect");
    expect(shaded).toHaveLength(1);
    close(ratio(shaded[0].x), critical.low ?? NaN);
    close(ratio(shaded[0].x + (shaded[0].width ?? NaN)), critical.high ?? NaN);
    const rules = scene.marks("rule");
    expect(rules).toHaveLength(1);
    close(ratio(rules[0].x), critical.estimate ?? NaN);
  });

  it("synthesis: an edge is 0 or ∞ only where something stands there, and the curve keeps away from it", async () => {
    const labels = async (fit: FitFile) => {
      const scene = await sceneOf(synthesisRatio(fit, { link: "x" }));
      const marked = ((await scene.view.toSVG()).match(/>(0|∞)<\/text>/g) ?? []).map((text) => text[1]);
      return { scene, marked: marked.join("") };
    };
    const withReal = oneSetting();
    const { scene, marked } = await labels(withReal);
    // Two panels; no interval of r* is open.
    expect(marked).toBe("00");
    const atZero = scene
      .marks("symbol")
      .filter(({ datum }) => datum.ratio === 0 || Number(datum.at) === scene.view.signal("zero"));
    expect(atZero.map(({ datum }) => datum.y)).toEqual([1, 1]);
    for (const line of scene.marks("line")) expect(line.x).toBeGreaterThan(atZero[0].x + 5);

    const tried = ([, value]: [string, SynthesisEstimate]): [string, SynthesisEstimate] => [
      "genenv",
      { ...value, evidence: value.evidence.filter(({ ratio }) => ratio > 0) },
    ];
    const environments = Object.fromEntries(Object.entries(withReal.synthesis.environments).map(tried));
    expect((await labels({ ...withReal, synthesis: { environments } })).marked).toBe("");
    const open = Object.fromEntries(
      Object.entries(environments).map(([name, value]) => [
        name,
        { ...value, criticalRatio: { ...value.criticalRatio, high: Infinity } },
      ]),
    );
    expect((await labels({ ...withReal, synthesis: { environments: open } })).marked).toBe("∞");
  });

  it("discounts: κ and its interval", async () => {
    const scene = await sceneOf(figures.discounts);
    const values = scene.marks("symbol").map((mark) => scene.value("x", mark.x));
    close(values[0], SYNTHESIS.environments.genenv.discount.estimate ?? NaN);
    close(values[1], SYNTHESIS.tasks["self-instruct"].discount.estimate ?? NaN);
  });

  it("split: now and optimum, sorted by change", async () => {
    const scene = await sceneOf(figures.split);
    const symbols = scene.marks("symbol");
    for (const one of SPLIT_INPUT.axes) {
      const own = symbols.filter(({ datum }) => datum.axis === one.axis).map((mark) => scene.value("x", mark.x));
      if (!("currentShare" in one)) {
        expect(own).toHaveLength(0);
        continue;
      }
      close(own[0], one.currentShare);
      close(own[1], one.optimumShare);
    }
    const byHeight = [...symbols].sort((a, b) => a.y - b.y).map(({ datum }) => datum.axis);
    expect([...new Set(byHeight)]).toEqual(["trajectories", "environments", "tasks"]);
  });

  it("split: factors of change where one bill pays for everything", async () => {
    const scene = await sceneOf(figures.splitFactors);
    const places = Object.fromEntries(
      scene
        .marks("symbol")
        .filter((_, i) => i >= 3)
        .map((mark) => [String(mark.datum.axis), 2 ** scene.value("x", mark.x)]),
    );
    close(places.environments, 61 / 24);
    close(places.trajectories, 6 / 16);
  });

  it("frontier: both points, and an arrow of equal success as long as the gain", async () => {
    const scene = await sceneOf(figures.frontier);
    const [arrow] = scene.marks("rule");
    close(scene.value("x", arrow.x) / scene.value("x", arrow.x2 ?? NaN), FRONTIER_INPUT.gain?.estimate ?? NaN);
    close(scene.value("y", arrow.y), FRONTIER_INPUT.here.success.estimate);
    expect(scene.marks("text").map((mark) => mark.text)).toContain("1.7× [1.4, 2.1]");
  });

  it("frontier: no arrow where the curve does not pass the success", async () => {
    const scene = await sceneOf(figures.frontierWithoutGain);
    expect(scene.marks("rule")).toHaveLength(0);
    expect(figures.frontierWithoutGain.text).toContain("no gain is shown");
  });

  it("calibration: predicted against observed, identity and zero", async () => {
    const scene = await sceneOf(figures.calibration);
    const fit = oneSetting();
    const shown = scene.marks("symbol").slice(0, 48);
    for (const mark of shown) {
      const run = fit.runs.find(({ id }) => id === mark.datum.run);
      expect(Math.abs(scene.value("concat_0_y", mark.y) - (run?.rate ?? NaN))).toBeLessThan(1e-3);
    }
    const identity = scene.marks("line").slice(0, 2);
    for (const mark of identity)
      expect(Math.abs(scene.value("concat_0_x", mark.x) - scene.value("concat_0_y", mark.y))).toBeLessThan(1e-9);
  });

  it("growth: the best amounts, where you are, and shares that add up", async () => {
    const scene = await sceneOf(figures.growth);
    const at = GROWTH_INPUT.points[8];
    const mark = scene
      .marks("line")
      .find(({ datum }) => datum.axis === "tasks" && Math.abs(Number(datum.x) / at.cost - 1) < 1e-4);
    close(scene.value("concat_0_y", mark?.y ?? NaN), at.levels.tasks ?? NaN);
    close(scene.value("concat_0_x", scene.marks("rule")[0].x), GROWTH_INPUT.here);
    const tops = scene
      .marks("area")
      .filter(({ datum }) => datum.axis === "trajectories")
      .map(({ y2 }) => scene.value("concat_1_y", y2 ?? NaN));
    for (const top of tops) expect(top).toBeCloseTo(1, 3);
  });
});

describe("panels that wrap", () => {
  it.each([
    [760, 1],
    [500, 2],
    [300, 3],
  ])("at %i pixels: %i rows, each with its axis and room for its headings", async (width, rows) => {
    const scene = await sceneOf(figures.axisFits, {}, width);
    expect(new Set(scene.panels.map(({ y }) => y)).size).toBe(rows);
    const axes = ((await scene.view.toSVG()).match(/failure rate \(log\)/g) ?? []).length;
    expect(axes).toBe(rows);
    const tops = [...new Set(scene.panels.map(({ y }) => y))].sort((a, b) => a - b);
    // Tick labels take 20 pixels, a heading of two lines 32.
    for (let i = 1; i < tops.length; i++) expect(tops[i] - tops[i - 1] - scene.panels[0].height).toBeGreaterThan(52);
  });

  it("show the ratio's axis title above the next panel's heading", async () => {
    const scene = await sceneOf(figures.synthesisRatio, {}, 400);
    const [first, second] = scene.panels;
    expect(second.x).toBe(first.x);
    expect(second.y - first.y - first.height).toBeGreaterThan(38 + 46);
  });
});
