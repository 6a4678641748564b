import { afterEach, describe, expect, it } from "vitest";
import type { AnnotatedTextEdit, TextDocumentEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { Requests, type DocumentReply, type OptimiseReply } from "../../server/protocol";
import { applyEdits, TestClient, type ClientOptions } from "./client";
import { MemoryHost } from "./memoryHost";
import { addProject, BUDGET, BUDGET_URI, SCALING_WITH_LOGS } from "./runs";

const clients: TestClient[] = [];

async function start(options: ClientOptions = {}): Promise<TestClient> {
  const client = await TestClient.start(options);
  clients.push(client);
  return client;
}

/** A client with the budget open and its fit loaded. */
async function ready(
  options: Omit<ClientOptions, "host"> & { scaling?: string; text?: string; uri?: string } = {},
): Promise<TestClient> {
  const host = new MemoryHost();
  addProject(host, "file:///w", options.scaling);
  const client = await start({ ...options, host });
  const uri = options.uri ?? BUDGET_URI;
  await client.open(uri, options.text ?? BUDGET);
  await client.until("a fit", async () => !(await client.lensText(uri)).includes("Fitting"));
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) {
    expect(client.shown, "nothing ever pops up").toEqual([]);
    await client.stop();
  }
});

function textEdits(edit: WorkspaceEdit | undefined): AnnotatedTextEdit[] {
  const change = edit?.documentChanges?.find((one) => "edits" in one) as TextDocumentEdit | undefined;
  return (change?.edits ?? []) as AnnotatedTextEdit[];
}

describe("code lens", () => {
  it("says success, interval, regret and multiplier, with Optimise and Explain", async () => {
    const client = await ready();
    expect(await client.lensText(BUDGET_URI)).toMatch(
      /^\d+ % success \[\d+–\d+\] · \d+(\.\d)? points below the best split \| Optimise \| Explain$/,
    );
    const [first, optimise] = await client.lenses(BUDGET_URI);
    expect(first.command?.command).toBe("scalingLens.explain");
    expect(first.range.start.line).toBe(1);
    expect(optimise.command).toMatchObject({ command: "scalingLens.optimise", arguments: [BUDGET_URI, "appworld-8b"] });
  });

  it("says that there is no better split where it is the best, and nothing nags", async () => {
    const client = await ready();
    const { edit } = await client.ask<OptimiseReply>(Requests.optimise, { uri: BUDGET_URI });
    await client.change(BUDGET_URI, applyEdits(BUDGET, textEdits(edit ?? undefined)));
    expect(await client.lensText(BUDGET_URI)).toMatch(/no better split at this cost|can't tell: gain/);
    expect((await client.diagnostics(BUDGET_URI)).map(({ code }) => code)).not.toContain("allocation.suboptimal");
    expect(await client.rendered(BUDGET_URI)).not.toContain("→");
  });

  it("without a fit shows no success rate and no best split anywhere, but what the run costs", async () => {
    const client = await ready({ scaling: "pin: [parameters]\n" });
    expect(await client.lensText(BUDGET_URI)).toMatch(
      /^[\d.]+k rollouts · [\d.]+M tokens · .*no scaling fit \| Fit run logs \| Calibrate with one run$/,
    );
    expect(await client.hints(BUDGET_URI)).toEqual([]);
    const hover = await client.hoverText(BUDGET_URI, "trajectories");
    expect(hover).not.toMatch(/% \[|Best split/);
    for (const part of ["| Rollouts | 64k", "| Tokens | 768M", "FLOPs", "| Training steps |"])
      expect(hover).toContain(part);
    const explained = await client.ask<DocumentReply>(Requests.explain, { uri: BUDGET_URI });
    expect(explained.markdown).toContain("No success rate and no best split can be given");
    expect((await client.ask<OptimiseReply>(Requests.optimise, { uri: BUDGET_URI })).edit).toBeNull();
    expect((await client.actions(BUDGET_URI, "tasks:")).map(({ title }) => title)).not.toContain("Optimise allocation");
  });

  it("is busy while run logs are fitted, then refreshes once", async () => {
    const client = await ready({ scaling: SCALING_WITH_LOGS });
    expect(await client.lensText(BUDGET_URI)).toMatch(/% success/);
    await client.until("a status", () => client.statuses.some(({ state }) => state === "idle"));
    expect(client.statuses.at(-1)?.text).toMatch(/· 54 runs/);
    expect(client.refreshes.filter((method) => method.includes("codeLens")).length).toBeLessThanOrEqual(3);
  });

  it("says why a fit failed, in the lens, the status and the log only", async () => {
    const client = await ready({ scaling: "fit: fits/none.fit.json\n" });
    expect(await client.lensText(BUDGET_URI)).toBe(
      "No scaling fit: fits/none.fit.json is not there | Show log | Fit run logs",
    );
    await client.until("a status", () => client.statuses.some(({ state }) => state === "error"));
    expect(client.statuses.at(-1)?.detail).toContain("none.fit.json is not there");
    expect(client.logged.join("\n")).toContain("none.fit.json is not there");
  });

  it("says which logs held no run", async () => {
    const client = await ready({ scaling: "logs: [nothing/here]\n" });
    await client.until("a status", () => client.statuses.some(({ state }) => state === "error"));
    expect(await client.lensText(BUDGET_URI)).toBe(
      "No scaling fit: nothing/here: There is no such file or folder | Show log | Fit run logs",
    );
  });

  it("marks every figure of the calibrated recipe as prior", async () => {
    const client = await ready({ scaling: "pin: [parameters]\n" });
    const reply = await client.ask<{ ok: boolean; message: string }>(Requests.calibrate, {
      uri: BUDGET_URI,
      successRate: 0.58,
    });
    expect(reply.ok, reply.message).toBe(true);
    expect(await client.lensText(BUDGET_URI)).toMatch(/^prior · 58 % success \[\d+–\d+\] · /);
    expect(await client.hoverText(BUDGET_URI, "tasks")).toMatch(/— prior/);
  });

  it("has one line per experiment", async () => {
    const client = await ready({
      text: `${BUDGET}---\nname: second\nmodel: Qwen3-8B\nbudget: { tasks: 3000, environments: 30, trajectories: 8 }\ntokens_per_trajectory: 9000\n`,
    });
    const lines = new Set((await client.lenses(BUDGET_URI)).map(({ range }) => range.start.line));
    expect(lines.size).toBe(2);
  });
});

describe("hover", () => {
  it("explains every budget field with unit, source, cost and fit", async () => {
    const client = await ready();
    const hover = await client.hoverText(BUDGET_URI, "environments");
    for (const part of [
      "distinct environments",
      "| Now | 10 (config) |",
      "| Best split |",
      "the next 1 % of spend",
      "| Share of spend |",
      "inside the fitted range",
      "| Fit | multiplicative law, 54 runs",
      "exponent 0.",
      "GPU-hours",
    ]) {
      expect(hover).toContain(part);
    }
    expect(hover.indexOf("Optimise allocation")).toBeLessThan(hover.indexOf("| Now |"));
    for (const field of ["model: ", "algorithm: ", "tasks: ", "trajectories: ", "tokens_per_trajectory: "])
      expect(await client.hoverText(BUDGET_URI, field), field).not.toBe("");
    expect(await client.hover(BUDGET_URI, "# An experiment")).toBeNull();
  });

  for (const [state, options] of [
    ["a fit", {}],
    ["no fit", { files: {} }],
  ] as const)
    it(`has at most eight rows, three where no axis is meant, with ${state}`, async () => {
      const client = await ready({
        ...options,
        text: BUDGET.replace("  trajectories: 64", "  group_size: 8\n  steps: 250\n  trajectories: 64").replace(
          "tokens_per_trajectory",
          "synthesis:\n  environments: { method: genenv, real: 6, synthetic: 4 }\nevaluation: { samples: 500, every: 10 }\ntokens_per_trajectory",
        ),
      });
      const rows = async (field: string) =>
        (await client.hoverText(BUDGET_URI, field)).split("\n").filter((line) => /^\|(?!:)/.test(line));
      for (const field of ["tasks:", "environments:", "trajectories:", "group_size", "model:"]) {
        const found = await rows(field);
        expect(found.length, `${field} ${found.join("\n")}`).toBeLessThanOrEqual(8);
        expect(found.length, field).toBeGreaterThan(2);
      }
      for (const field of ["algorithm: ", "samples", "tokens_per_trajectory"])
        expect((await rows(field)).length - 1, field).toBeLessThanOrEqual(3);
    });

  it("says how far a value is outside the fitted range", async () => {
    const client = await ready({ text: BUDGET.replace("1_000", "50_000") });
    expect(await client.hoverText(BUDGET_URI, "tasks:")).toMatch(/too far from your runs/);
  });

  it("tells the groups without signal on the group size, at least as many as the mean says", async () => {
    const client = await ready({ text: BUDGET.replace("  trajectories: 64", "  group_size: 8\n  trajectories: 64") });
    const hover = await client.hoverText(BUDGET_URI, "group_size");
    expect(hover).toMatch(/\| Groups without signal \| at least \d/);
    expect(hover).toContain("| Halves at | group size");
    expect(hover).toMatch(/dynamic sampling takes at least \d/);
  });
});

describe("diagnostics", () => {
  const at = (
    text: string,
    range: { start: { line: number; character: number }; end: { line: number; character: number } },
  ) =>
    text
      .split("\n")
      [range.start.line].slice(
        range.start.character,
        range.end.line === range.start.line ? range.end.character : undefined,
      );

  for (const [name, from, to, where] of [
    ["a negative value", "tasks: 1_000", "tasks: -5", "-5"],
    ["an overflow", "tasks: 1_000", "tasks: 1e400", "1e400"],
    ["an unknown key", "environments: 10", "enviroments: 10", "enviroments"],
    ["a word for a number", "tasks: 1_000", "tasks: many", "many"],
  ] as const) {
    it(`${name}: the exact range, and the rest still explained`, async () => {
      const text = BUDGET.replace(from, to);
      const client = await ready({ text });
      const found = await client.diagnostics(BUDGET_URI);
      expect(found.map(({ range }) => at(text, range))).toContain(where);
      for (const { code, codeDescription } of found) {
        expect(code).toMatch(/^[a-z]+(\.[a-z-]+)+$/);
        expect(codeDescription?.href).toContain("#");
      }
      expect(await client.hoverText(BUDGET_URI, "trajectories")).toContain("64 (config)");
    });
  }

  it("a missing section is said", async () => {
    const client = await ready({ text: "name: x\nmodel: Qwen3-8B\n" });
    expect((await client.diagnostics(BUDGET_URI)).map(({ code }) => code)).toContain("budget.missing");
  });

  it("reports a suboptimal split above the threshold only, and Optimise is its quick fix", async () => {
    const client = await ready({ settings: () => ({ diagnostics: { suboptimalThreshold: 0.5 } }) });
    const found = (await client.diagnostics(BUDGET_URI)).filter(({ code }) => code === "allocation.suboptimal");
    expect(found).toHaveLength(1);
    expect(found[0].severity).toBe(3);
    const line = BUDGET.split("\n")[found[0].range.start.line];
    const actions = await client.actions(BUDGET_URI, line, found);
    const fix = actions.find(({ kind, title }) => kind === "quickfix" && title === "Optimise allocation");
    expect(fix?.isPreferred).toBe(true);
    expect(fix?.diagnostics).toHaveLength(1);
    client.settings = () => ({ diagnostics: { suboptimalThreshold: 50 } });
    await client.configurationChanged();
    expect((await client.diagnostics(BUDGET_URI)).filter(({ code }) => code === "allocation.suboptimal")).toHaveLength(
      0,
    );
  });

  const SWEEP = [200, 400, 800, 1600, 3200, 6400]
    .map(
      (tasks, i) =>
        `name: sweep-${i}\nmodel: Qwen3-8B\nbudget: { tasks: ${tasks}, environments: 2, trajectories: 64 }\ntokens_per_trajectory: 9000\n`,
    )
    .join("---\n");

  it("one cause in a sweep of six experiments is one diagnostic, with a count and the places", async () => {
    const client = await ready({ text: SWEEP });
    const found = (await client.diagnostics(BUDGET_URI)).filter(({ code }) => code === "allocation.suboptimal");
    expect(found).toHaveLength(1);
    expect(found[0].message).toMatch(/\(and \d more experiments?\)$/);
    const count = Number(/and (\d)/.exec(String(found[0].message))?.[1]);
    expect(found[0].relatedInformation).toHaveLength(count);
    const actions = await client.actions(BUDGET_URI, SWEEP.split("\n")[found[0].range.start.line], found);
    expect(actions.filter(({ title }) => title === "Optimise allocation").length).toBeGreaterThan(0);
  });

  it("shows three notes of a file at most, says what it left out, and shows all where the limit is higher", async () => {
    // Two experiments with gaps of their own, and one far from the runs.
    const text = `${BUDGET.replace("1_000", "3_000").replace(/environments: 10/, "environments: 70")}---\nname: b\nmodel: Qwen3-8B\nbudget: { trajectories: 150 }\ntokens_per_trajectory: 900\n---\n${SWEEP}`;
    const client = await ready({ text });
    const notes = async () => (await client.diagnostics(BUDGET_URI)).filter(({ severity }) => severity === 3);
    const few = await notes();
    client.settings = () => ({ diagnostics: { limit: 100 } });
    await client.configurationChanged();
    const all = await notes();
    expect(all.length).toBeGreaterThan(3);
    expect(few).toHaveLength(3);
    expect(few.map(({ message }) => message).join("\n")).toMatch(
      new RegExp(`\\(${all.length - 3} more notes? hidden: [a-z.,\\s-]+\\)`),
    );
  });

  it("has the severity that the settings say, code by code, and a quick fix that switches one off", async () => {
    const client = await ready();
    const suboptimal = async () =>
      (await client.diagnostics(BUDGET_URI)).filter(({ code }) => code === "allocation.suboptimal");
    const found = await suboptimal();
    const line = BUDGET.split("\n")[found[0].range.start.line];
    const off = (await client.actions(BUDGET_URI, line, found)).find(({ title }) => title.startsWith("Don't report"));
    expect(off?.command).toMatchObject({
      command: "scalingLens.setLevel",
      arguments: [BUDGET_URI, "allocation.suboptimal", "off"],
    });
    for (const [level, severity] of [
      ["warning", 2],
      ["info", 3],
      ["hint", 4],
      ["off", undefined],
    ] as const) {
      client.settings = () => ({ diagnostics: { "allocation.suboptimal": level } });
      await client.configurationChanged();
      expect((await suboptimal())[0]?.severity, level).toBe(severity);
    }
    // What is wrong stays, whatever the settings say.
    await client.change(BUDGET_URI, BUDGET.replace("tasks: 1_000", "tasks: many"));
    client.settings = () => ({ diagnostics: { "budget.value": "off", "config.expression": "off" } });
    await client.configurationChanged();
    expect((await client.diagnostics(BUDGET_URI)).map(({ severity }) => severity)).toContain(1);
  });

  it("says where synthetic data are beyond the critical ratio", async () => {
    const client = await ready({
      text: `${BUDGET}synthesis:\n  environments: { method: genenv, real: 1, synthetic: 9.5 }\n  tasks: { method: self-instruct, real: 200, synthetic: 800 }\n`,
    });
    const over = (await client.diagnostics(BUDGET_URI)).filter(({ code }) => code === "synthesis.over-critical-ratio");
    expect(over.map(({ message }) => message).join("\n")).toMatch(
      /9\.5 synthetic environments.*9\.4 \[paper\][\s\S]*4 synthetic tasks.*3\.4 \[paper\]/,
    );
  });

  it("are pushed to clients that cannot pull", async () => {
    const client = await ready({ pull: false, text: BUDGET.replace("1_000", "-5") });
    expect(client.capabilities.diagnosticProvider).toBeUndefined();
    await client.until("pushed diagnostics", () => (client.pushed.get(BUDGET_URI)?.length ?? 0) > 0);
    await client.close(BUDGET_URI);
    await client.until("cleared diagnostics", () => client.pushed.get(BUDGET_URI)?.length === 0);
  });

  it("scaling.yaml is checked too", async () => {
    const client = await ready();
    const uri = "file:///w/scaling.yaml";
    await client.open(uri, "hardware: { gpu: H100, cuont: 3 }\n");
    expect((await client.diagnostics(uri)).map(({ message }) => message).join("\n")).toMatch(/cuont/);
  });
});

describe("Optimise allocation", () => {
  it("edits values only, opens the preview with every change ticked, and keeps comments and number style", async () => {
    const client = await ready();
    const action = (await client.actions(BUDGET_URI, "tasks:")).find(({ title }) => title === "Optimise allocation");
    const { edit } = await client.resolveAction(action!);
    const [change, create] = edit!.documentChanges!;
    expect(create).toEqual({
      kind: "create",
      uri: BUDGET_URI,
      options: { ignoreIfExists: true },
      annotationId: "scaling-lens.preview",
    });
    expect(edit!.changeAnnotations!["scaling-lens.preview"].needsConfirmation).toBe(true);
    const edits = (change as TextDocumentEdit).edits as AnnotatedTextEdit[];
    expect(edits.length).toBeGreaterThan(1);
    for (const { annotationId } of edits) {
      const annotation = edit!.changeAnnotations![annotationId];
      expect(annotation.needsConfirmation).toBe(false);
      expect(annotation.label).toMatch(/^\d+ → \d+ % at the same \$\d/);
    }
    const after = applyEdits(BUDGET, edits);
    const mask = (text: string) => text.replace(/^( {2}\w+: )[\d_]+/gm, "$1#");
    expect(mask(after)).toBe(mask(BUDGET));
    expect(after).not.toBe(BUDGET);
  });

  it("keeps CRLF line ends byte for byte", async () => {
    const text = BUDGET.replaceAll("\n", "\r\n");
    const client = await ready({ text });
    const { edit } = await client.ask<OptimiseReply>(Requests.optimise, { uri: BUDGET_URI });
    const after = applyEdits(text, textEdits(edit!));
    expect(after.split("\r\n").length).toBe(text.split("\r\n").length);
    expect(after.replaceAll("\r\n", "")).not.toContain("\n");
  });

  it("edits an untitled document directly", async () => {
    const uri = "untitled:/w/new.budget.yaml";
    const client = await ready({ uri });
    const { edit } = await client.ask<OptimiseReply>(Requests.optimise, { uri });
    expect(edit!.documentChanges).toHaveLength(1);
    expect(edit!.changeAnnotations).toBeUndefined();
  });

  it("at equal success is cheaper, and with a compute given by hand is better or worse", async () => {
    const client = await ready();
    const cheaper = await client.ask<OptimiseReply>(Requests.optimise, {
      uri: BUDGET_URI,
      mode: { kind: "same-success" },
    });
    expect(cheaper.message).toMatch(/^The same success with \d+ % less compute\.$/);
    const more = await client.ask<OptimiseReply>(Requests.optimise, {
      uri: BUDGET_URI,
      mode: { kind: "compute", amount: "5000 USD" },
    });
    const environments = (edit: WorkspaceEdit | null) =>
      Number(/environments: (\d+)/.exec(applyEdits(BUDGET, textEdits(edit ?? undefined)))?.[1]);
    expect(environments(more.edit)).toBeGreaterThan(environments(cheaper.edit));
    expect(
      (
        await client.ask<OptimiseReply>(Requests.optimise, {
          uri: BUDGET_URI,
          mode: { kind: "compute", amount: "much" },
        })
      ).edit,
    ).toBeNull();
  });

  it("never moves a pinned axis", async () => {
    const client = await ready();
    const { edit } = await client.ask<OptimiseReply>(Requests.optimise, { uri: BUDGET_URI, pins: ["tasks"] });
    expect(applyEdits(BUDGET, textEdits(edit!))).toContain("tasks: 1_000 ");
  });

  it("sets one value without a preview", async () => {
    const client = await ready();
    const actions = await client.actions(BUDGET_URI, "environments:");
    const set = actions.find(({ title }) => title.startsWith("Set budget.environments"));
    const { edit } = await client.resolveAction(set!);
    expect(edit!.documentChanges).toHaveLength(1);
    expect(textEdits(edit)).toHaveLength(1);
  });

  it("pins an axis in scaling.yaml", async () => {
    const client = await ready();
    const pin = (await client.actions(BUDGET_URI, "environments:")).find(
      ({ title }) => title === "Pin environments in scaling.yaml",
    );
    const { edit } = await client.resolveAction(pin!);
    expect(JSON.stringify(edit)).toContain("pin: [environments]");
    expect(JSON.stringify(edit)).toContain("file:///w/scaling.yaml");
  });

  it("makes no edit for a version that has moved on", async () => {
    const client = await ready();
    const action = (await client.actions(BUDGET_URI, "tasks:")).find(({ title }) => title === "Optimise allocation");
    await client.change(BUDGET_URI, `\n${BUDGET}`);
    expect((await client.resolveAction(action!)).edit).toBeUndefined();
  });
});

describe("inlay hints", () => {
  it("are at most 20 characters, honour the range, and carry tooltip and command when resolved", async () => {
    const client = await ready();
    const hints = await client.hints(BUDGET_URI);
    expect(hints.length).toBe(3);
    for (const { label } of hints) expect(String(label).length).toBeLessThanOrEqual(20);
    const line = client.position(BUDGET_URI, "environments:").line;
    expect(
      await client.hints(BUDGET_URI, { start: { line, character: 0 }, end: { line, character: 99 } }),
    ).toHaveLength(1);
    const changed = hints.find(({ label }) => String(label).includes("→"));
    expect(changed?.tooltip).toBeUndefined();
    const resolved = await client.resolveHint(changed!);
    expect(JSON.stringify(resolved.tooltip)).toContain("Optimal at the same cost");
    // A value that falls pays for the others: set alone, it would only lower the success.
    expect(JSON.stringify(resolved.label)).not.toContain("scalingLens.setValue");
    const rising = await client.resolveHint(hints.find(({ position }) => position.line === line)!);
    expect(JSON.stringify(rising.label)).toContain("scalingLens.setValue");
  });
});

describe("completion", () => {
  it("completes keys that are not there yet, and values, in budgets and scaling.yaml", async () => {
    const client = await ready();
    await client.change(BUDGET_URI, `${BUDGET}d\n`);
    const lines = client.text(BUDGET_URI).split("\n");
    const keys = (await client.complete(BUDGET_URI, lines.length - 2, 1)).map(({ label }) => label);
    expect(keys).toContain("domain");
    expect(keys).not.toContain("budget");
    await client.change(BUDGET_URI, BUDGET.replace("design: nested", "design: "));
    expect((await client.complete(BUDGET_URI, 4, 8)).map(({ label }) => label)).toEqual(["nested", "factorial"]);
    await client.change(BUDGET_URI, BUDGET.replace("  environments: 10", "  "));
    const inside = (await client.complete(BUDGET_URI, 7, 2)).map(({ label }) => label);
    expect(inside).toContain("environments");
    expect(inside).not.toContain("tasks");
    expect(inside).not.toContain("model");
    const scaling = "file:///w/scaling.yaml";
    await client.open(scaling, "hardware: { gpu: H100, c\n");
    expect((await client.complete(scaling, 0, 24)).map(({ label }) => label)).toContain("count");
  });
});

describe("readable documents", () => {
  it("Explain holds figures, formulas, assumptions and sources", async () => {
    const client = await ready();
    const { markdown } = await client.ask<DocumentReply>(Requests.explain, {
      uri: BUDGET_URI,
      experiment: "appworld-8b",
    });
    for (const heading of [
      "# appworld-8b",
      "## The split",
      "## What the run costs",
      "## What one more is worth",
      "## The law",
      "## What it rests on",
      "## How sure it is",
      "## What would change in the file",
    ])
      expect(markdown).toContain(heading);
    expect(markdown).toContain("scaling.yaml");
  });

  it("Compare shows the difference in points with its interval", async () => {
    const client = await ready();
    const other = "file:///w/other.budget.yaml";
    await client.open(
      other,
      BUDGET.replace("environments: 10", "environments: 40")
        .replace("trajectories: 64", "trajectories: 16")
        .replace("appworld-8b", "diverse"),
    );
    const { markdown } = await client.ask<DocumentReply>(Requests.compare, { uris: [BUDGET_URI, other] });
    expect(markdown).toMatch(/\| Against the first \| — \| \+\d+(\.\d)? points \[\d/);
  });
});

describe("Plan next runs", () => {
  it("proposes a factorial around the budget, with what it is worth", async () => {
    const client = await ready();
    const { markdown } = await client.ask<DocumentReply>(Requests.plan, { uri: BUDGET_URI });
    expect(markdown).toMatch(/A \*\*3 × 3( × 3)?\*\* design|design of \d+ runs/);
    expect(markdown).toContain("If only a few runs can be had");
  });

  it("needs no fit", async () => {
    const client = await ready({ scaling: "pin: [parameters]\n" });
    const { markdown } = await client.ask<DocumentReply>(Requests.plan, { uri: BUDGET_URI });
    expect(markdown).toContain("Nothing is fitted yet");
    expect(markdown).not.toMatch(/% success/);
  });
});

describe("facts and recommendations", () => {
  it("a missing amount is said once, and its quick fix leaves a line to fill in", async () => {
    const client = await ready({ text: BUDGET.replace("  environments: 10\n", "") });
    const unknown = (await client.diagnostics(BUDGET_URI)).filter(
      ({ code, message }) => code === "budget.unknown" && String(message).includes("environments"),
    );
    expect(unknown).toHaveLength(1);
    expect(await client.lensText(BUDGET_URI)).toMatch(/^Success unknown: environments unknown/);
    const action = (await client.actions(BUDGET_URI, "name:", unknown)).find(
      ({ title }) => title === "Add environments of this file to scaling.yaml",
    );
    const { edit } = await client.resolveAction(action!);
    expect(JSON.stringify(edit)).toContain(
      "facts:\\n  - files: app.budget.yaml\\n    environments: # state the number",
    );
  });

  it("a misspelt key is renamed in place; its amount is not asked for again", async () => {
    const client = await ready({ text: BUDGET.replace("  environments:", "  environment:") });
    const found = await client.diagnostics(BUDGET_URI);
    const actions = await client.actions(BUDGET_URI, "environment:", found);
    expect(actions.map(({ title }) => title)).not.toContain("Add environments of this file to scaling.yaml");
    const rename = actions.find(({ title }) => title === "Rename to environments");
    expect(rename).toMatchObject({ kind: "quickfix", isPreferred: true });
    const [change] = rename!.edit!.documentChanges as TextDocumentEdit[];
    expect(change.edits).toHaveLength(1);
    const [{ range }] = change.edits;
    const line = BUDGET.split("\n")[range.start.line].replace("environments:", "environment:");
    expect(line.slice(range.start.character, range.end.character)).toBe("environment");
    expect(change.edits[0]).toMatchObject({ newText: "environments" });
  });

  it("the robust allocation is recommended where the settings say so", async () => {
    const client = await ready({ settings: () => ({ recommendation: "robust" }) });
    const { markdown } = await client.ask<DocumentReply>(Requests.explain, { uri: BUDGET_URI });
    expect(markdown).toContain("Recommended: the split with the largest mean success");
    expect(await client.lensText(BUDGET_URI)).toMatch(/below the best split|no better split/);
  });

  it("facts of scaling.yaml fill what a config leaves open, with their source", async () => {
    const host = new MemoryHost();
    addProject(host, "file:///w", `fit: fits/app.fit.json\nfacts:\n  - files: "*.budget.yaml"\n    environments: 12\n`);
    const client = await start({ host });
    await client.open(BUDGET_URI, BUDGET.replace("  environments: 10\n", ""));
    await client.until("a fit", async () => (await client.lensText(BUDGET_URI)).includes("% success"));
    const { markdown } = await client.ask<DocumentReply>(Requests.compare, { uris: [BUDGET_URI] });
    expect(markdown).toContain("12 (scaling.yaml");
  });
});
