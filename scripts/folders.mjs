// No circle between folders: at each level, what a folder's children import of one another has an order.
// dependency-cruiser sees circles of files only; two folders can import each other through different files.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Circles among the children of each folder below `roots`, as `folder: a → b → a`. @param {{from: string, to: string}[]} imports */
export function folderCircles(imports, roots = ["server", "extension", "renderer"]) {
  const found = [];
  const children = new Map();
  for (const { from, to } of imports) {
    const a = from.split("/");
    const b = to.split("/");
    if (!roots.includes(a[0]) || a[0] !== b[0]) continue;
    let depth = 0;
    while (a[depth] === b[depth] && depth < a.length - 1 && depth < b.length - 1) depth++;
    if (a[depth] === b[depth]) continue;
    // Files that stand beside folders are the folder's own face: they may import its children and be imported by them.
    if (depth === a.length - 1 || depth === b.length - 1) continue;
    const folder = a.slice(0, depth).join("/");
    if (!children.has(folder)) children.set(folder, new Map());
    const graph = children.get(folder);
    if (!graph.has(a[depth])) graph.set(a[depth], new Map());
    graph.get(a[depth]).set(b[depth], `${from} → ${to}`);
  }
  for (const [folder, graph] of children) {
    const state = new Map();
    const path = [];
    const visit = (name) => {
      state.set(name, "open");
      path.push(name);
      for (const next of graph.get(name)?.keys() ?? []) {
        if (state.get(next) === "open") {
          const circle = [...path.slice(path.indexOf(next)), next];
          const why = circle.slice(1).map((to, i) => `  ${graph.get(circle[i]).get(to)}`);
          found.push(`${folder}: ${circle.join(" → ")}\n${why.join("\n")}`);
        } else if (!state.has(next)) visit(next);
      }
      path.pop();
      state.set(name, "done");
    };
    for (const name of graph.keys()) if (!state.has(name)) visit(name);
  }
  return found;
}

/** Imports of the product's rooms, as dependency-cruiser sees them. */
function importsOfRooms() {
  const { stdout } = spawnSync(
    process.execPath,
    [
      "node_modules/dependency-cruiser/bin/dependency-cruise.mjs",
      ...["--config", ".dependency-cruiser.cjs", "--output-type", "json", "server", "extension", "renderer"],
    ],
    { encoding: "utf8", maxBuffer: 1e9 },
  );
  const { modules, summary } = JSON.parse(stdout);
  const imports = modules.flatMap(({ source, dependencies }) =>
    dependencies.filter(({ coreModule }) => !coreModule).map(({ resolved }) => ({ from: source, to: resolved })),
  );
  return { imports, violations: summary.violations };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { imports, violations } = importsOfRooms();
  for (const { from, to, rule, comment } of violations)
    console.error(`${rule.name}: ${from} → ${to}${comment ? ` (${comment})` : ""}`);
  const circles = folderCircles(imports);
  for (const circle of circles) console.error(`circle between folders, ${circle}`);
  console.log(`imports: ${violations.length} forbidden, ${circles.length} circles between folders`);
  process.exit(violations.length + circles.length > 0 ? 1 : 0);
}
