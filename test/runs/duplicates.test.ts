import { describe, expect, it } from "vitest";
import { exactDuplicates, textDuplicates } from "../../server/rollouts/duplicates";
import { makePause } from "../../server/rollouts/pause";

/** A repeatable generator (xorshift32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const SYLLABLES = [
  "ka",
  "lo",
  "mi",
  "ter",
  "son",
  "ber",
  "ing",
  "qua",
  "zen",
  "pho",
  "lat",
  "rin",
  "dex",
  "vor",
  "mun",
  "ship",
  "tal",
  "ost",
  "gre",
  "ny",
];

/** Task texts of made-up words, a fifth of them an earlier one with up to three words replaced. */
export function corpus(count: number, template: boolean, seed = 12345): string[] {
  const random = generator(seed);
  const words = Array.from({ length: 4000 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => SYLLABLES[Math.floor(random() * 20)]).join(""),
  );
  const word = () => words[Math.floor(4000 * random() ** 2.2)];
  const texts: string[] = [];
  while (texts.length < count) {
    if (texts.length > 10 && random() < 0.2) {
      const copy = texts[Math.floor(random() * texts.length)].split(" ");
      for (let edits = Math.floor(random() * 4); edits > 0; edits--) copy[Math.floor(random() * copy.length)] = word();
      texts.push(copy.join(" "));
    } else if (template)
      texts.push(
        `Book a ${word()} from ${word()} to ${word()} on the ${1 + Math.floor(random() * 28)}th for ${word()} and pay with ${word()}`,
      );
    else texts.push(Array.from({ length: 12 + Math.floor(random() * 14) }, word).join(" "));
  }
  return texts;
}

/** The definition, written out: 4-grams as strings, doubles, every pair compared. */
function pairsByDefinition(texts: readonly string[], threshold: number): Set<string> {
  const clean = texts.map((text) => ` ${text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim()} `);
  const distinct = [...new Set(clean)];
  const df = new Map<string, number>();
  const counts = distinct.map((text) => {
    const own = new Map<string, number>();
    for (let i = 0; i + 4 <= text.length; i++) own.set(text.slice(i, i + 4), (own.get(text.slice(i, i + 4)) ?? 0) + 1);
    for (const gram of own.keys()) df.set(gram, (df.get(gram) ?? 0) + 1);
    return own;
  });
  const vectors = new Map(
    distinct.map((text, d) => {
      const weights = new Map(
        [...counts[d]].map(([gram, count]) => [
          gram,
          count * (Math.log((1 + distinct.length) / (1 + (df.get(gram) ?? 0))) + 1),
        ]),
      );
      const norm = Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0));
      return [text, new Map([...weights].map(([gram, weight]) => [gram, weight / norm]))] as const;
    }),
  );
  const found = new Set<string>();
  for (let i = 0; i < clean.length; i++) {
    for (let j = 0; j < i; j++) {
      const a = vectors.get(clean[i]) as Map<string, number>;
      const b = vectors.get(clean[j]) as Map<string, number>;
      let dot = 0;
      for (const [gram, weight] of a) dot += weight * (b.get(gram) ?? 0);
      if (1 - dot <= threshold) found.add(`${j} ${i}`);
    }
  }
  return found;
}

const pause = makePause(() => undefined);

describe("near-duplicate task texts", () => {
  it.each([
    ["free texts", false],
    ["one template", true],
  ])("are exactly those of the definition (%s, 900 texts)", async (_, template) => {
    const texts = corpus(900, template);
    const expected = pairsByDefinition(texts, 0.15);
    const found = await textDuplicates(texts, 0.15, pause);
    expect(found).toMatchObject({ exact: true, complete: true, pairs: expected.size });
    // Greedy over the first kept: the definition of which tasks are left.
    const kept: number[] = [];
    for (let i = 0; i < texts.length; i++) if (!kept.some((k) => expected.has(`${k} ${i}`))) kept.push(i);
    expect([...new Set(found.representative)].sort((a, b) => a - b)).toEqual(kept);
  });

  it("are found by the sampled search of large corpora with a recall of at least 0.99", async () => {
    const texts = corpus(5000, false, 777);
    const exact = await textDuplicates(texts, 0.15, pause, Infinity);
    const sampled = await textDuplicates(texts, 0.15, pause, 0);
    expect(exact.exact).toBe(true);
    expect(sampled.exact).toBe(false);
    expect(exact.pairs).toBeGreaterThan(800);
    expect(sampled.pairs / exact.pairs).toBeGreaterThanOrEqual(0.99);
    expect(sampled.pairs).toBeLessThanOrEqual(exact.pairs);
  });

  it("do not come from a system prompt that all texts share", async () => {
    const frame = "system You are a careful assistant that thinks step by step and answers in one line. ".repeat(20);
    const texts = corpus(60, false, 99).map((text) => `${frame}user ${text} assistant`);
    const bare = await textDuplicates(corpus(60, false, 99), 0.15, pause);
    expect((await textDuplicates(texts, 0.15, pause)).pairs).toBe(bare.pairs);
  });

  it("of one text in many spellings are all its pairs", () => {
    expect(exactDuplicates(["A b", "a  B", "c", " a b "])).toMatchObject({
      pairs: 3,
      representative: Int32Array.from([0, 0, 2, 0]),
    });
  });

  it("take odd texts as they come", async () => {
    const found = await textDuplicates(["", " ", "a", "ab", "a", "𝕏𝕏𝕏", "x".repeat(50_000)], 0.15, pause);
    expect([...found.representative]).toEqual([0, 0, 2, 3, 2, 5, 6]);
  });
});
