import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentKind, isOurs } from "../../server/detect";
import { cpuTime } from "../cpu";

const LANGUAGES: Readonly<Record<string, string>> = {
  yaml: "yaml",
  yml: "yaml",
  toml: "toml",
  json: "json",
  sh: "shellscript",
  py: "python",
};

function filesUnder(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesUnder(path) : [path];
  });
}

/** Configs in each framework's schema; one beside a golden reading is one that the readers know, so it must wake the extension up. */
const configs = join(__dirname, "../fixtures/configs");

function frameworkConfigs(): string[] {
  const all = new Set(filesUnder(configs));
  return [...all].filter((path) => {
    const ending = path.slice(path.lastIndexOf(".") + 1);
    const golden = `${path.slice(0, path.lastIndexOf("."))}.golden.yaml`;
    return (
      ending in LANGUAGES &&
      path !== golden &&
      all.has(golden) &&
      /^framework: (?!null|native)/m.test(readFileSync(golden, "utf8"))
    );
  });
}

describe("detection", () => {
  it("knows our own files by name", () => {
    expect(documentKind("file:///a/x.budget.yaml", "yaml", "")).toBe("budget");
    expect(documentKind("file:///a/x.budget.json", "json", "")).toBe("budget");
    expect(documentKind("file:///a/x.budget.toml", "toml", "")).toBe("budget");
    expect(documentKind("/a/scaling.yaml", "yaml", "")).toBe("scaling");
    expect(documentKind("vscode-notebook-cell:/a.ipynb", "scaling-query", "fit: {}")).toBe("query");
  });

  it("leaves everyday files alone", () => {
    const everyday: readonly (readonly [string, string])[] = [
      ["yaml", "services:\n  web:\n    image: nginx\n    ports: ['80:80']\n"],
      ["yaml", "name: CI\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n"],
      ["json", '{ "name": "x", "dependencies": { "vega": "6" } }'],
      ["toml", '[package]\nname = "x"\nversion = "0.1.0"\n'],
      ["shellscript", "#!/bin/sh\nset -e\nnpm ci && npm test\n"],
      ["python", "import numpy as np\n\ndef main():\n    print(np.zeros(3))\n"],
      ["markdown", "actor_rollout_ref"],
    ];
    for (const [language, text] of everyday) expect(isOurs(`file:///x.${language}`, language, text), text).toBe(false);
  });

  it.each(frameworkConfigs().map((path) => [path.slice(configs.length + 1), path]))("wakes up for %s", (_, path) => {
    const language = LANGUAGES[path.slice(path.lastIndexOf(".") + 1)];
    expect(documentKind(`file://${path}`, language, readFileSync(path, "utf8"))).not.toBeNull();
  });

  it("has configs to be tried on", () => {
    expect(frameworkConfigs().length).toBeGreaterThan(10);
  });

  it("is quick on a large file", () => {
    const text = "key: value of something long enough to look like a line\n".repeat(20_000);
    const start = cpuTime();
    expect(isOurs("file:///big.yaml", "yaml", text)).toBe(false);
    expect(cpuTime() - start).toBeLessThan(5000);
  });
});
