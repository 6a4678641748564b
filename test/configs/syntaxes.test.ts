import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseSyntax } from "../../server/configs/parse";
import { renderSyntax } from "./render";

const root = new URL("../fixtures/configs/", import.meta.url);

for (const kind of ["yaml", "toml", "json"] as const) {
  describe(`${kind} files give the tree of their golden file`, () => {
    for (const name of readdirSync(new URL(`${kind}/`, root)).filter((file) => !file.endsWith(".golden.txt"))) {
      test(name, async () => {
        const text = readFileSync(new URL(`${kind}/${name}`, root), "utf8");
        const document = await parseSyntax(`file:///w/${name}`, text);
        await expect(renderSyntax(text, document)).toMatchFileSnapshot(
          `../fixtures/configs/${kind}/${name}.golden.txt`,
        );
      });
    }
  });
}
