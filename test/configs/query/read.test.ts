import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readQuery } from "../../../server/configs/cells/read";

const wrong = (text: string): string[] =>
  readQuery(text).diagnostics.map(
    ({ code, span, message }) => `${code} «${text.slice(span.start, span.end)}» ${message}`,
  );

describe("reading a fit cell", () => {
  it("takes the cell of the documentation", () => {
    expect(
      readQuery(
        'fit: { logs: "runs/**", law: auto, by: [model, algorithm, domain] }\nshow: [axes, exponents, residuals]\n',
      ).query,
    ).toEqual({
      fit: { logs: ["runs/**"], law: "auto", by: ["model", "algorithm", "domain"] },
      show: ["axes", "exponents", "residuals"],
    });
    expect(
      wrong(
        'fit: { logs: "runs/**", law: auto, by: [model, algorithm, domain] }\nshow: [axes, exponents, residuals]\n',
      ),
    ).toEqual([]);
  });

  it("takes the short forms", () => {
    expect(readQuery("fit: runs/**").query.fit).toEqual({ logs: ["runs/**"] });
    expect(readQuery("fit: fits/a.fit.json").query.fit).toEqual({ file: "fits/a.fit.json" });
    expect(readQuery("allocate: a.budget.yaml").query.allocate).toEqual({
      budget: "a.budget.yaml",
      sameSuccess: false,
      pin: [],
    });
    expect(readQuery("plan: a.budget.yaml").query.plan).toEqual({ budget: "a.budget.yaml" });
    expect(readQuery("compare: [a.yaml, b.yaml]").query.compare).toEqual(["a.yaml", "b.yaml"]);
  });

  it("evaluates amounts and reads lists of levels", () => {
    expect(
      readQuery("predict:\n  - { tasks: 2^11, environments: 24 }\n  - { tasks: 16k, parameters: 8.2B, setting: x }\n")
        .query.predict,
    ).toEqual([
      { levels: { tasks: 2048, environments: 24 } },
      { levels: { tasks: 16000, parameters: 8.2e9 }, setting: "x" },
    ]);
    expect(readQuery("allocate: { budget: a.yaml, compute: 3e19 FLOPs, pin: [tasks] }").query.allocate).toEqual({
      budget: "a.yaml",
      compute: "3e19 FLOPs",
      sameSuccess: false,
      pin: ["tasks"],
    });
  });

  it.each([
    ["fit:\n  logs: runs\n  lwa: auto\n", ["query.unknown «lwa» Unknown key `lwa`. Did you mean `law`?"]],
    ["fit: { logs: runs, law: adittive }", ["query.value «adittive» Expected"]],
    ["fit: { bootstrap: -3, logs: runs }", ["query.value «-3» Must be at least 0; it is -3."]],
    ["fit: { law: auto }", ["query.missing «law» Say what to fit"]],
    ["allocate: { pin: [tasks] }", ["query.missing «pin» Say which experiment"]],
    ["show: [axs]", ["query.value «axs» Expected"]],
    ["predict: { tasks: -4 }", ["query.value «-4» Must be above 0; it is -4."]],
    ["fit: runs\n---\nfit: other\n", ["query.several"]],
  ])("%j: a diagnostic on what caused it", (text, expected) => {
    const found = wrong(text);
    expect(found).toHaveLength(expected.length);
    expected.forEach((start, i) =>
      expect(found[i].startsWith(start), `${found[i]} does not begin with ${start}`).toBe(true),
    );
  });

  it("keeps what it understood of a broken cell", () => {
    const { query, diagnostics } = readQuery("fit: { logs: runs, law: }\nshow: [axes\nallocate: a.yaml\n");
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(query.fit?.logs).toEqual(["runs"]);
  });

  it("never throws, and its ranges lie in the text", () => {
    const word = fc.constantFrom(
      "fit",
      "logs",
      "show",
      "predict",
      "tasks",
      "axes",
      ":",
      " ",
      "\n",
      "  ",
      "- ",
      "{",
      "}",
      "[",
      "]",
      ",",
      '"',
      "&a",
      "*a",
      "1e400",
      "null",
      "#",
      "\t",
      "---",
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 40 }).map((words) => words.join("")),
        (text) => {
          for (const { span } of readQuery(text).diagnostics) {
            expect(span.start).toBeGreaterThanOrEqual(0);
            expect(span.end).toBeLessThanOrEqual(text.length);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
