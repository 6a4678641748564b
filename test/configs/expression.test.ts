import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readExpression, readQuantity } from "../../server/syntax/quantity/expression";
import { describeDimension, unitNames } from "../../server/syntax/quantity/units";
import { editDistance, nearest } from "../../server/syntax/nearest";

const value = (text: string): number | string => {
  const result = readExpression(text);
  return result.ok ? result.quantity.value : result.problem.code;
};

describe("expressions", () => {
  test.each([
    ["64 * 250", 16000],
    ["2^14", 16384],
    ["2**20", 1048576],
    ["1_000", 1000],
    ["512k", 512000],
    ["5M", 5e6],
    ["8.2B", 8.2e9],
    ["1_024 * 2", 2048],
    ["3.2e19", 3.2e19],
    ["-3", -3],
    ["(2 + 3) * 4", 20],
    ["10 % 3", 1],
    ["40 %", 0.4],
    ["40%", 0.4],
    ["min(3, 2, 5)", 2],
    ["ceil(7 / 2)", 4],
    ["sqrt(2^4)", 4],
    ["log2(8)", 3],
    ["2 ** -1", 0.5],
    ["2^3^2", 512],
    ["7 / 2", 3.5],
    ["1e-4", 1e-4],
  ])("%s is %d", (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  test.each([
    ["3.2e19 FLOPs", 3.2e19, "FLOPs"],
    ["32 EFLOPs", 32e18, "FLOPs"],
    ["60 GPUh", 60, "GPU·h"],
    ["1.5 kGPUh", 1500, "GPU·h"],
    ["60 GPU-hours", 60, "GPU·h"],
    ["60 gpu hours", 60, "GPU·h"],
    ["16 GPU * 24 h", 384, "GPU·h"],
    ["150 USD", 150, "USD"],
    ["$150", 150, "USD"],
    ["2.5 USD/h", 2.5, "USD/h"],
    ["$2.5/h", 2.5, "USD/h"],
    ["90 min", 1.5, "h"],
    ["2 days", 48, "h"],
    ["12k tokens", 12000, "a plain number"],
    ["60 GPUh * 2.5 USD/h / (1 GPU)", 150, "USD"],
  ])("%s is %d in %s", (text, expected, unit) => {
    const result = readExpression(text);
    expect(result).toMatchObject({ ok: true });
    if (!result.ok) return;
    expect(result.quantity.value).toBeCloseTo(expected, 6);
    expect(describeDimension(result.quantity.dimension)).toBe(unit);
  });

  test.each([
    ["ones(10000,10000)", "unknown-name", "ones"],
    ["x = 3", "not-allowed", "x = 3"],
    ["[1, 2]", "not-allowed", "[1, 2]"],
    ["{a: 1}", "not-allowed", "{a: 1}"],
    ["1; 2", "not-allowed", "1; 2"],
    ["f(x) = x", "not-allowed", "f(x) = x"],
    ["'text'", "not-allowed", "text"],
    ["3 > 2", "not-allowed", "3 > 2"],
    ["true ? 1 : 2", "not-allowed", "true ? 1 : 2"],
    ["a.b", "not-allowed", "a.b"],
    ["5!", "not-allowed", "5!"],
    ["64 *", "syntax", " *"],
    ["(1", "syntax", "1"],
    ["1 2", "syntax", "2"],
    ["", "syntax", ""],
    ["12 tokenz", "unknown-name", "tokenz"],
    ["2 * foo", "unknown-name", "foo"],
    ["1 USD + 1 h", "unit", "1 USD + 1 h"],
    ["1e400", "not-finite", "1e400"],
    ["1 / 0", "not-finite", "1 / 0"],
    ["0/0", "not-finite", "0/0"],
    ["2 ^ (1 h)", "unit", "^"],
    ["log2(1 USD)", "unit", "log2"],
    ["sqrt()", "syntax", "sqrt"],
    ["import('fs')", "not-allowed", "fs"],
    ["cos.constructor('return 1')", "not-allowed", "return 1"],
    ["cos.constructor('return 1')()", "syntax", ""],
    ["1" + " + 1".repeat(80), "too-long", undefined],
  ])("%s is refused as %s, pointing at %s", (text, code, at) => {
    const result = readExpression(text);
    expect(result).toMatchObject({ ok: false, problem: { code } });
    if (!result.ok && at !== undefined && code !== "syntax")
      expect(text.slice(result.problem.start, result.problem.end)).toBe(at);
    if (!result.ok) {
      expect(result.problem.start).toBeGreaterThanOrEqual(0);
      expect(result.problem.end).toBeLessThanOrEqual(text.length);
    }
  });

  test("an error after a rewritten part points into the text as written", () => {
    const result = readExpression("2**3 + 1_000 * oops");
    expect(result.ok ? "" : "2**3 + 1_000 * oops".slice(result.problem.start, result.problem.end)).toBe("oops");
    const syntax = readExpression("2**3 + 1_000 )");
    expect(syntax.ok ? -1 : syntax.problem.start).toBe("2**3 + 1_000 ".length);
  });

  test("a quantity of another unit is refused with both units", () => {
    expect(readQuantity("3 USD", [{ flops: 1 }])).toMatchObject({
      ok: false,
      problem: { code: "unit", message: "Expected FLOPs, found USD." },
    });
    expect(readQuantity("3 GPUh", [{ flops: 1 }, { gpu: 1, hour: 1 }])).toMatchObject({ ok: true });
  });

  test("no text throws, hangs or gives anything but a finite number or a problem inside the text", () => {
    const words = fc.constantFrom(
      "1",
      "2.5",
      "1e9",
      "k",
      "GPUh",
      "USD",
      "/",
      "*",
      "**",
      "^",
      "+",
      "-",
      "(",
      ")",
      ",",
      "min",
      "log2",
      "%",
      "_",
      " ",
      "$",
      "[",
      "]",
      "=",
      ";",
      "'",
      '"',
      ".",
      "!",
      "{",
      "}",
      ":",
      "#",
      "\n",
      "tokens",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words, { maxLength: 20 }).map((parts) => parts.join("")),
        ),
        (text) => {
          const result = readExpression(text);
          if (result.ok) expect(Number.isFinite(result.quantity.value)).toBe(true);
          else {
            expect(result.problem.start).toBeGreaterThanOrEqual(0);
            expect(result.problem.end).toBeLessThanOrEqual(Math.max(text.length, 0));
            expect(result.problem.message.length).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: 1500 },
    );
  });

  test("sums and products agree with plain arithmetic", () => {
    const tree: fc.Arbitrary<{ text: string; value: number }> = fc.letrec<{ node: { text: string; value: number } }>(
      (tie) => ({
        node: fc.oneof(
          { maxDepth: 4 },
          fc.integer({ min: 0, max: 99999 }).map((n) => ({ text: String(n), value: n })),
          fc.tuple(tie("node"), fc.constantFrom("+", "-", "*"), tie("node")).map(([a, op, b]) => ({
            text: `(${a.text} ${op} ${b.text})`,
            value: op === "+" ? a.value + b.value : op === "-" ? a.value - b.value : a.value * b.value,
          })),
        ),
      }),
    ).node;
    fc.assert(
      fc.property(tree, ({ text, value: expected }) => {
        fc.pre(text.length < 300);
        expect(value(text)).toBeCloseTo(expected, 5);
      }),
      { numRuns: 300 },
    );
  });
});

describe("suggestions", () => {
  test.each([
    ["enviroments", "environments"],
    ["taks", "tasks"],
    ["trajectory", "trajectories"],
    ["TASKS", "tasks"],
    ["xyzzy", undefined],
  ])("%s suggests %s", (typed, expected) => {
    expect(nearest(typed, ["tasks", "environments", "trajectories", "reward_scheme"])).toBe(expected);
  });

  test("the distance is symmetric and counts a swap once", () => {
    expect(editDistance("taks", "task")).toBe(1);
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, a)).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  test("unit names are unique", () => {
    expect(new Set(unitNames()).size).toBe(unitNames().length);
  });
});
