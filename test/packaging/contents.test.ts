import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { nativePackages } from "../../scripts/targets.mjs";
import {
  builtFor,
  CAP,
  entriesOf,
  faultsOf,
  NATIVE_CAP,
  NATIVE_FOLDER,
  sizesOf,
  type Entry,
  type Manifest,
} from "../../scripts/vsix.mjs";

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const file = (name: string, packed = 1000): Entry => ({ name, packed, size: 3 * packed });

/** Names of a package that nothing is wrong with. */
function sound(target: string | undefined): Entry[] {
  const contributed = [
    "media/walkthrough/sample.md",
    "media/walkthrough/lens.md",
    "media/walkthrough/optimise.md",
    "media/walkthrough/logs.md",
    "l10n/bundle.l10n.json",
    ...["budget", "scaling", "query", "python"].map((name) => `snippets/${name}.json`),
    "snippets/scaling-query.language.json",
    "snippets/scaling-query.tmLanguage.json",
    "schemas/budget.schema.json",
    "schemas/scaling.schema.json",
    "samples/appworld/scaling.yaml",
    "docs/maths.md",
    "docs/images/lens.png",
    "package.nls.json",
  ];
  const native = target
    ? nativePackages(target).flatMap((name) => [`${name}/package.json`, `${name}/LICENSE`, `${name}/index.js`])
    : [];
  const binding = target
    ? ["libduckdb.so", "duckdb.node"].map((name) => `${nativePackages(target).at(-1)}/${name}`)
    : [];
  return [
    ...["[Content_Types].xml", "extension.vsixmanifest"].map((name) => file(name)),
    ...[
      "package.json",
      "readme.md",
      "changelog.md",
      "LICENSE.txt",
      ...builtFor(target),
      ...contributed,
      ...[...native, ...binding].map((name) => NATIVE_FOLDER + name),
    ].map((name) => file(`extension/${name}`)),
  ];
}

/** A zip made by Python: a file, a folder, a name in UTF-8, and a comment at the end. */
const ZIP =
  "UEsDBBQAAAAIAACdfV1Dv6ajBAAAAAIAAAAWAAAAZXh0ZW5zaW9uL3BhY2thZ2UuanNvbquuBQBQSwMEFAAAAAgAAJ19XQAAAAACAAAAAAAAABAAAABleHRlbnNpb24vZW1wdHkvAwBQSwMEFAAACAgAAJ19XQPaOJoLAAAA6AMAABAAAABleHRlbnNpb24vw6kudHh0S0wcBaNgFAx3AABQSwECFAMUAAAACAAAnX1dQ7+mowQAAAACAAAAFgAAAAAAAAAAAAAAgAEAAAAAZXh0ZW5zaW9uL3BhY2thZ2UuanNvblBLAQIUAxQAAAAIAACdfV0AAAAAAgAAAAAAAAAQAAAAAAAAAAAAEAD9QTgAAABleHRlbnNpb24vZW1wdHkvUEsBAhQDFAAACAgAAJ19XQPaOJoLAAAA6AMAABAAAAAAAAAAAAAAAIABaAAAAGV4dGVuc2lvbi/DqS50eHRQSwUGAAAAAAMAAwDAAAAAoQAAAAkAYSBjb21tZW50";

describe("the list of files in a package", () => {
  it("reads a zip", () => {
    expect(entriesOf(Buffer.from(ZIP, "base64"))).toEqual([
      { name: "extension/package.json", packed: 4, size: 2 },
      { name: "extension/é.txt", packed: 11, size: 1000 },
    ]);
    expect(() => entriesOf(Buffer.from("nothing of the kind"))).toThrow("no zip");
  });

  for (const target of [undefined, "linux-x64", "win32-x64"]) {
    describe(target ?? "universal", () => {
      it("finds nothing wrong with a sound package", () =>
        expect(faultsOf(sound(target), manifest, target)).toEqual([]));

      it.each([
        "dist/server.js.map",
        "dist/test/suite.js",
        "dist/leftover.js",
        "dist/native/stray.node",
        "server/core/axes.ts",
        "test/host/run.mjs",
        "node_modules/yaml/index.js",
        "dist/node_modules/yaml/index.js",
        `${NATIVE_FOLDER}left-pad/index.js`,
        `${NATIVE_FOLDER}@duckdb/node-bindings/node_modules/x/index.js`,
        `${NATIVE_FOLDER}@duckdb/node-bindings/duckdb.d.ts`,
        ".env",
        "docs/.secret.md",
        "samples/appworld/.DS_Store",
        "samples/appworld/.git/config",
        "samples/appworld/key.pem",
        "samples/id_rsa",
        "samples/other.vsix",
        "samples/appworld/make.ts",
        "docs/maths.md~",
        "docs/internal/notes.md",
        "scripts/package.mjs",
        "CONTRIBUTING.md",
        "package-lock.json",
        "scaling-lens-0.1.0.vsix",
        `${NATIVE_FOLDER}@duckdb/node-bindings-${target === "win32-x64" ? "linux" : "win32"}-x64/duckdb.node`,
      ])("names %s", (name) => {
        const faults = faultsOf([...sound(target), file(`extension/${name}`)], manifest, target);
        expect(faults.length).toBeGreaterThan(0);
        expect(faults.every((fault) => fault.includes(name))).toBe(true);
      });

      it("names each part that is missing", () => {
        const all = sound(target);
        const free = /\/(LICENSE|index\.js)$|\.so$|samples\/|docs\/|l10n\/|scaling-query\.l/;
        for (const missing of all.filter(({ name }) => !free.test(name))) {
          const faults = faultsOf(
            all.filter((entry) => entry !== missing),
            manifest,
            target,
          );
          expect({ missing: missing.name, faults }).toEqual({
            missing: missing.name,
            faults: expect.arrayContaining([
              expect.stringContaining(missing.name.replace(/^extension\//, "")),
            ]) as unknown,
          });
        }
      });

      it("holds the limits of size, the accelerator's apart", () => {
        const [first, ...rest] = sound(target);
        expect(faultsOf([{ ...first, packed: CAP }, ...rest], manifest, target)).toEqual([
          expect.stringMatching(/^4\.\d\d MB without the accelerator, where 4 MB are the limit$/),
        ]);
        if (!target) return;
        const last = rest.at(-1) as Entry;
        expect(sizesOf([last])).toMatchObject({ native: 1000 });
        expect(faultsOf([first, ...rest.slice(0, -1), { ...last, packed: CAP }], manifest, target)).toEqual([]);
        expect(faultsOf([first, ...rest.slice(0, -1), { ...last, packed: NATIVE_CAP }], manifest, target)).toEqual([
          expect.stringMatching(/MB of accelerator, where 40 MB are the limit$/),
        ]);
      });
    });
  }

  it("names a native library that is missing", () => {
    expect(
      faultsOf(
        sound("linux-x64").filter(({ name }) => !name.endsWith(".so")),
        manifest,
        "linux-x64",
      ),
    ).toEqual(["the library of @duckdb/node-bindings-linux-x64 is missing"]);
  });

  it("a universal package carries neither native code nor the program that loads it", () => {
    for (const name of ["dist/duckdb.js", `${NATIVE_FOLDER}@duckdb/node-bindings/package.json`]) {
      expect(faultsOf([...sound(undefined), file(`extension/${name}`)], manifest, undefined)).toEqual([
        `extension/${name} is not on the list of files`,
      ]);
    }
  });

  it("refuses a platform without a binding, and one that there is not", () => {
    for (const target of ["web", "linux-armhf"])
      expect(() => nativePackages(target)).toThrow(
        `DuckDB has no binding for ${target}: the universal package (npm run package) serves it`,
      );
    expect(() => nativePackages("plan9-x64")).toThrow(
      "plan9-x64 is no platform of VS Code. There are packages for linux-x64",
    );
    expect(() => nativePackages("constructor")).toThrow("no platform");
  });
});
