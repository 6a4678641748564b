import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
  readonly to: { readonly pathNot?: string };
}

const config = createRequire(import.meta.url)("../.dependency-cruiser.cjs") as { readonly forbidden: readonly Rule[] };

/** Rooms of server/ with a file that each may not import: one in a room that its line does not name. */
const rooms = config.forbidden
  .filter(({ name, from }) => from.path === `^server/${name}/`)
  .map(({ name, to }) => ({
    room: `server/${name}`,
    rule: name,
    code: `import "${to.pathNot?.includes("entries/") ? "../../test/server/client" : "../entries/cli"}";`,
  }));

/** What is forbidden across rooms. */
const acrossRooms = [
  { room: "server/core", rule: "core-has-no-node", code: 'import "node:fs";' },
  { room: "server/features", rule: "vscode-only-in-extension", code: 'import "vscode";' },
  { room: "server/features", rule: "connection-only-in-entries", code: 'import "vscode-languageserver/node";' },
  { room: "server/features", rule: "node-parts-apart", code: 'import "node:path";' },
  { room: "renderer", rule: "renderer", code: 'import "../server/protocol";' },
  { room: "extension", rule: "extension", code: 'import "../server/core/axes";' },
];

/** Each forbidden direction, tried with a file that breaks it, all in one cruise: the rule must name the file. */
describe("imports run one way", () => {
  const written: string[] = [];
  afterEach(() => written.splice(0).forEach((file) => rmSync(file, { force: true })));

  test(`${rooms.length + acrossRooms.length} rules, each broken on purpose`, () => {
    const cases = [...rooms, ...acrossRooms];
    const files = cases.map(({ room, rule, code }) => {
      const file = join(room, `zz-forbidden-${rule}-${process.pid}.ts`);
      writeFileSync(join(process.cwd(), file), `${code}\n`);
      written.push(join(process.cwd(), file));
      return file;
    });
    const result = spawnSync(
      process.execPath,
      [
        "node_modules/dependency-cruiser/bin/dependency-cruise.mjs",
        "--config",
        ".dependency-cruiser.cjs",
        "--output-type",
        "json",
        ...files,
      ],
      { encoding: "utf8", maxBuffer: 1e9 },
    );
    const { summary } = JSON.parse(result.stdout) as {
      summary: { violations: { from: string; rule: { name: string } }[] };
    };
    for (const [i, { rule }] of cases.entries()) {
      expect(summary.violations, rule).toContainEqual(
        expect.objectContaining({ from: files[i], rule: expect.objectContaining({ name: rule }) }),
      );
    }
  });
});
