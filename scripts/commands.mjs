// The palette commands as package.json contributes them, from the files in extension/commands.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Stands for the editor, which is not there while files are generated: only ids, titles and conditions are read. */
const WITHOUT_EDITOR = {
  name: "without-editor",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^vscode/ }, ({ path }) => ({ path, namespace: "absent" }));
    onLoad({ filter: /.*/, namespace: "absent" }, () => ({
      contents: "module.exports = new Proxy(class {}, { get: (of, key) => (key in of ? of[key] : module.exports) });",
    }));
  },
};

export async function paletteCommands() {
  const { outputFiles } = await build({
    stdin: { contents: 'export { COMMANDS } from "./extension/commands";', resolveDir: root, loader: "ts" },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    logLevel: "silent",
    plugins: [WITHOUT_EDITOR],
  });
  const module = { exports: {} };
  const { createRequire } = await import("node:module");
  new Function("module", "exports", "require", outputFiles[0].text)(
    module,
    module.exports,
    createRequire(import.meta.url),
  );
  return module.exports.COMMANDS.filter(({ title }) => title !== undefined);
}

const keyOf = (id) => `command.${id.slice(id.indexOf(".") + 1)}`;

/** package.json with the commands of today; what it says of one beside title and condition (an icon) stays. */
export function withCommands(text, commands) {
  const manifest = JSON.parse(text);
  const { contributes } = manifest;
  for (const { id, when } of commands) {
    const title = `%${keyOf(id)}%`;
    const known = contributes.commands.find(({ command }) => command === id);
    if (known) known.title = title;
    else contributes.commands.push({ command: id, title, category: "Scaling Lens" });
    const palette = contributes.menus.commandPalette;
    const shown = palette.findIndex(({ command }) => command === id);
    if (when === undefined && shown >= 0) palette.splice(shown, 1);
    else if (when !== undefined && shown >= 0) palette[shown].when = when;
    else if (when !== undefined) palette.push({ command: id, when });
  }
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** package.nls.json with their titles. */
export function withTitles(text, commands) {
  const titles = Object.fromEntries(commands.map(({ id, title }) => [keyOf(id), title]));
  return `${JSON.stringify({ ...JSON.parse(text), ...titles }, null, 2)}\n`;
}
