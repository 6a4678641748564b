import { describe, expect, it } from "vitest";
import { queryCompletion, queryDiagnostics, queryHover } from "../../../server/features/cells";

/** Labels offered where `|` stands. */
const offered = (marked: string): string[] =>
  queryCompletion(marked.replace("|", ""), marked.indexOf("|")).map(({ label }) => label);

describe("completion in a fit cell", () => {
  it.each([
    ["|", ["fit", "predict", "allocate", "compare", "measure", "forecast", "plan", "show"]],
    ["fit: runs\n|", ["predict", "allocate", "compare", "measure", "forecast", "plan", "show"]],
    ["fit: { logs: x, |", ["file", "law", "by", "axes", "metric", "final", "loss", "huber_delta", "bootstrap", "seed"]],
    [
      "fit:\n  logs: a\n  |",
      ["file", "law", "by", "axes", "metric", "final", "loss", "huber_delta", "bootstrap", "seed"],
    ],
    ["fit:\n  logs: a\n  final: |", ["last3", "last"]],
    ["fit: { by: [model, |", ["algorithm", "domain"]],
    ["fit:\n  by:\n    - |", ["model", "algorithm", "domain"]],
    [
      "show: [axes, |]",
      ["exponents", "residuals", "synthesis", "discounts", "split", "frontier", "growth", "runs", "curves"],
    ],
    ["allocate:\n  pin: [|", ["tasks", "environments", "worlds", "structures", "trajectories", "parameters"]],
    ["predict:\n  - |", ["tasks", "environments", "worlds", "structures", "trajectories", "parameters", "setting"]],
    [
      'fit: { logs: "a: {", |',
      ["file", "law", "by", "axes", "metric", "final", "loss", "huber_delta", "bootstrap", "seed"],
    ],
  ])("%j", (marked, labels) => {
    expect(offered(marked)).toEqual(labels);
  });

  it("explains what it offers", () => {
    const [first] = queryCompletion("", 0);
    expect(first.documentation).toMatchObject({
      kind: "markdown",
      value: expect.stringContaining("run logs") as unknown,
    });
    expect(first.insertText).toBe("fit: ");
  });
});

describe("hover in a fit cell", () => {
  it("explains keys at any depth, with the values they take", () => {
    expect(queryHover("fit:\n  law: auto\n", 8)).toMatchObject({
      range: { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } },
      contents: { value: expect.stringContaining("`multiplicative`") as unknown },
    });
    expect(queryHover("predict:\n  - { tasks: 3 }\n", 15)).toMatchObject({
      contents: { value: expect.stringContaining("**tasks**") as unknown },
    });
    expect(queryHover("fit: runs", 7)).toBeNull();
    expect(queryHover("", 0)).toBeNull();
  });
});

describe("diagnostics in a fit cell", () => {
  it("stand on their line", () => {
    expect(queryDiagnostics("fit:\n  logs: runs\n  lwa: auto\n")).toEqual([
      {
        range: { start: { line: 2, character: 2 }, end: { line: 2, character: 5 } },
        severity: 1,
        code: "query.unknown",
        source: "Scaling Lens",
        message: "Unknown key `lwa`. Did you mean `law`?",
      },
    ]);
    expect(queryDiagnostics("")).toEqual([]);
  });
});
