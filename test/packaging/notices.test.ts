import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noticesOf, packagesOf } from "../../scripts/notices.mjs";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scaling-lens-notices-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function addPackage(name: string, license: unknown, files: Readonly<Record<string, string>>): string {
  const folder = join(root, "node_modules", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version: "1.0.0", license }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return `node_modules/${name}/index.js`;
}

describe("third-party notices", () => {
  it("name the innermost package of each file, once", () => {
    expect(
      packagesOf([
        "server/core/axes.ts",
        "node_modules/@a/b/x.js",
        "node_modules/@a/b/lib/y.js",
        "node_modules/c/node_modules/d/z.js",
        "node_modules\\e\\f.js",
      ]),
    ).toEqual(["node_modules/@a/b", "node_modules/c/node_modules/d", "node_modules/e"]);
  });

  it("carry every text that a package brings, or that its page gives", () => {
    const text = noticesOf(
      [
        addPackage("a", "Apache-2.0", { LICENSE: "terms of a\r\n", NOTICE: "notice of a" }),
        addPackage("b", "MIT", {
          "README.md": "# b\n\n## License\n\nCopyright 2020 B\n\nPermission is hereby granted, free of charge\n",
        }),
      ],
      root,
    );
    expect(text).toContain("contains 2 packages");
    for (const part of ["a 1.0.0 (Apache-2.0)", "terms of a\n", "notice of a", "b 1.0.0 (MIT)", "Copyright 2020 B"])
      expect(text).toContain(part);
  });

  it("are refused where a licence or its text is missing, with all that lack it", () => {
    const files = [
      addPackage("good", "MIT", { "LICENSE.md": "terms" }),
      addPackage("bare", "MIT", { "README.md": "## License\n\nMIT\n" }),
      addPackage("silent", undefined, { LICENSE: "terms" }),
      addPackage("empty", "ISC", { LICENSE: "\n" }),
    ];
    expect(() => noticesOf(files, root)).toThrow(/bare 1\.0\.0.*\n.*empty 1\.0\.0.*\n.*silent 1\.0\.0/);
    expect(() => noticesOf(files, root)).not.toThrow(/good/);
  });

  it("of a package without a text hold for the version that was looked at", () => {
    expect(() => noticesOf([addPackage("javascript-natural-sort", "MIT", {})], root)).toThrow("natural-sort 1.0.0");
    expect(noticesOf(["node_modules/javascript-natural-sort/naturalSort.js"])).toContain("Jim Palmer");
  });
});
