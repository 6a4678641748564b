import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { FIGURE_MIME } from "../../server/report/figures";
import { figureOf } from "../../renderer/figure";
import { readPayload } from "../../renderer/payload";
import { sceneOf } from "../renderer/scene";

const python = spawnSync("python3", ["--version"]).status === 0;

describe.skipIf(!python)("the Python helper (skipped without python3)", () => {
  it("emits a payload that this build draws", async () => {
    const { body } = (JSON.parse(readFileSync("snippets/python.json", "utf8")) as Record<string, { body: string[] }>)[
      "Scaling Lens figure from Python"
    ];
    const code = body
      .join("\n")
      .replace(/\$\{\d+:([^}]*)\}/g, "$1")
      .replace("from IPython.display import display", "import json\ndef display(data, raw): print(json.dumps(data))");
    const { stdout, stderr } = spawnSync("python3", ["-c", code], { encoding: "utf8" });
    expect(stderr).toBe("");
    const output = JSON.parse(stdout) as Record<string, unknown>;
    expect(Object.keys(output)).toEqual([FIGURE_MIME, "text/plain"]);
    const { payload, problem } = readPayload(JSON.stringify(output[FIGURE_MIME]));
    expect(problem).toBeNull();
    if (!payload) return;
    expect(figureOf(payload)?.rows).toHaveLength(2);
    const scene = await sceneOf(payload);
    expect(scene.value("x", scene.marks("symbol")[0].x)).toBeCloseTo(0.17, 6);
  });
});
