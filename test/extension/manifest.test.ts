import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

interface Manifest {
  readonly files: readonly string[];
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly scope?: string }>> };
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly media: { readonly markdown: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
    readonly snippets?: readonly { readonly path: string }[];
    readonly jsonValidation: readonly { readonly url: string }[];
    readonly yamlValidation: readonly { readonly url: string }[];
  };
  readonly activationEvents: readonly string[];
}

const text = readFileSync("package.json", "utf8");
const manifest = JSON.parse(text) as Manifest;
const strings = JSON.parse(readFileSync("package.nls.json", "utf8")) as Record<string, string>;
const { contributes } = manifest;

describe("the manifest", () => {
  test("every %key% has a text, and every text a key", () => {
    const keys = [...text.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key);
    expect([...new Set(keys)].sort()).toEqual(Object.keys(strings).sort());
  });

  test("no activation event matches a file pattern", () => {
    for (const event of manifest.activationEvents) expect(event).toMatch(/^on(Language|Notebook):[\w-]+$/);
  });

  test("settings are under a dozen", () => {
    expect(Object.keys(contributes.configuration.properties).length).toBeLessThan(12);
  });

  test("every file that it names is there", () => {
    const named = [
      ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.markdown)),
      ...(contributes.snippets ?? []).map(({ path }) => path),
      ...contributes.jsonValidation.map(({ url }) => url),
      ...contributes.yamlValidation.map(({ url }) => url),
    ];
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("every command of walkthroughs and texts is contributed", () => {
    const known = new Set(contributes.commands.map(({ command }) => command));
    const used = [
      ...Object.values(strings)
        .join(" ")
        .matchAll(/command:(scalingLens\.\w+)/g),
    ].map(([, command]) => command);
    for (const { steps } of contributes.walkthroughs)
      for (const { completionEvents } of steps)
        used.push(...completionEvents.map((event) => event.replace("onCommand:", "")));
    expect(used.filter((command) => !known.has(command))).toEqual([]);
  });

  test("the table that translations start from is current", () => {
    expect(() => execFileSync(process.execPath, ["scripts/generate.mjs", "--check"], { stdio: "pipe" })).not.toThrow();
  });
});
