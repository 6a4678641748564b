import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";

const root = join(__dirname, "..");
const written: string[] = [];
afterEach(() => written.splice(0).forEach((file) => rmSync(file, { force: true })));

/** A file of core that breaks a rule on purpose. */
function broken(name: string, text: string): string {
  const file = join(root, "server/core", `zz-${name}-${process.pid}.ts`);
  writeFileSync(file, text);
  written.push(file);
  return file;
}

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, "node_modules", script), ...args], { cwd: root, encoding: "utf8" });

test("a file over 300 code lines is an error, one of 300 is not", () => {
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, i) => `export const line${i} = ${i};\n`).join("");
  const said = run("eslint/bin/eslint.js", broken("long", lines(301)), broken("short", `// why\n\n${lines(300)}`));
  expect(said.status).toBe(1);
  expect(said.stdout.match(/too many lines \(\d+\)/g)).toEqual(["too many lines (301)"]);
});

test("a line over 120 that could be broken is an error", () => {
  const long = `export const sum = ${Array.from({ length: 30 }, (_, i) => 100 + i).join(" + ")};\n`;
  const said = run("prettier/bin/prettier.cjs", "--check", broken("wide", long), "--log-level", "warn");
  expect([said.status, said.stderr]).toEqual([1, expect.stringContaining("zz-wide")]);
});

test("an unused export is an error, and so is a file that nobody imports", () => {
  broken("exports", "export const one = 1;\nexport const two = 2;\n");
  broken("alone", "export const three = 3;\n");
  const user = join(root, `test/zz-uses-${process.pid}.ts`);
  writeFileSync(user, `import { two } from "../server/core/zz-exports-${process.pid}";\nvoid two;\n`);
  written.push(user);
  const said = run("knip/bin/knip.js", "--no-progress", "--reporter", "json");
  const { issues } = JSON.parse(said.stdout) as {
    issues: { file: string; exports: { name: string }[]; files: { name: string }[] }[];
  };
  expect(said.status).toBe(1);
  const of = (name: string) => issues.filter(({ file }) => file.includes(name));
  expect(of("zz-exports").flatMap(({ exports }) => exports.map(({ name }) => name))).toEqual(["one"]);
  expect(of("zz-alone").flatMap(({ files }) => files)).toHaveLength(1);
});
