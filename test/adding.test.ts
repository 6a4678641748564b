/**
 * Adding one more of a kind is one new file and one line in a list: done here in a copy of the project, and used end to end.
 * (A framework: test/configs/addingAFramework.test.ts.)
 */
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type * as Cli from "../server/cli/index";
import type * as Completion from "../server/features/completion";
import { ScratchCopy } from "./scratch";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const copy = new ScratchCopy([
  ...["server", "scripts", "extension", "renderer", "schemas", "docs", "l10n"],
  ...["README.md", "package.json", "package.nls.json", "esbuild.mjs"],
]);

/** What a person would write: a law along one axis that decays exponentially to its floor. */
const LAW = `import { floorParameter, logCoefficient, type LawFamily } from "./model";

export const exponential: LawFamily = {
  name: "exponential",
  form: "e = E + A·exp(−k·x/centre)",
  note: "Errors halve every so many units, down to a floor.",
  members: (axes, context) =>
    axes.length !== 1
      ? []
      : [
          {
            law: "exponential",
            variant: null,
            axes,
            parameters: [
              floorParameter(context),
              logCoefficient("A", context),
              { name: "k", role: "log-shape", low: -4, high: 4, prior: { mean: 0, sd: 1 } },
            ],
            evaluate(theta, u, m, e, jacobian, byLevel) {
              const k = Math.exp(theta[2]);
              for (let i = 0; i < m; i++) {
                const x = Math.exp(u[i]),
                  part = Math.exp(theta[1] - k * x);
                e[i] = theta[0] + part;
                if (jacobian) {
                  jacobian[i] = 1;
                  jacobian[m + i] = part;
                  jacobian[2 * m + i] = -part * k * x;
                }
                if (byLevel) byLevel[i] = -part * k * x;
              }
            },
            floor: (theta) => theta[0],
            posynomial: () => null,
            projection: null,
            starts: (_u, m, y, count, next) => {
              const low = Math.min(...y), high = Math.max(...y);
              return Array.from({ length: count }, () => [low * next(), Math.log(Math.max(high - low, 0.01)) + next(), 3 * next() - 1.5]);
            },
            natural: (theta) => [theta[0], Math.exp(theta[1]), Math.exp(theta[2])],
          },
        ],
};
`;

const CLI_COMMAND = `import type { Command } from "../command";

export const greet: Command = {
  name: "greet",
  usage: "greet NAME",
  summary: "greets",
  options: {},
  run: (engine, args) => {
    engine.io.out(\`hello \${args.positional[0]}\`);
    return Promise.resolve(0);
  },
};
`;

const PALETTE_COMMAND = `import * as vscode from "vscode";
import type { Command } from "./command";

export const greet: Command = {
  id: "scalingLens.greet",
  title: "Greet",
  when: "scalingLens.hasBudget",
  run: () => Promise.resolve(vscode.l10n.t("A greeting of the palette")),
};
`;

const CHART = `import { INK } from "./style";
import type { ChartTemplate } from "./template";

export const bars: ChartTemplate = {
  shape: {
    template: "bars",
    templateVersion: 1,
    columns: [
      { name: "kind", label: "row", kind: "text" },
      { name: "axis", label: "axis", kind: "text" },
      { name: "share", label: "share", kind: "percent" },
    ],
    tables: [{ kind: "bar", title: "Shares", columns: ["axis", "share"] }],
  },
  signals: (_payload, _rows, width) => ({ width: width - 100 }),
  spec: {
    data: { name: "rows" },
    width: 300,
    height: 80,
    mark: { type: "bar", color: INK },
    encoding: { x: { field: "share", type: "quantitative" }, y: { field: "axis", type: "nominal" } },
  },
};
`;

let engine: typeof Cli & typeof Completion;

beforeAll(async () => {
  copy.add("server/core/laws/exponential.ts", LAW);
  copy.enter("server/core/laws/list.ts", "exponential", "./exponential", "LAWS: readonly LawFamily[] = [");
  copy.add("server/cli/commands/greet.ts", CLI_COMMAND);
  copy.enter("server/cli/commands/index.ts", "greet", "./greet", "COMMANDS: readonly Command[] = [");
  copy.add("extension/commands/greet.ts", PALETTE_COMMAND);
  copy.enter("extension/commands/index.ts", "greet", "./greet", "COMMANDS: readonly Command[] = [");
  copy.add("renderer/charts/bars.ts", CHART);
  copy.enter("renderer/charts/index.ts", "bars", "./bars", "CHARTS: readonly ChartTemplate[] = [");
  execFileSync(process.execPath, ["scripts/generate.mjs"], { cwd: copy.folder, stdio: "pipe" });
  engine = await copy.load('export * from "./server/cli/index";', 'export * from "./server/features/completion";');
});
afterAll(() => copy.remove());

async function cli(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = "",
    err = "";
  const code = await engine.main(argv, {
    cwd: copy.folder,
    out: (text) => void (out += `${text}\n`),
    err: (text) => void (err += `${text}\n`),
    interactive: false,
    progress: () => undefined,
  });
  return { code, out, err };
}

describe("a law", () => {
  const rows = [50, 100, 200, 300, 400, 500, 600, 800].map((tasks) => {
    const success = 1 - (0.1 + 0.8 * Math.exp(-tasks / 200));
    return `${tasks},${Math.round(2000 * success)},2000`;
  });

  test("is fitted by name, and chosen by auto where runs follow it", async () => {
    copy.add("runs.csv", `tasks,successes,trials\n${rows.join("\n")}\n`);
    const named = await cli("fit", "runs.csv", "--law", "exponential", "--bootstrap", "40");
    expect(named.code).toBe(0);
    expect(named.out).toMatch(/^exponential law/m);
    expect(named.out).toMatch(/floor 0\.(09|10|11)/);
    const auto = await cli("fit", "runs.csv", "--bootstrap", "40");
    expect(auto.out).toMatch(/^exponential law/m);
  });

  test("is in the schema of scaling.yaml, in its completion, and in what agents may ask for", async () => {
    expect(copy.text("schemas/scaling.schema.json")).toContain('"exponential"');
    expect(engine.completions("scaling", "yaml", "law: ", 5).map(({ label }) => label)).toContain("exponential");
    expect(copy.text("package.json")).toMatch(/one of auto, [^"]*exponential/);
    expect((await cli("fit", "runs.csv", "--law", "exponentiall")).err).toContain("exponential, ");
  });
});

test("a command of the command line is listed, completed and run", async () => {
  expect((await cli("help")).out).toMatch(/^ {2}greet +greets$/m);
  expect(await cli("greet", "you")).toEqual({ code: 0, out: "hello you\n", err: "" });
  expect((await cli("completion", "bash")).out).toContain("greet");
});

test("a palette command is contributed, with its title and its condition, and its texts can be translated", () => {
  const manifest = JSON.parse(copy.text("package.json")) as {
    contributes: { commands: unknown[]; menus: { commandPalette: unknown[] } };
  };
  expect(manifest.contributes.commands).toContainEqual({
    command: "scalingLens.greet",
    title: "%command.greet%",
    category: "Scaling Lens",
  });
  expect(manifest.contributes.menus.commandPalette).toContainEqual({
    command: "scalingLens.greet",
    when: "scalingLens.hasBudget",
  });
  expect(JSON.parse(copy.text("package.nls.json"))).toMatchObject({ "command.greet": "Greet" });
  expect(copy.text("l10n/bundle.l10n.json")).toContain("A greeting of the palette");
});

test("a chart is compiled with the others and drawn", async () => {
  const script = `
    import { loadTemplates, toVega } from "./scripts/charts.mjs";
    import { parse, View } from "vega";
    const { CHARTS, CONFIG } = await loadTemplates(process.cwd());
    const chart = CHARTS.find(({ shape }) => shape.template === "bars");
    const view = new View(parse(toVega(chart, CONFIG)), { renderer: "none" });
    view.data("rows", [{ kind: "bar", axis: "tasks", share: 0.25 }, { kind: "bar", axis: "environments", share: 0.75 }]);
    for (const [name, value] of Object.entries(chart.signals({}, [], 400))) view.signal(name, value);
    await view.runAsync();
    process.stdout.write(await view.toSVG());
  `;
  copy.add("draw.mjs", script);
  const svg = execFileSync(process.execPath, ["draw.mjs"], { cwd: copy.folder, encoding: "utf8" });
  const bars = /<g class="mark-rect role-mark[^"]*"[^>]*>(.*?)<\/g>/s.exec(svg)?.[1] ?? svg;
  expect(bars.match(/<path /g)).toHaveLength(2);
  expect(svg).toContain("environments");
});
