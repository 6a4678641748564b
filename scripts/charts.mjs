// Compiles the chart templates ahead of time: Vega-Lite → Vega → dataflow, with every expression turned into a plain
// function. The renderer then needs neither compiler, parser nor interpreter, and draws on pages that forbid `eval`.
import { build } from "esbuild";
import { compile } from "vega-lite";
import { parse } from "vega";
import { deflateRawSync } from "node:zlib";

/** Loads the templates' source. */
export async function loadTemplates(root = process.cwd()) {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { CHARTS } from "./renderer/charts/index"; export { CONFIG } from "./renderer/charts/style";`,
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "error",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}

/** Vega-Lite → Vega. Warnings are errors: a template that compiles with one draws something else than it says. */
export function toVega(template, config, compiler = compile) {
  const warnings = [];
  const note = (...words) => (warnings.push(words.join(" ")), logger);
  const logger = { level: () => logger, error: note, warn: note, info: () => logger, debug: () => logger };
  const { spec } = compiler(template.spec, { config, logger });
  if (warnings.length > 0) throw new Error(`${template.shape.template}: ${warnings.join("; ")}`);
  return withZoom(template.columns ? withSignalColumns(spec) : spec, template.zoom ?? []);
}

/** Width of a character of a chart's text in pixels, rather too wide. */
const CHARACTER = 7;

/**
 * Prepares a chart for `renderer/zoom.ts`: where the signal `zoom` has a range for a scale, it is drawn with that domain and its ticks,
 * and what lies outside is cut off at the panel's edge; texts, which half cut would say something else, are left out whole.
 */
function withZoom(spec, panels) {
  if (panels.length === 0) return spec;
  const copy = structuredClone(spec);
  copy.signals = [...(copy.signals ?? []), { name: "zoom", value: null }];
  for (const { group, by, x, y } of panels) {
    const at = group === "" ? copy : copy.marks.find(({ name }) => name === group);
    if (!at) throw new Error(`There is no group named ${group} to look closer at.`);
    const entry = ({ column }) =>
      `((zoom || {})[${by === undefined ? JSON.stringify(column) : `${JSON.stringify(`${column}:`)} + parent[${JSON.stringify(by)}]`}] || {})`;
    const own = [x, y].filter(Boolean);
    for (const narrowed of own) {
      const scale = [...(at.scales ?? []), ...(by === undefined ? copy.scales : [])].find(
        ({ name }) => name === narrowed.scale,
      );
      if (!scale) throw new Error(`There is no scale named ${narrowed.scale} to narrow in ${group || "the chart"}.`);
      scale.domainRaw = { signal: `${entry(narrowed)}.domain` };
      for (const axis of at.axes.filter((axis) => axis.scale === narrowed.scale && axis.values)) {
        axis.values = { signal: `${entry(narrowed)}.ticks || ${axis.values.signal ?? JSON.stringify(axis.values)}` };
      }
    }
    const zoomed = `(${own.map((narrowed) => `${entry(narrowed)}.domain`).join(" || ")})`;
    const size = group === "" ? { width: { signal: "width" }, height: { signal: "height" } } : at.encode.update;
    for (const mark of at.marks) cutOff(mark, zoomed, size.width.signal, size.height.signal);
  }
  return copy;
}

function cutOff(mark, zoomed, width, height) {
  if (mark.type === "group") for (const inner of mark.marks) cutOff(inner, zoomed, width, height);
  else if (mark.type !== "text") mark.clip ||= { signal: `!!${zoomed}` };
  else {
    const { align, dx } = mark.encode.update;
    const room = `${CHARACTER} * length(item.text)`;
    const [left, right] = { left: ["0", room], right: [`-${room}`, "0"], center: [`-${room} / 2`, `${room} / 2`] }[
      align?.value ?? "center"
    ];
    const middle = `item.x + ${dx?.value ?? 0}`;
    if (mark.encode.update.opacity)
      throw new Error(`${mark.name}: a text's opacity is taken by what zooming leaves out.`);
    mark.encode.update.opacity = {
      signal: `${zoomed} && (${middle} + ${left} < 0 || ${middle} + ${right} > ${width} || item.y < 0 || item.y > ${height}) ? 0 : 1`,
    };
    // Left out is not out of the layout. A line above the panel is room for what is written on its edge.
    mark.clip = { signal: `${zoomed} ? pathShape("M0,-18H" + ${width} + "V" + ${height} + "H0Z") : false` };
  }
}

/** Vega-Lite takes a literal number of facet columns; Vega takes a signal, which lets a figure follow the width of the page. */
function withSignalColumns(spec) {
  const literal = new RegExp(`(?<=[/,] )${spec.layout.columns}\\)$`);
  // How many rows and columns have an axis beside them follows from it.
  const data = spec.data.map((source) =>
    /^facet_domain_(row|column)$/.test(source.name)
      ? {
          ...source,
          transform: source.transform.map((step) => {
            const stop = step.stop.signal.replace(literal, "columns)");
            if (stop === step.stop.signal)
              throw new Error(`${source.name} does not follow the number of columns: ${stop}`);
            return { ...step, stop: { signal: stop } };
          }),
        }
      : source,
  );
  return {
    ...spec,
    data,
    signals: [...(spec.signals ?? []), { name: "columns", value: 3 }],
    layout: { ...spec.layout, columns: { signal: "columns" } },
  };
}

/** One table of functions for all charts; equal code is kept once. */
class Functions {
  #index = new Map();
  list = [];
  helpers = new Set();
  add(args, code) {
    const key = `function(${args}){return ${code}}`;
    for (const [, name] of code.matchAll(/\bthis\.(\w+)/g)) this.helpers.add(name);
    let at = this.#index.get(key);
    if (at === undefined) this.#index.set(key, (at = this.list.push(key) - 1));
    return at;
  }
}

/** The value of code that is a plain literal, such as `"left"`, `0` or `null`; undefined for everything else. */
function literal(code) {
  try {
    return JSON.parse(code);
  } catch {
    return undefined;
  }
}

/** Splits a mark's channels into constants and functions, which says the same in a tenth of the code. */
function encoder({ marktype, channels }, functions) {
  const set = {};
  const by = {};
  for (const [name, { code }] of Object.entries(channels)) {
    const value = literal(code);
    if (value === undefined) by[name] = functions.add("item,_,datum,o", code);
    else set[name] = value;
  }
  return { marktype, set, by };
}

/** Replaces the code of a dataflow by indices into the table, under the names by which Vega's runtime looks for it. */
function extract(dataflow, functions) {
  const walk = (node) => {
    if (Array.isArray(node)) return node.map(walk);
    if (!node || typeof node !== "object") return node;
    const copy = {};
    for (const [key, value] of Object.entries(node)) {
      if (key === "$expr" && value.marktype) copy[key] = encoder(value, functions);
      else if (key === "$expr") copy[key] = { code: functions.add("datum,_", value.code) };
      else if (key === "update" && value?.code !== undefined) copy[key] = { code: functions.add("_", value.code) };
      else if (key === "filter" && value?.code !== undefined) copy[key] = { code: functions.add("event", value.code) };
      else copy[key] = walk(value);
    }
    return copy;
  };
  if (dataflow.updates?.length > 0)
    throw new Error("Charts react through parameters, not through event handlers of their own.");
  return walk(dataflow);
}

/** Where Vega's dataflow operators come from; only those that a chart uses get into the bundle. */
const PACKAGES = ["vega-transforms", "vega-view-transforms", "vega-encode"];

function transformTypes(node, types = new Set()) {
  if (node && typeof node === "object") {
    if (typeof node.type === "string" && "id" in node) types.add(node.type);
    for (const value of Object.values(node)) transformTypes(value, types);
  }
  return types;
}

/**
 * The compiled templates as the text of one module: `functions`, `packed` (deflated JSON of template id → dataflow, in
 * base64: a tenth of its size), and what of Vega they use.
 */
export async function compiledModule(root) {
  const { CHARTS, CONFIG } = await loadTemplates(root);
  const functions = new Functions();
  const charts = {};
  for (const template of CHARTS) {
    const dataflow = parse(toVega(template, CONFIG));
    charts[template.shape.template] = extract(JSON.parse(JSON.stringify(dataflow)), functions);
  }
  const packed = deflateRawSync(JSON.stringify(charts), { level: 9 }).toString("base64");
  const types = transformTypes(charts);
  const used = await Promise.all(
    PACKAGES.map(async (name) => [name, Object.keys(await import(name)).filter((key) => types.has(key))]),
  );
  return {
    types: [...types].sort(),
    text: [
      ...used.map(([name, keys]) => `import {${keys.join(",")}} from "${name}";`),
      `export const transforms={${used.flatMap(([, keys]) => keys).join(",")}};`,
      `export const functions=[${functions.list.join(",\n")}];`,
      `export const packed=${JSON.stringify(packed)};`,
      `export const helpers=${JSON.stringify([...functions.helpers].sort())};`,
    ].join("\n"),
  };
}

const ID = "charts:compiled";

/**
 * Parts of Vega that no chart here can reach: maps, colour schemes by name, Vega-Lite's selections. As empty CommonJS modules their
 * names are `undefined` instead of an error.
 */
const UNUSED = /^(d3-geo|d3-scale-chromatic|topojson-client|vega-selections)$/;
/** vega-scale registers these when it loads. */
const SCHEMES = [
  "Set3",
  "Set2",
  "Set1",
  "Pastel2",
  "Pastel1",
  "Paired",
  "Observable10",
  "Dark2",
  "Category10",
  "Accent",
]
  .map((name) => `export const scheme${name}=[];`)
  .join("");

/** For esbuild. */
export const compiledCharts = {
  name: "compiled-charts",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^charts:compiled$/ }, () => ({ path: ID, namespace: "charts" }));
    onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: "unused", sideEffects: false }));
    onLoad({ filter: /.*/, namespace: "unused" }, ({ path }) => ({
      contents: path === "d3-scale-chromatic" ? SCHEMES : "module.exports={};",
      loader: "js",
    }));
    onLoad({ filter: /.*/, namespace: "charts" }, async () => ({
      contents: (await compiledModule()).text,
      loader: "js",
      resolveDir: process.cwd(),
      watchDirs: ["renderer/charts"],
    }));
  },
};

/** For vitest. */
export const compiledChartsForVite = {
  name: "compiled-charts",
  enforce: "pre",
  resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
  load: (id) => (id === `\0${ID}` ? compiledModule().then(({ text }) => text) : undefined),
};
