import { transformSync } from "esbuild";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as mechanism from "../../server/frameworks/reading/read";
import { parseSyntax } from "../../server/configs/read";
import type { BudgetTarget, Fact } from "../../server/budget/budget";
import { splice } from "../../server/syntax/text";

/** The worked example of docs/adding-a-framework.md is run as it is printed. */
const blocks = [
  ...readFileSync(new URL("../../docs/adding-a-framework.md", import.meta.url), "utf8").matchAll(
    /```(\w+)\n([\s\S]*?)```/g,
  ),
].map((match) => match[2]);
const [config, declaration, , golden] = blocks;

function declared(source: string): mechanism.Framework {
  const names =
    /import \{ (.*?) \} from "\.\.\/framework";/
      .exec(source)?.[1]
      .split(", ")
      .filter((name) => !name.startsWith("type ")) ?? [];
  const { code } = transformSync(
    source.replace(/^import .*$/m, "").replace("export const gardener", "const gardener"),
    { loader: "ts" },
  );
  const known = mechanism as unknown as Record<string, unknown>;
  return new Function(...names, `${code}\nreturn gardener;`)(
    ...names.map((name) => known[name]),
  ) as mechanism.Framework;
}

interface Expected {
  readonly framework: string;
  readonly experiments: readonly [
    Record<string, unknown> & { source: Record<string, string>; at: Record<string, string> },
  ];
  readonly diagnostics: readonly string[];
  readonly edits: readonly {
    target: BudgetTarget;
    changes: string[];
    remainder?: string[];
    after?: Record<string, unknown>;
  }[];
}

async function read(framework: mechanism.Framework, text: string) {
  const document = await parseSyntax("file:///w/beds.yaml", text);
  const recognised = mechanism.recognise([framework], document.variants[0], document.syntax, text);
  expect(recognised?.framework.id).toBe("gardener");
  const opened = mechanism.openConfig(framework, document.variants[0], document.syntax, text);
  const { experiment, diagnostics } = mechanism.readExperiment(framework, opened);
  const facts: Record<string, Fact<string | number>> = {
    ...experiment.axes,
    ...(experiment as unknown as Record<string, Fact<string | number>>),
    model: experiment.model.name,
  };
  return { opened, experiment, diagnostics, facts };
}

describe("the worked example of adding a framework", () => {
  const framework = declared(declaration);
  const expected = parse(golden) as Expected;

  test("is read as its fixture says", async () => {
    const { facts, diagnostics } = await read(framework, config);
    const { source, at, ...values } = expected.experiments[0];
    for (const [key, value] of Object.entries(values)) expect({ [key]: facts[key].value }).toEqual({ [key]: value });
    for (const [key, name] of Object.entries(source)) expect((facts[key] as { source: string }).source).toBe(name);
    for (const [key, text] of Object.entries(at)) {
      const { span } = facts[key] as { span: { start: number; end: number } };
      expect(config.slice(span.start, span.end)).toBe(text);
    }
    expect(diagnostics.map((one) => one.code)).toEqual(expected.diagnostics);
  });

  test.each(expected.edits)("edits: $target", async ({ target, changes, remainder, after }) => {
    const { opened, experiment } = await read(framework, config);
    const plan = mechanism.planEdits(framework, opened, experiment, target);
    expect(plan.edits.map((one) => `${one.path}: ${one.from} -> ${one.to}`)).toEqual(changes);
    expect(plan.remainder.map((one) => one.axis)).toEqual(remainder ?? []);
    const again = await read(
      framework,
      splice(
        config,
        plan.edits.map((one) => ({ span: one.span, newText: one.to })),
      ),
    );
    for (const [key, value] of Object.entries(after ?? {}))
      expect({ [key]: again.facts[key].value }).toEqual({ [key]: value });
  });
});
