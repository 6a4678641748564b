import { existsSync, readdirSync, readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../server/configs/read";
import { grammars } from "./grammars";

/** Our own files of each kind that looked like a training and is none; public ones are listed in public.none.txt. */
const root = new URL("../fixtures/configs/none/", import.meta.url);
const list = fileURLToPath(new URL("public.none.txt", import.meta.url));

describe("what is no RL training", () => {
  test.each(readdirSync(root))("%s", async (name) => {
    const uri = new URL(name, root);
    const document = await readConfig({
      uri: uri.href,
      text: readFileSync(uri, "utf8"),
      readText: async () => undefined,
      grammars,
    });
    expect(document.experiments.map((one) => `${document.framework}: ${one.name}`)).toEqual([]);
  });

  test("the public list names 800 files or more, each repository at a commit", () => {
    const lines = readFileSync(list, "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(lines.filter((line) => line.startsWith("  ")).length).toBeGreaterThanOrEqual(800);
    for (const line of lines.filter((one) => !one.startsWith("  ")))
      expect(line).toMatch(/^[\w.-]+\/[\w.-]+ [0-9a-f]{40}$/);
  });

  const folder = process.env.SCALING_LENS_PUBLIC ?? "";
  test.skipIf(!existsSync(folder))("none of them is taken for one (SCALING_LENS_PUBLIC)", () => {
    const script = fileURLToPath(new URL("scan.mjs", import.meta.url));
    const run = spawnSync(process.execPath, [script, folder, `--list=${list}`], { encoding: "utf8" });
    expect(run.stdout.trim().split("\n").at(-1)).toMatch(/^\d+ files, 0 taken for trainings$/);
  });
});
