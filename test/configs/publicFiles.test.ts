import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { FRAMEWORKS } from "../../server/frameworks";

/**
 * Facts of public configs, read by hand: `public.truth.json`. The files are not ours and are not here: with them in a folder
 * (`SCALING_LENS_PUBLIC=FOLDER`, as OWNER+NAME/path), they are scored too.
 */
interface Entry {
  readonly framework: string;
  readonly repo: string;
  readonly commit: string;
  readonly path: string;
  readonly accept: Readonly<Record<string, unknown>>;
  readonly environments: number | null;
}
const table = fileURLToPath(new URL("public.truth.json", import.meta.url));
const truth = JSON.parse(readFileSync(table, "utf8")) as readonly Entry[];
const later = [
  ...[
    "easyr1",
    "slime",
    "miles",
    "rlinf",
    "trinity-rft",
    "xtuner",
    "tunix",
    "pipelinerl",
    "oat",
    "torchtune",
    "nemo-gym",
  ],
  ...["atropos", "open-reasoner-zero", "chatlearn", "rl2"],
];

describe("facts of public configs", () => {
  test.each(later)("%s: three files or more, each with its place", (framework) => {
    const own = truth.filter((entry) => entry.framework === framework);
    expect(own.length).toBeGreaterThanOrEqual(3);
    expect(new Set(own.map((entry) => `${entry.repo}/${entry.path}`)).size).toBe(own.length);
    for (const entry of own) expect(entry.commit).toMatch(/^[0-9a-f]{40}$/);
    // miles is a fork of slime and keeps its flags.
    expect(FRAMEWORKS.some(({ id }) => id === (framework === "miles" ? "slime" : framework))).toBe(true);
  });

  const folder = process.env.SCALING_LENS_PUBLIC ?? "";
  test.skipIf(!existsSync(folder))("every known field is right, none is wrong (SCALING_LENS_PUBLIC)", () => {
    const script = fileURLToPath(new URL("score.mjs", import.meta.url));
    const run = spawnSync(process.execPath, [script, folder, table, "--json"], {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
    const rows = JSON.parse(run.stdout) as { readonly known: boolean; readonly verdict: string }[];
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => row.verdict === "wrong")).toEqual([]);
    const known = rows.filter((row) => row.known);
    expect(known.filter((row) => row.verdict === "right").length / known.length).toBeGreaterThanOrEqual(0.95);
  });
});
