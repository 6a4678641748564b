import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { readInPieces } from "../../server/syntax/yaml/pieces";
import { parseYaml } from "../../server/syntax/yaml/yaml";
import * as repair from "../../server/syntax/yaml/yamlRepair";

vi.mock("../../server/syntax/yaml/yamlRepair", async (original) => {
  const real = await original<typeof repair>();
  return { ...real, parsedCleanly: vi.fn(real.parsedCleanly) };
});

const configs = join(__dirname, "..", "fixtures", "configs");
const texts = readdirSync(configs, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.ya?ml$/.test(name))
  .sort()
  .map((name) => ({ name, text: `${readFileSync(join(configs, name), "utf8").trimEnd()}\n` }))
  .filter(({ text }) => text.length < 12_000);

const JUNK =
  `# : | - | ' | " | { | } | [ | |\n | |+\n | >-\n | &a | *a | !x | \n\n | \r\n | a: | ? | ---\n | \t | # c\n | , | <<: `
    .split(" | ")
    .concat(["  ", "\n"]);

/** As finely as can be, against the whole: an end of the document makes it be parsed as one. */
function bothWays(text: string): readonly [string, string] | null {
  const pieces = readInPieces(text, "1.1", { worth: 0, piece: 1, entry: 1 });
  if (!pieces) return null;
  const { variants, diagnostics } = parseYaml(`${text}...\n`);
  return [
    JSON.stringify([pieces.roots, pieces.diagnostics]),
    JSON.stringify([variants.map(({ root }) => root), diagnostics]),
  ];
}

describe("YAML read in pieces", () => {
  it("reads every config as the whole does, place for place", () => {
    let read = 0;
    for (const { name, text } of texts) {
      const both = bothWays(text);
      if (!both) continue;
      read++;
      expect(both[0], name).toBe(both[1]);
    }
    expect(read).toBeGreaterThan(texts.length / 2);
  });

  it("reads broken ones as the whole does, or leaves them to it", () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % below;
    let read = 0;
    for (const { name, text } of texts)
      for (let round = 0; round < 3; round++) {
        let broken = text;
        for (let change = 0; change <= round; change++) {
          const at = random(broken.length);
          broken = broken.slice(0, at) + JUNK[random(JUNK.length)] + broken.slice(at + random(3));
        }
        const both = bothWays(`${broken}\n`);
        if (!both) continue;
        read++;
        expect(both[0], `${name}\n${broken}`).toBe(both[1]);
      }
    expect(read).toBeGreaterThan(20);
  });

  it("parses after an edit what was edited, wherever it stands", () => {
    const lines = ["data:", "  n: 1", "extra:"];
    for (let i = 0; lines.length < 5000; i++) lines.push(i % 3 === 0 ? `  group_${i}:` : `    option_${i}: ${i} # x`);
    const parsed = vi.mocked(repair.parsedCleanly);
    const costOf = (text: string) => {
      parsed.mockClear();
      parseYaml(text);
      return parsed.mock.calls.reduce((sum, [source]) => sum + source.length, 0);
    };
    const text = `${lines.join("\n")}\n`;
    expect(costOf(text)).toBeGreaterThan(0.9 * text.length);
    expect(costOf(text)).toBe(0);
    expect(costOf(text.replace("n: 1", "n: 15"))).toBeLessThan(2_000);
    expect(costOf(text.replace("option_2000: 2000", "option_2000: 7"))).toBeLessThan(6_000);
    // A line more moves what follows, and makes one piece another.
    expect(costOf(text.replace("  group_1500:", "  group_x:\n    y: 1\n  group_1500:"))).toBeLessThan(6_000);
  });
});
