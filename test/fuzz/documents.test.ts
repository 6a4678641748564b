import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MemoryHost } from "../server/memoryHost";
import { TestClient } from "../server/client";
import { Growth, HANG, MOST_GROWTH, SEED } from "./limits";
import { cpuTime } from "../cpu";
import { generator, mutate } from "./mutate";

/** `npm run fuzz` tries 50,000; the suite a part of them. */
const DOCUMENTS = Number(process.env.SCALING_LENS_FUZZ_DOCUMENTS ?? 300);
const LANGUAGES: Readonly<Record<string, string>> = {
  yaml: "yaml",
  yml: "yaml",
  toml: "toml",
  json: "json",
  sh: "shellscript",
  py: "python",
};

function isSmallFile(path: string): boolean {
  const about = statSync(path);
  return about.isFile() && about.size < 60_000;
}

function corpus(): { name: string; text: string }[] {
  const root = "test/fixtures/configs";
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => !/golden/.test(name) && LANGUAGES[name.split(".").pop() ?? ""] && isSmallFile(join(root, name)))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));
}

test(
  `${DOCUMENTS} mutated documents: the server answers each, and stays alive`,
  async () => {
    const seeds = corpus();
    expect(seeds.length).toBeGreaterThan(30);
    const host = new MemoryHost();
    const client = await TestClient.start({ host });
    const random = generator(SEED + 1);
    const slow: string[] = [];
    const growth = new Growth("documents");
    for (let i = 0; i < DOCUMENTS; i++) {
      const { name, text } = seeds[Math.floor(random() * seeds.length)];
      const mutated = mutate(text, random);
      const ending = name.split(".").pop() ?? "yaml";
      const native = name.startsWith("native/") && ending !== "py";
      const uri = `file:///w/fuzz-${i}${native ? ".budget" : ""}.${ending}`;
      const started = cpuTime();
      await client.open(uri, mutated, LANGUAGES[ending]);
      const lines = mutated.split("\n");
      const line = Math.floor(random() * lines.length);
      const position = { line, character: Math.floor(random() * (lines[line].length + 1)) };
      const [lenses, hints, hover] = await Promise.all([
        client.lenses(uri),
        client.hints(uri),
        client.connection.sendRequest("textDocument/hover", { textDocument: { uri }, position }),
        client.connection.sendRequest("textDocument/diagnostic", { textDocument: { uri } }),
        client.connection.sendRequest("textDocument/codeAction", {
          textDocument: { uri },
          range: { start: position, end: position },
          context: { diagnostics: [] },
        }),
      ]);
      expect(Array.isArray(lenses) && Array.isArray(hints)).toBe(true);
      expect(JSON.stringify(hover ?? "")).not.toContain("<script>");
      await client.close(uri);
      const took = cpuTime() - started;
      growth.after(i, took);
      if (took > HANG) slow.push(`${name} #${i}: ${took.toFixed(0)} ms`);
    }
    expect(slow).toEqual([]);
    expect(growth.bytes).toBeLessThan(MOST_GROWTH);
    expect(client.logged.filter((line) => /failed|error/i.test(line))).toEqual([]);
  },
  DOCUMENTS * 2000 + 60_000,
);
