// Cold first paint of a seven-panel figure in Chromium, against a plain build of vega and vega-lite that draws the same figure; and sizes.
import { existsSync } from "node:fs";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { compiledCharts } from "../../scripts/charts.mjs";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ROUNDS = 15;
const WIDTH = 900;

const browser = {
  bundle: true,
  write: false,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  mainFields: ["browser", "module", "main"],
  logLevel: "error",
};
/** The least disturbed of the rounds: what else the machine does only ever adds. */
const least = (values) => Math.min(...values);

async function bundles() {
  const figure = (
    await build({ entryPoints: ["test/bench/sevenPanels.ts"], ...browser, platform: "node", plugins: [compiledCharts] })
  ).outputFiles[0].text;
  const { sevenPanels, plainSource } = await import(
    `data:text/javascript;base64,${Buffer.from(figure).toString("base64")}`
  );
  const payload = sevenPanels();
  const ours = (await build({ entryPoints: ["renderer/index.ts"], ...browser, plugins: [compiledCharts] }))
    .outputFiles[0].text;
  const plain = (
    await build({
      stdin: {
        contents: `import * as vega from "vega"; import { compile } from "vega-lite";
        export async function draw(spec, element) { await new vega.View(vega.parse(compile(spec).spec), { renderer: "svg" }).initialize(element).runAsync(); }`,
        resolveDir: process.cwd(),
      },
      ...browser,
    })
  ).outputFiles[0].text;
  return { payload, source: plainSource(payload, WIDTH), ours, plain };
}

/** Milliseconds from asking for the module to the frame after the drawing, in a fresh page. */
async function paint(context, module, draw, argument) {
  const page = await context.newPage();
  await page.route("http://bench/**", (route) =>
    route.fulfill(
      route.request().url().endsWith(".js")
        ? { body: module, contentType: "text/javascript" }
        : { body: "<!doctype html><meta charset=utf-8><body>", contentType: "text/html" },
    ),
  );
  await page.goto("http://bench/");
  const times = await page.evaluate(draw, argument);
  await page.close();
  return times;
}

const drawOurs = async (payload) => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const show = async (renderer, id) => {
    const element = document.body.appendChild(document.createElement("div"));
    element.style.width = "916px";
    await renderer.renderOutputItem({ id, mime: "", text: () => JSON.stringify(payload) }, element);
    if (!element.shadowRoot.querySelector("svg.marks")) throw new Error("nothing was drawn");
    await frame();
  };
  const start = performance.now();
  const { activate } = await import("http://bench/ours.js");
  const renderer = activate({ postMessage() {} });
  await show(renderer, "a");
  const cold = performance.now() - start;
  const again = performance.now();
  await show(renderer, "b");
  return { cold, warm: performance.now() - again };
};

const drawPlain = async (source) => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const show = async (draw) => {
    const element = document.body.appendChild(document.createElement("div"));
    await draw(source, element);
    if (!element.querySelector("svg.marks")) throw new Error("nothing was drawn");
    await frame();
  };
  const start = performance.now();
  const { draw } = await import("http://bench/plain.js");
  await show(draw);
  const cold = performance.now() - start;
  const again = performance.now();
  await show(draw);
  return { cold, warm: performance.now() - again };
};

/** Longest frame while thirty figures are scrolled through, after their first draw. */
const scrollOurs = async (payload) => {
  const { activate } = await import("http://bench/ours.js");
  const renderer = activate({ postMessage() {} });
  for (let i = 0; i < 30; i++) {
    const element = document.body.appendChild(document.createElement("div"));
    await renderer.renderOutputItem({ id: `f${i}`, mime: "", text: () => JSON.stringify(payload) }, element);
  }
  await new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve, 500));
  });
  let longest = 0;
  let last = performance.now();
  for (let y = 0; y < document.body.scrollHeight; y += 120) {
    scrollTo(0, y);
    await new Promise(requestAnimationFrame);
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  return { longest };
};

/** Rows of the benchmark table. */
export default async function renderer() {
  const { payload, source, ours, plain } = await bundles();
  const size = ours.length / 1024;
  const rows = [{ name: "renderer, minified", value: size, unit: "KiB", limit: { max: 450 } }];
  if (!existsSync(CHROMIUM))
    return [
      ...rows,
      { name: "seven-panel figure, cold first paint", value: NaN, unit: "ms", skipped: `no Chromium at ${CHROMIUM}` },
    ];
  const instance = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const times = { ours: [], plain: [] };
    // Taken in turns, each in a context of its own, so that neither finds the other's caches or a warmer machine.
    for (let i = 0; i < ROUNDS; i++) {
      for (const [name, module, draw, argument] of [
        ["ours", ours, drawOurs, payload],
        ["plain", plain, drawPlain, source],
      ]) {
        const context = await instance.newContext({ viewport: { width: 960, height: 800 } });
        times[name].push(await paint(context, module, draw, argument));
        await context.close();
      }
    }
    for (const kind of ["cold", "warm"]) {
      const [a, b] = [least(times.ours.map((each) => each[kind])), least(times.plain.map((each) => each[kind]))];
      rows.push({
        name: `seven-panel figure, ${kind === "cold" ? "cold first paint" : "drawn again"}`,
        value: a,
        unit: "ms",
        peer: `plain vega + vega-lite (${Math.round(plain.length / 1024)} KiB): ${Math.round(b)} ms`,
        ratio: a / b,
        ...(kind === "cold" ? { limit: { max: 1 } } : {}),
      });
    }
    const frames = [];
    for (let i = 0; i < 3; i++) {
      const context = await instance.newContext({ viewport: { width: 960, height: 800 } });
      frames.push((await paint(context, ours, scrollOurs, payload)).longest);
      await context.close();
    }
    rows.push({
      name: "thirty figures scrolled, longest frame",
      value: least(frames),
      unit: "ms",
      limit: { max: 200 },
    });
  } finally {
    await instance.close();
  }
  return rows;
}

if (process.argv[1]?.endsWith("renderer.bench.mjs")) console.table(await renderer());
