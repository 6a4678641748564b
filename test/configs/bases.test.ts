import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseSyntax } from "../../server/configs/parse";
import { followConfig } from "../../server/configs/follow/bases";
import { grammars } from "./grammars";
import { renderSyntax } from "./render";
import { cpuTime } from "../cpu";

const root = new URL("../fixtures/configs/bases/", import.meta.url);

async function readText(uri: string): Promise<string | undefined> {
  try {
    return readFileSync(fileURLToPath(uri), "utf8");
  } catch {
    return undefined;
  }
}

async function follow(path: string): Promise<string> {
  const uri = new URL(path, root).href;
  const text = (await readText(uri)) ?? "";
  const document = await parseSyntax(uri, text, { grammars, readText });
  const variants = [];
  const diagnostics = [...document.diagnostics];
  for (const variant of document.variants) {
    const followed = await followConfig(variant, { uri, syntax: document.syntax, parse: parseSyntax, readText });
    variants.push(followed.variant);
    diagnostics.push(...followed.notes);
  }
  return renderSyntax(text, { ...document, variants, diagnostics }).replaceAll(root.href, "");
}

const FILES = [
  "hydra/experiments/search.yaml",
  "nemo/recipes/run.yaml",
  "nemo/cycle.yaml",
  "engine/conf/main.yaml",
  "engine/go.sh",
  "launch/examples/run/go.sh",
  "launch/examples/run/prime.sh",
  "interpolation.yaml",
];

describe("configs are followed into their base files", () => {
  for (const path of FILES) {
    test(path, async () => {
      await expect(await follow(path)).toMatchFileSnapshot(
        `../fixtures/configs/bases/${path.replace(/\.\w+$/, "")}.golden.txt`,
      );
    });
  }

  test("every golden file belongs to a test", () => {
    const goldens = (readdirSync(root, { recursive: true }) as string[])
      .filter((name) => name.endsWith(".golden.txt"))
      .sort();
    expect(goldens).toEqual(FILES.map((path) => path.replace(/\.\w+$/, ".golden.txt")).sort());
  });
});

describe("interpolation is bounded", () => {
  const resolve = async (text: string) => {
    const document = await parseSyntax("file:///w/x.yaml", text);
    return (
      await followConfig(document.variants[0], {
        uri: "file:///w/x.yaml",
        syntax: "yaml",
        parse: parseSyntax,
        readText,
      })
    ).variant;
  };

  test("a fan of references that doubles at each level ends", async () => {
    const lines = ["k0: { a: 1, b: 2 }"];
    for (let i = 1; i < 40; i++) lines.push(`k${i}: { a: "\${k${i - 1}}", b: "\${k${i - 1}}" }`);
    const started = cpuTime();
    await resolve(lines.join("\n"));
    expect(cpuTime() - started).toBeLessThan(2000);
  });

  test("a chain of a thousand references is not followed to its end", async () => {
    const lines = ["k0: 1"];
    for (let i = 1; i < 1000; i++) lines.push(`k${i}: "\${k${i - 1}}"`);
    const variant = await resolve(lines.reverse().join("\n"));
    expect(variant.root.entries[0].value.kind).toBe("unknown");
    expect(variant.root.entries.at(-2)?.value).toMatchObject({ kind: "scalar", value: 1, editable: false });
  });
});
