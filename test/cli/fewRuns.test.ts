import { expect, test } from "vitest";
import { cli, folderWith } from "./harness";

test("fit says how many runs a law lacks, in place of a number", async () => {
  const lines = [
    [100, 4, 2, 210],
    [6400, 4, 2, 330],
    [100, 256, 2, 340],
    [6400, 256, 2, 441],
    [100, 4, 16, 250],
    [6400, 4, 16, 361],
    [100, 256, 16, 372],
    [6400, 256, 16, 455],
  ];
  const { folder, remove } = folderWith({
    "runs.csv": `tasks,environments,trajectories,successes,trials\n${lines.map((line) => [...line, 500].join(",")).join("\n")}\n`,
  });
  try {
    const { code, out } = await cli(folder, "fit", "runs.csv", "--bootstrap", "40");
    expect(code).toBe(0);
    // What a law has left is charged by what these runs determine of it.
    expect(out).toMatch(/^nested .* 7 +— needs (9|10) runs, has 8; its weight does not /m);
    expect(out).not.toMatch(/^(additive|nested).*unknown/m);
  } finally {
    remove();
  }
});
