import type { Pictures } from "../../../server/report/print/pictures";
import { cpSync, mkdtempSync, readdirSync, rmSync, appendFileSync, writeFileSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findScaling } from "../../../server/operations/scaling";
import { loadFit } from "../../../server/operations/fits";
import type { Job, JobProgress, JobRunner } from "../../../server/operations/jobs";
import { queryMemory, runQuery, type QueryAnswer, type QueryContext } from "../../../server/cells";
import { runJob } from "../../../server/operations/runJob";
import { FIGURE_MIME, type FigurePayload } from "../../../server/report/figures";
import { createNodeHost, toUri } from "../../../server/node/host";
import { inPlaceRunner } from "../../../server/operations/runner";

const FIT = 'fit: { logs: "runs/**", law: multiplicative, bootstrap: 40, seed: 2 }';
/** The fit that scaling.yaml asks for: estimates are of the draws, so another seed is another law. */
const OWN = FIT.replace(", seed: 2", "");
let folder: string;
const host = createNodeHost();
const ran: Job["kind"][] = [];
const plain = inPlaceRunner(host, runJob);
const jobs: JobRunner = {
  run: (job, onProgress, signal) => {
    ran.push(job.kind);
    return plain.run(job, onProgress, signal);
  },
};
const drawn: string[] = [];
const pictures: Pictures = {
  png: (payload) => (drawn.push(payload.template), Promise.resolve(new Uint8Array([0x89, 0x50, 0x4e, 0x47]))),
  vegaLite: (payload) => Promise.resolve({ title: payload.title }),
};
const memory = queryMemory();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "scaling-query-"));
  // Two of three amounts of rollouts: enough for a fit, half the reading.
  for (const name of readdirSync("samples/appworld/runs").filter((each) => !each.endsWith("r12")))
    cpSync(`samples/appworld/runs/${name}`, join(folder, "runs", name), { recursive: true });
  for (const name of ["appworld.budget.yaml", "scaling.yaml"]) cpSync(`samples/appworld/${name}`, join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(
  text: string,
  options: {
    above?: readonly string[];
    progress?: JobProgress[];
    signal?: AbortSignal;
    vegaLite?: boolean;
    pictures?: Pictures;
  } = {},
): Promise<QueryAnswer> {
  const baseUri = toUri(folder);
  const { folderUri, scaling } = await findScaling(host, `${baseUri}/fits.ipynb`, null);
  const context: QueryContext = {
    host,
    jobs,
    pictures: options.pictures ?? pictures,
    baseUri,
    folderUri,
    scaling,
    memory,
    vegaLite: options.vegaLite ?? false,
    signal: options.signal,
    defaultFit: () => loadFit({ host, jobs, folderUri, scaling, law: "multiplicative", bootstrap: 40 }),
    onProgress: (progress) => options.progress?.push(progress),
  };
  return runQuery(text, options.above ?? [], context);
}

const figures = (answer: QueryAnswer): FigurePayload[] =>
  answer.outputs.flatMap(({ items }) =>
    items.flatMap((item) =>
      item.mime === FIGURE_MIME && "text" in item ? [JSON.parse(item.text) as FigurePayload] : [],
    ),
  );
const mimes = (answer: QueryAnswer): string[][] => answer.outputs.map(({ items }) => items.map(({ mime }) => mime));
const sentences = (answer: QueryAnswer): string[] =>
  answer.outputs.map(({ items }) => {
    const plainText = items.find(({ mime }) => mime === "text/plain");
    return plainText && "text" in plainText ? plainText.text : "";
  });

describe("running a fit cell", () => {
  it("draws the fit, with a PNG and a sentence in the same output and the table in its own", async () => {
    const progress: JobProgress[] = [];
    const answer = await run(FIT, { progress });
    expect(answer.error).toBeUndefined();
    expect(figures(answer).map(({ template }) => template)).toEqual(["axis-fits", "exponent-forest", "calibration"]);
    expect(mimes(answer)).toEqual([
      ...Array.from({ length: 3 }, () => [FIGURE_MIME, "image/png", "text/plain"]),
      ["text/markdown", "text/plain"],
    ]);
    for (const payload of figures(answer)) expect(payload.simulated).toBe(true);
    expect(sentences(answer)[0]).toMatch(
      /^Failure rate against each axis \(simulated data\)\. tasks: exponent 0\.\d\d \[/,
    );
    expect(new Set(figures(answer).map(({ link }) => link)).size).toBe(1);
    // The draws are the posterior's, of which no refits are counted.
    expect(progress.map(({ label }) => label)).toContain("Fitting laws");
  });

  it("is answered from memory while nothing has changed, and fitted again when a log has", async () => {
    ran.length = drawn.length = 0;
    expect((await run(FIT)).cached).toBe(true);
    expect((await run(`${FIT}\nshow: [exponents]`)).cached).toBe(false);
    expect(ran).toEqual([]);
    expect(drawn).toEqual(["exponent-forest"]);
    const [first] = readdirSync(join(folder, "runs"));
    const log = join(
      folder,
      "runs",
      first,
      readdirSync(join(folder, "runs", first)).find((name) => name.endsWith(".jsonl") || name.endsWith(".csv")) ?? "",
    );
    appendFileSync(log, "\n");
    utimesSync(log, new Date(), new Date(Date.now() + 5000));
    expect((await run(FIT)).cached).toBe(false);
    expect(ran).toEqual(["fit"]);
  });

  it("names the files of each run, relative to the notebook", async () => {
    const [payload] = figures(await run(FIT));
    expect(payload.data.runs).toMatch(/,runs\/t\d+-e\d+-r\d+\/[\w.]+/);
  });

  it("uses the fit of the nearest cell above, then that of scaling.yaml", async () => {
    ran.length = 0;
    const above = await run("predict: { tasks: 2000, environments: 24, trajectories: 8 }", {
      above: ["fit: { logs: nowhere }", FIT],
    });
    expect(above.error).toBeUndefined();
    expect(ran).toEqual([]);
    expect(sentences(above)[0]).toMatch(/^Success rate \d+(\.\d)? % \[/);
    const own = await run("predict: { tasks: 2000, environments: 500 }");
    expect(ran).toEqual(["fit"]);
    expect(sentences(own)[0]).toMatch(
      /^Success rate unknown \(too far from your runs to predict \(environments 5\.2× beyond\)/,
    );
  });

  it("draws the allocation's charts, with the optimum to apply", async () => {
    const answer = await run("allocate: appworld.budget.yaml", { above: [OWN] });
    expect(answer.error).toBeUndefined();
    expect(figures(answer).map(({ template }) => template)).toEqual(["split", "frontier", "growth"]);
    expect(figures(answer)[0].actions).toEqual([
      { kind: "apply-optimum", label: "Optimise allocation", uri: "appworld.budget.yaml", experiment: "appworld-8b" },
    ]);
    expect(sentences(answer)[0]).toContain("appworld-8b:");
    const words = /success [^;]*; (.*?); /.exec(sentences(answer).at(-1) ?? "")?.[1] ?? "?";
    expect(figures(answer)[0].text).toContain(words);
  });

  it("offers the optimum only where the figure asks what the lens asks, by the same law", async () => {
    const other = await run("allocate: appworld.budget.yaml", { above: [FIT.replace("multiplicative", "additive")] });
    expect(figures(other)[0].actions).toBeUndefined();
    expect(sentences(other).at(-1)).toContain("another than that of scaling.yaml");
    for (const asked of ["same_success: true", "pin: [tasks]", "compute: 3e20 FLOPs"]) {
      expect(
        figures(await run(`allocate: { budget: appworld.budget.yaml, ${asked} }`, { above: [OWN] }))[0].actions,
      ).toBeUndefined();
    }
  });

  it("compares configs in a table", async () => {
    const answer = await run("compare: [appworld.budget.yaml, ./appworld.budget.yaml]", { above: [FIT] });
    expect(mimes(answer)).toEqual([["text/markdown", "text/plain"]]);
    expect(sentences(answer)[0]).toBe("2 experiments compared, on simulated data.");
  });

  it("plans the runs that would settle an experiment", async () => {
    const answer = await run("plan: { budget: appworld.budget.yaml, runs: 9 }", { above: [FIT] });
    expect(answer.error).toBeUndefined();
    expect(sentences(answer)[0]).toMatch(/^appworld-8b: a .+ design of 9 runs, .+ in all\. Expected regret/);
  });

  it("measures rollouts", async () => {
    writeFileSync(
      join(folder, "rollouts.jsonl"),
      Array.from({ length: 6 }, (_, i) =>
        JSON.stringify({ task_id: `t${i % 3}`, env_id: "e", prompt: `do ${i % 3}`, response: "done", reward: i % 2 }),
      ).join("\n"),
    );
    const answer = await run("measure: rollouts.jsonl");
    expect(answer.error).toBeUndefined();
    expect(mimes(answer)).toEqual([["text/markdown", "text/plain"]]);
    expect(sentences(answer)[0]).not.toBe("");
  });

  it("stores Vega-Lite on request only", async () => {
    expect(mimes(await run(`${FIT}\nshow: [exponents]`, { vegaLite: true }))[0]).toEqual([
      FIGURE_MIME,
      "application/vnd.vegalite.v5+json",
      "image/png",
      "text/plain",
    ]);
  });

  it("leaves out what would make a figure's output too large", async () => {
    const huge: Pictures = {
      png: () => Promise.resolve(new Uint8Array(300_000)),
      vegaLite: () => Promise.resolve(null),
    };
    expect(mimes(await run(`${FIT}\nshow: [residuals]`, { pictures: huge }))[0]).toEqual([FIGURE_MIME, "text/plain"]);
  });

  it.each([
    ["fit: { logs: nowhere }", 0, /^No scaling fit|no such file|Nothing matches/i],
    ["\nfit:\n  logs: runs\n  lwa: x\n", 3, /Unknown key `lwa`/],
    ["show: [split]\nfit: runs", 0, /say which experiment/],
    ["fit: { file: absent.fit.json }", 0, /not there/],
    ["\nallocate: absent.yaml", 1, /There is no absent\.yaml/],
    [
      "allocate: { budget: appworld.budget.yaml, experiment: other }",
      0,
      /no experiment named other; it has appworld-8b/,
    ],
    ["allocate: { budget: appworld.budget.yaml, compute: 3 apples }", 0, /./],
    ["{}", undefined, /asks for nothing/],
  ])("%j: an error at its line", async (text, line, message) => {
    const { error, outputs } = await run(text, { above: text.includes("fit") ? [] : [FIT] });
    expect(outputs).toEqual([]);
    expect(error?.message).toMatch(message);
    expect(error?.line).toBe(line);
  });

  it("stops when it is cancelled", async () => {
    const controller = new AbortController();
    const pending = run('fit: { logs: "runs/**", bootstrap: 20000, seed: 9 }', { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(pending).rejects.toThrow();
  });

  it("never turns names into markup", async () => {
    cpSync(join(folder, "appworld.budget.yaml"), join(folder, "x.budget.yaml"));
    appendFileSync(join(folder, "x.budget.yaml"), '\nname: "<img src=x onerror=alert(1)> [a](command:b) | `c`"\n');
    const answer = await run("compare: x.budget.yaml", { above: [FIT] });
    const markdown = answer.outputs
      .flatMap(({ items }) =>
        items.flatMap((item) => (item.mime === "text/markdown" && "text" in item ? [item.text] : [])),
      )
      .join();
    expect(markdown).toContain("&lt;img src=x");
    expect(markdown).not.toMatch(/<img|\[a\]\(/);
  });
});
