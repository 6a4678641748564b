import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";

/** Each forbidden direction, tried with a file that breaks it: the rule must name it. */
const BREAKS = [
  { room: "server/core", rule: "core-looks-at-nothing", code: 'import "../configs/text";' },
  { room: "server/core", rule: "core-has-no-node", code: 'import "node:fs";' },
  { room: "server/configs/read", rule: "configs-below-features", code: 'import "../runs/index";' },
  { room: "server/sources/read", rule: "runs-below-features", code: 'import "../assessment/index";' },
  { room: "server/assessment", rule: "assessment-below-features", code: 'import "../server";' },
  { room: "server/features", rule: "vscode-only-in-extension", code: 'import "vscode";' },
  { room: "server/features", rule: "connection-only-in-server", code: 'import "vscode-languageserver/node";' },
  { room: "server/features", rule: "node-parts-apart", code: 'import "node:path";' },
  { room: "renderer", rule: "renderer-uses-core-only", code: 'import "../server/protocol";' },
  { room: "extension", rule: "extension-sees-protocol-only", code: 'import "../server/core/axes";' },
] as const;

describe("imports run one way", () => {
  let written: string | undefined;
  afterEach(() => {
    if (written) rmSync(written, { force: true });
  });

  test.each(BREAKS)("$room: $rule", ({ room, rule, code }) => {
    written = join(process.cwd(), room, `zz-forbidden-${process.pid}.ts`);
    mkdirSync(dirname(written), { recursive: true });
    writeFileSync(written, `${code}\n`);
    const result = spawnSync(
      process.execPath,
      ["node_modules/dependency-cruiser/bin/dependency-cruise.mjs", "--config", ".dependency-cruiser.cjs", written],
      { encoding: "utf8" },
    );
    expect(result.stdout + result.stderr).toContain(rule);
    expect(result.status).not.toBe(0);
  });
});
