import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TestClient } from "./client";
import { MemoryHost } from "./memoryHost";
import { addProject, SCALING } from "./runs";

/** Every file here is opened, and shown with its lens and its hints in place. A new case is a new file. */
const folder = join(__dirname, "../fixtures/server/hints");
const names = readdirSync(folder)
  .filter((name) => !name.endsWith(".txt"))
  .sort();

const FACTS = `${SCALING}facts:\n  - files: ["verl.yaml", "launch.sh", "grpo.py"]\n    environments: 12\n  - files: ["grpo.py"]\n    tasks: 2000\n    gpus: 8\n`;

describe("hints rendered into their documents", () => {
  it.each(names)("%s", async (name) => {
    const host = new MemoryHost();
    addProject(host, "file:///w", FACTS);
    const client = await TestClient.start({ host });
    const uri = `file:///w/${name}`;
    await client.open(uri, readFileSync(join(folder, name), "utf8"));
    await client.until("a fit", async () => !(await client.lensText(uri)).includes("Fitting"));
    const lenses = new Map<number, string[]>();
    for (const { range, command } of await client.lenses(uri))
      lenses.set(range.start.line, [...(lenses.get(range.start.line) ?? []), command?.title ?? ""]);
    const lines = (await client.rendered(uri)).split("\n");
    const shown = lines.flatMap((line, i) =>
      lenses.has(i) ? [`      ⟦${lenses.get(i)?.join(" | ")}⟧`, line] : [line],
    );
    const marks = (await client.diagnostics(uri)).map(
      ({ range, code, message }) => `${range.start.line + 1}:${range.start.character + 1} ${String(code)} ${message}`,
    );
    await expect(`${shown.join("\n")}${marks.length > 0 ? `\n────\n${marks.join("\n")}\n` : ""}`).toMatchFileSnapshot(
      join(folder, `${name}.hints.txt`),
    );
    await client.stop();
  });
});
