import { afterEach, describe, expect, it } from "vitest";
import { CancellationTokenSource, type InlayHint } from "vscode-languageserver-protocol/node";
import { Requests, type DocumentReply } from "../../server/protocol";
import { TestClient, type ClientOptions } from "./client";
import { MemoryHost } from "./memoryHost";
import { addProject, BUDGET, BUDGET_URI, SCALING, SCALING_WITH_LOGS } from "./runs";
import { cpuTime } from "../cpu";

const clients: TestClient[] = [];

async function ready(
  options: Omit<ClientOptions, "host"> & { host?: MemoryHost; scaling?: string; text?: string } = {},
): Promise<TestClient> {
  const host = options.host ?? new MemoryHost();
  if (!options.host) addProject(host, "file:///w", options.scaling);
  const client = await TestClient.start({ ...options, host });
  clients.push(client);
  await client.open(BUDGET_URI, options.text ?? BUDGET);
  await client.until("a fit", async () => !(await client.lensText(BUDGET_URI)).includes("Fitting"));
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) {
    expect(client.shown, "nothing ever pops up").toEqual([]);
    await client.stop();
  }
});

describe("versions and cancellation", () => {
  it("keeps the last good values through a syntax error, marks them, and drops edited places", async () => {
    const client = await ready();
    const before = await client.lensText(BUDGET_URI);
    const broken = BUDGET.replace("environments: 10", "environments: [1");
    await client.change(BUDGET_URI, broken);
    const stale = await client.lensText(BUDGET_URI);
    expect(stale).toContain("last good values");
    expect(stale).toContain(before.split(" · ")[0]);
    expect((await client.diagnostics(BUDGET_URI)).map(({ code }) => code)).toContain("config.parse");
    expect((await client.actions(BUDGET_URI, "tasks:")).map(({ title }) => title)).not.toContain("Optimise allocation");
    await client.until("a stale status", () => client.statuses.at(-1)?.state === "stale");
    const rendered = await client.rendered(BUDGET_URI);
    expect(rendered).toMatch(/tasks: 1_000⟦ /);
    expect(rendered).toMatch(/environments: \[1\n/);
    await client.change(BUDGET_URI, BUDGET);
    expect(await client.lensText(BUDGET_URI)).toBe(before);
  });

  it("answers only for the newest version while somebody types", async () => {
    const client = await ready();
    const first = client.position(BUDGET_URI, "tasks:").line;
    const asked: Promise<InlayHint[]>[] = [];
    for (let i = 0; i < 20; i++) {
      await client.change(BUDGET_URI, `${"# a\n".repeat(i)}${BUDGET}`);
      asked.push(client.hints(BUDGET_URI));
    }
    const answers = await Promise.all(asked);
    expect(answers.at(-1)?.[0].position.line).toBe(first + 19);
    // A request that a newer edit overtook gets nothing, or what is true of a newer text; never places older than it asked for.
    answers.forEach((hints, i) =>
      hints.forEach((hint) => expect(hint.position.line).toBeGreaterThanOrEqual(first + i)),
    );
  });

  it("does not answer a request that was cancelled", async () => {
    const client = await ready();
    const source = new CancellationTokenSource();
    const asked = client.connection.sendRequest(
      "textDocument/codeLens",
      { textDocument: { uri: BUDGET_URI } },
      source.token,
    );
    source.cancel();
    await expect(asked).rejects.toThrow(/cancel/i);
    expect(await client.lensText(BUDGET_URI)).toMatch(/success/);
  });
});

describe("abuse", () => {
  it("a 20,000-line budget does not hold up the editor; above 200 KB only lens and hover are given", async () => {
    const long = `${BUDGET}${Array.from({ length: 20_000 }, (_, i) => `# remark number ${i} about this experiment`).join("\n")}\n`;
    const client = await ready({ text: long });
    const start = cpuTime();
    expect(await client.lensText(BUDGET_URI)).toMatch(/success/);
    expect(await client.hints(BUDGET_URI)).toEqual([]);
    expect(await client.diagnostics(BUDGET_URI)).toEqual([]);
    expect(await client.hoverText(BUDGET_URI, "trajectories")).toContain("64");
    expect(cpuTime() - start).toBeLessThan(20_000);
    await client.until("a status", () => client.statuses.at(-1)?.state === "limited");
  });

  it("names and values from files never become markup or links", async () => {
    const hostile =
      "[click](command:workbench.action.quit) <img src=x onerror=alert(1)> ![](https://evil.example/x.png) `code` | cell **b** www.evil.example";
    const client = await ready({
      text: BUDGET.replace("appworld-8b", JSON.stringify(hostile)).replace(
        "Qwen3-8B",
        JSON.stringify(`Qwen3-8B ${hostile}`),
      ),
    });
    const hover = await client.hoverText(BUDGET_URI, "tasks:");
    const explained = await client.ask<DocumentReply>(Requests.explain, { uri: BUDGET_URI });
    const compared = await client.ask<DocumentReply>(Requests.compare, { uris: [BUDGET_URI] });
    for (const shown of [hover, await client.hoverText(BUDGET_URI, "model"), explained.markdown, compared.markdown]) {
      // The arguments of our own links are percent-encoded; nothing in them can end the link.
      const markdown = shown.replace(/\]\(command:scalingLens\.\w+\?[^\s()<>]*\)/g, "](ours)");
      expect(markdown).toContain("click");
      expect(markdown).not.toMatch(/(?<!\\)\]\((?!ours\))/);
      expect(markdown).not.toContain("<img");
      expect(markdown).not.toMatch(/https?:\/\//);
      expect(markdown).not.toContain("www.evil");
      expect(markdown).not.toMatch(/(?<!\\)\*\*b(?<!\\)\*\*/);
    }
    // Every row of a table keeps its number of cells.
    const rows = hover.split("\n").filter((line) => line.startsWith("|"));
    expect(new Set(rows.map((row) => row.replace(/\\\|/g, "").split("|").length)).size).toBe(1);
  });

  it("odd documents of every language do no harm", async () => {
    const client = await ready();
    const texts: readonly (readonly [string, string])[] = [
      ["file:///w/a.budget.yaml", ""],
      ["file:///w/b.budget.yaml", "\u0000\ufeff\ud800"],
      ["file:///w/c.budget.json", "[[[[[[["],
      ["file:///w/d.budget.toml", "= = ="],
      [
        "file:///w/e.sh",
        "python3 -m verl.trainer.main_ppo data.train_batch_size=$(( 1 / 0 )) actor_rollout_ref.rollout.n=${X",
      ],
      ["file:///w/f.py", "GRPOConfig(num_generations=((("],
      ["file:///w/g.budget.yaml", `budget: &a { tasks: *a }\n`],
      ["file:///w/h.budget.yaml", `${"[".repeat(3000)}`],
      ["file:///w/%E0%A4%A.budget.yaml", BUDGET],
    ];
    for (const [uri, text] of texts) {
      await client.open(uri, text);
      await client.lenses(uri);
      await client.hints(uri);
      await client.diagnostics(uri);
      await client.connection.sendRequest("textDocument/hover", {
        textDocument: { uri },
        position: { line: 0, character: 0 },
      });
    }
    expect(client.logged.filter((line) => / failed: /.test(line))).toEqual([]);
    expect(await client.lensText(BUDGET_URI)).toMatch(/success/);
  });

  it("documents that are not ours get nothing", async () => {
    const client = await ready();
    await client.open("file:///w/compose.yaml", "services:\n  web:\n    image: nginx\n");
    expect(await client.lenses("file:///w/compose.yaml")).toEqual([]);
    expect(await client.diagnostics("file:///w/compose.yaml")).toEqual([]);
    await client.open("git:/w/app.budget.yaml?x", BUDGET, "yaml");
    expect(await client.lenses("git:/w/app.budget.yaml?x")).toEqual([]);
  });
});

describe("settings", () => {
  it("switch each surface off and on without a restart", async () => {
    const client = await ready();
    const off = {
      codeLens: { enabled: false },
      inlayHints: { enabled: false },
      hover: { enabled: false },
      diagnostics: { enabled: false },
    };
    client.settings = () => off;
    await client.configurationChanged();
    await client.until("no lens", async () => (await client.lenses(BUDGET_URI)).length === 0);
    expect(await client.hints(BUDGET_URI)).toEqual([]);
    expect(await client.hover(BUDGET_URI, "tasks:")).toBeNull();
    client.settings = () => ({});
    await client.configurationChanged();
    await client.until("a lens", async () => (await client.lenses(BUDGET_URI)).length > 0);
  });

  it("of the wrong type count as not set", async () => {
    const client = await ready({
      settings: () => ({ codeLens: "yes", fit: { bootstrap: "many" }, diagnostics: { suboptimalThreshold: -3 } }),
    });
    expect(await client.lensText(BUDGET_URI)).toMatch(/success/);
  });

  it("are asked per resource", async () => {
    const client = await ready({
      settings: (uri) => (uri.endsWith("other.budget.yaml") ? { codeLens: { enabled: false } } : {}),
    });
    await client.open("file:///w/other.budget.yaml", BUDGET);
    expect(await client.lenses("file:///w/other.budget.yaml")).toEqual([]);
    expect(await client.lenses(BUDGET_URI)).not.toEqual([]);
  });
});

describe("folders", () => {
  it("each has its own scaling.yaml and fit", async () => {
    const host = new MemoryHost();
    addProject(host);
    addProject(host, "file:///v", "pin: [parameters]\n");
    const client = await ready({ host, folders: ["file:///w", "file:///v"] });
    await client.open("file:///v/app.budget.yaml", BUDGET);
    expect(await client.lensText("file:///v/app.budget.yaml")).toMatch(/no scaling fit/i);
    expect(await client.lensText(BUDGET_URI)).toMatch(/success/);
  });

  it("the nearest scaling.yaml above a config holds, never one above the workspace folder", async () => {
    const host = new MemoryHost();
    addProject(host, "file:///w/deep/project");
    host.set("file:///scaling.yaml", "fit: nowhere.fit.json\n");
    host.set(BUDGET_URI, BUDGET);
    const client = await ready({ host });
    await client.open("file:///w/deep/project/configs/x.budget.yaml", BUDGET);
    await client.until("a fit", async () =>
      (await client.lensText("file:///w/deep/project/configs/x.budget.yaml")).includes("success"),
    );
    expect(await client.lensText(BUDGET_URI)).toMatch(/no scaling fit/i);
  });

  it("an untitled document belongs to the folder that it would be saved in, else to the first", async () => {
    const host = new MemoryHost();
    addProject(host, "vscode-vfs://repo/v");
    addProject(host);
    host.files.delete("file:///w/scaling.yaml");
    const client = await ready({ host, folders: ["file:///w", "vscode-vfs://repo/v"] });
    for (const uri of ["untitled://repo/v/new.budget.yaml", "untitled:/v/other.budget.yaml"]) {
      await client.open(uri, BUDGET);
      await client.until("a fit", async () => (await client.lensText(uri)).includes("success"));
    }
    await client.open("untitled:Untitled-1.budget.yaml", BUDGET);
    expect(await client.lensText("untitled:Untitled-1.budget.yaml")).toMatch(/no scaling fit/i);
  });

  it("a scaling.yaml that appears, changes or goes is followed", async () => {
    const host = new MemoryHost();
    addProject(host);
    host.files.delete("file:///w/scaling.yaml");
    const client = await ready({ host });
    expect(await client.lensText(BUDGET_URI)).toMatch(/no scaling fit/i);
    host.set("file:///w/scaling.yaml", SCALING);
    await client.filesChanged("file:///w/scaling.yaml");
    await client.until("the fit", async () => (await client.lensText(BUDGET_URI)).includes("success"));
    expect(client.refreshes).toContain("workspace/codeLens/refresh");
    host.set("file:///w/scaling.yaml", `${SCALING}pin: [tasks]\n`);
    await client.filesChanged("file:///w/scaling.yaml");
    await client.until("the pin", async () =>
      (await client.actions(BUDGET_URI, "tasks:")).some(({ title }) => title.startsWith("Unpin tasks")),
    );
    host.files.delete("file:///w/scaling.yaml");
    await client.filesChanged("file:///w/scaling.yaml");
    await client.until("no fit", async () => (await client.lensText(BUDGET_URI)).includes("no scaling fit"));
  });

  it("run logs are watched where scaling.yaml names them, and a change is fitted again", async () => {
    const client = await ready({ scaling: SCALING_WITH_LOGS });
    const watched = client.registrations.filter(({ method }) => method === "workspace/didChangeWatchedFiles");
    expect(JSON.stringify(watched.at(-1)?.registerOptions)).toContain('"pattern":"runs.csv"');
    const before = await client.lensText(BUDGET_URI);
    const table = new TextDecoder().decode(client.host.files.get("file:///w/runs.csv"));
    client.host.set("file:///w/runs.csv", table.split("\n").slice(0, -13).join("\n"));
    await client.filesChanged("file:///w/runs.csv");
    await client.until("another fit", async () => (await client.lensText(BUDGET_URI)) !== before);
  });

  it("without scaling.yaml nothing is watched", async () => {
    const host = new MemoryHost();
    host.set(BUDGET_URI, BUDGET);
    const client = await ready({ host });
    expect(client.registrations.filter(({ method }) => method === "workspace/didChangeWatchedFiles")).toEqual([]);
  });

  it("an edit that changes no result asks for no refresh", async () => {
    const client = await ready();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = client.refreshes.length;
    await client.change(BUDGET_URI, `${BUDGET}# more\n`);
    await client.lensText(BUDGET_URI);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(client.refreshes.length).toBe(before);
  });
});
