import { beforeEach, describe, expect, it, vi } from "vitest";
import type { RunQueryReply } from "../../../server/protocol";
import { fakeVscode, notebookOf, type FakeNotebook } from "./vscode";

const fake = vi.hoisted(() => ({ current: undefined as unknown as ReturnType<typeof fakeVscode> }));
vi.mock(
  "vscode",
  () =>
    new Proxy(
      {},
      {
        get: (_, key) => (key === "then" ? undefined : fake.current.module[key as keyof typeof fake.current.module]),
        has: () => true,
      },
    ),
);

beforeEach(() => {
  vi.resetModules();
  fake.current = fakeVscode();
});

type Runner = (
  params: { text: string; above: readonly string[]; notebookUri: string; vegaLite: boolean },
  cancelled: { isCancellationRequested: boolean },
  onProgress: (progress: { token: string; label: string; share: number }) => void,
) => Promise<RunQueryReply>;

async function controllerWith(runner: Runner) {
  const { FitController } = await import("../../../extension/notebook/controller");
  const controller = new FitController(runner as never);
  return {
    controller,
    raw: fake.current.controllers[0],
    execute: (notebook: FakeNotebook, indices?: number[]) =>
      fake.current.controllers[0].executeHandler(
        notebook.getCells().filter((cell, i) => cell.kind === 2 && (indices?.includes(i) ?? true)),
        notebook,
      ),
  };
}

const answer = (text: string): RunQueryReply => ({
  outputs: [{ items: [{ mime: "text/plain", text }] }],
  cached: false,
});
const place = () => fake.current.uri("file:///ws/fits.ipynb");
const texts = (notebook: FakeNotebook, i: number): string[] =>
  (fake.current.executions.get(notebook.getCells()[i])?.outputs as { items: { data: Uint8Array }[] }[]).flatMap(
    ({ items }) => items.map(({ data }) => new TextDecoder().decode(data)),
  );
const log = (notebook: FakeNotebook, i: number): readonly string[] =>
  fake.current.executions.get(notebook.getCells()[i])?.log ?? [];

describe("the fit controller", () => {
  it("is a kernel of plain notebooks, for our language, with execution numbers", async () => {
    const { raw } = await controllerWith(async () => answer(""));
    expect(raw).toMatchObject({
      id: "scaling-lens.fits",
      type: "jupyter-notebook",
      supportedLanguages: ["scaling-query"],
      supportsExecutionOrder: true,
    });
  });

  it("is preferred where our language or marker is, and never on a plain Python notebook", async () => {
    await controllerWith(async () => answer(""));
    const python = notebookOf(place(), [
      ["python", "1 + 1"],
      ["markdown", "fit: x"],
    ]);
    const ours = notebookOf(place(), [
      ["python", "1"],
      ["scaling-query", "fit: x"],
    ]);
    const marked = notebookOf(place(), [["markdown", "# new"]], {
      metadata: { language_info: { name: "scaling-query" } },
    });
    for (const notebook of [python, ours, marked])
      for (const listener of fake.current.listeners.open) listener(notebook);
    expect(fake.current.affinities.get(python)).toBe(1);
    expect(fake.current.affinities.get(ours)).toBe(2);
    expect(fake.current.affinities.get(marked)).toBe(2);
  });

  it("runs cells one after another, each shown as waiting from the start, and tells each the cells above it", async () => {
    const seen: unknown[] = [];
    let running = 0;
    const { execute } = await controllerWith(async ({ text, above, notebookUri }) => {
      running++;
      expect(running).toBe(1);
      seen.push([text, above, notebookUri]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return answer(text);
    });
    const notebook = notebookOf(place(), [
      ["scaling-query", "a"],
      ["python", "no"],
      ["scaling-query", "b"],
      ["scaling-query", "c"],
    ]);
    const done = execute(notebook, [0, 2, 3]);
    expect(log(notebook, 3)).toEqual(["created"]);
    await done;
    expect(seen).toEqual([
      ["a", [], "file:///ws/fits.ipynb"],
      ["b", ["a"], "file:///ws/fits.ipynb"],
      ["c", ["a", "b"], "file:///ws/fits.ipynb"],
    ]);
    expect(log(notebook, 2)).toEqual(["created", "start", "output", "end true"]);
    expect(fake.current.executions.get(notebook.getCells()[3])?.executionOrder).toBe(3);
  });

  it("stops on the first error, at its line, and drops the cells that wait", async () => {
    const { execute } = await controllerWith(async ({ text }) =>
      text === "b"
        ? { outputs: [], cached: false, error: { message: "No scaling fit.", line: 1, character: 2 } }
        : answer(text),
    );
    const notebook = notebookOf(place(), [
      ["scaling-query", "a"],
      ["scaling-query", "b"],
      ["scaling-query", "c"],
    ]);
    await execute(notebook);
    expect(log(notebook, 0)).toContain("end true");
    expect(texts(notebook, 1)[0]).toContain("No scaling fit.");
    expect(texts(notebook, 1)[0]).toContain("Line 2, column 3");
    expect(log(notebook, 1)).toContain("end false");
    expect(log(notebook, 2)).toEqual(["created", "start", "end undefined"]);
  });

  it("shows progress with counts while it runs, and only the answer afterwards", async () => {
    const shown: string[] = [];
    const { execute } = await controllerWith(async ({ text }, _token, onProgress) => {
      onProgress({ token: "x", label: "Refitting resampled runs: 340 of 1000", share: 0.478 });
      await Promise.resolve();
      shown.push(...texts(notebook, 0));
      return answer(text);
    });
    const notebook: FakeNotebook = notebookOf(place(), [["scaling-query", "a"]]);
    await execute(notebook);
    expect(shown).toEqual(["Refitting resampled runs: 340 of 1000 (48 %)"]);
    expect(texts(notebook, 0)).toEqual(["a"]);
  });

  it("gives the runner the cell's own cancellation, and says so when it was used", async () => {
    const { execute } = await controllerWith(async (_params, token) => {
      (token as { isCancellationRequested: boolean }).isCancellationRequested = true;
      throw new Error("aborted");
    });
    const notebook = notebookOf(place(), [
      ["scaling-query", "a"],
      ["scaling-query", "b"],
    ]);
    await execute(notebook);
    expect(texts(notebook, 0)[0]).toContain("Cancelled.");
    expect(log(notebook, 1)).toEqual(["created", "start", "end undefined"]);
  });

  it("turns base64 into bytes", async () => {
    const { execute } = await controllerWith(async () => ({
      outputs: [{ items: [{ mime: "image/png", base64: btoa("\x89PNG") }] }],
      cached: false,
    }));
    const notebook = notebookOf(place(), [["scaling-query", "a"]]);
    await execute(notebook);
    const [output] = fake.current.executions.get(notebook.getCells()[0])?.outputs as {
      items: { mime: string; data: Uint8Array }[];
    }[];
    expect(output.items[0].mime).toBe("image/png");
    expect([...output.items[0].data]).toEqual([0x89, 0x50, 0x4e, 0x47]);
  });

  it("starts the paths of an unsaved notebook in the first workspace folder", async () => {
    let asked = "";
    const { execute } = await controllerWith(async ({ notebookUri }) => {
      asked = notebookUri;
      return answer("");
    });
    await execute(notebookOf(fake.current.uri("untitled:Untitled-1.ipynb"), [["scaling-query", "a"]]));
    expect(asked).toBe("file:///ws/untitled.ipynb");
  });
});

describe("a new fit notebook", () => {
  it("keeps its language through a save, and names the workspace's budget", async () => {
    const { newFitNotebook } = await import("../../../extension/notebook/template");
    await newFitNotebook();
    const [[type, data]] = fake.current.module.workspace.openNotebookDocument.mock.calls as unknown as [
      string,
      { metadata: object; cells: { languageId: string; value: string }[] },
    ][];
    expect(type).toBe("jupyter-notebook");
    expect(data.metadata).toEqual({ metadata: { language_info: { name: "scaling-query" } } });
    const { readQuery } = await import("../../../server/configs/cells/read");
    for (const cell of data.cells.filter(({ languageId }) => languageId === "scaling-query"))
      expect(readQuery(cell.value).diagnostics).toEqual([]);
    expect(data.cells.some(({ value }) => value.includes('"appworld.budget.yaml"'))).toBe(true);
  });
});

describe("a notebook for one budget", () => {
  it("begins with that experiment's charts", async () => {
    const { newFitNotebook } = await import("../../../extension/notebook/template");
    await newFitNotebook("file:///ws/other.budget.yaml", "b");
    const [[, data]] = fake.current.module.workspace.openNotebookDocument.mock.calls as unknown as [
      string,
      { cells: { languageId: string; value: string }[] },
    ][];
    const [first] = data.cells.filter(({ languageId }) => languageId === "scaling-query");
    expect(fake.current.module.commands.executeCommand.mock.calls as unknown as unknown[][]).toMatchObject([
      ["notebook.cell.execute", { ranges: [{ start: 2, end: 3 }] }],
    ]);
    expect(data.cells.indexOf(first)).toBe(2);
    expect(first.value).toBe(
      'allocate: { budget: "other.budget.yaml", experiment: "b" }\nshow: [split, frontier, growth]',
    );
  });
});

describe("what figures ask of the editor", () => {
  async function ask(message: unknown): Promise<{ opened: string[]; commands: unknown[][] }> {
    const { serveFigures } = await import("../../../extension/notebook/messages");
    serveFigures();
    fake.current.messages[0]({ editor: { notebook: notebookOf(place(), []) }, message });
    await new Promise((resolve) => setTimeout(resolve, 5));
    return {
      opened: (fake.current.module.window.showTextDocument.mock.calls as unknown as [{ toString(): string }][]).map(
        ([uri]) => uri.toString(),
      ),
      commands: fake.current.module.commands.executeCommand.mock.calls as unknown as unknown[][],
    };
  }

  it("opens a run's files beside the notebook", async () => {
    expect((await ask({ type: "open-files", files: ["runs/a/metrics.jsonl", "table.csv:12"] })).opened).toEqual([
      "file:///ws/runs/a/metrics.jsonl",
      "file:///ws/table.csv",
    ]);
  });

  it("applies the optimum through the command", async () => {
    expect(
      (await ask({ type: "apply-optimum", uri: "appworld.budget.yaml", experiment: "appworld-8b" })).commands,
    ).toEqual([["scalingLens.optimise", "file:///ws/appworld.budget.yaml", "appworld-8b"]]);
  });

  it.each([
    [
      {
        type: "open-files",
        files: ["../../etc/passwd", "file:///ws/../etc/passwd", "/../etc/passwd", "http://elsewhere/x", 3],
      },
    ],
    [{ type: "apply-optimum", uri: "file:///etc/passwd", experiment: "" }],
    [{ type: "apply-optimum", uri: 3 }],
    [{ type: "run-anything", command: "rm" }],
    [null],
    ["open-files"],
  ])("does nothing for %j", async (message) => {
    expect(await ask(message)).toEqual({ opened: [], commands: [] });
  });
});
