/** The documentation holds together: links lead somewhere, names are those of the product, pictures are there. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { FRAMEWORKS } from "../server/frameworks";
import { cli } from "./cli/harness";

const root = join(__dirname, "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const docs = readdirSync(join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);
const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "samples/appworld/README.md",
  ...docs,
];
const manifest = JSON.parse(read("package.json")) as {
  scripts: Record<string, string>;
  files: string[];
  contributes: {
    configuration: { properties: Record<string, unknown> };
    commands: { command: string; title: string }[];
  };
};

/** The anchor that Markdown gives a heading. */
function anchorsOf(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .trim()
        .replace(/ /g, "-"),
    ),
  );
}

describe.each(pages)("%s", (page) => {
  const text = read(page);

  it("links lead to files and headings that are there", () => {
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target)
      .filter((target) => !/^(https?:|command:)/.test(target))
      .filter((target) => {
        const [path, anchor] = target.split("#");
        const file = path === "" ? page : join(dirname(page), path);
        return !existsSync(join(root, file)) || (anchor !== undefined && !anchorsOf(read(file)).has(anchor));
      });
    expect(broken).toEqual([]);
  });

  it("settings and scripts that it names exist", () => {
    const settings = [...text.matchAll(/`(scalingLens\.[\w.]+)`/g)].map(([, name]) => name);
    expect(
      settings.filter(
        (name) =>
          !(name in manifest.contributes.configuration.properties) &&
          !manifest.contributes.commands.some(({ command }) => command === name),
      ),
    ).toEqual([]);
    const scripts = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
    const files = [...text.matchAll(/node ((?:scripts|test)\/[\w./-]+)/g)].map(([, file]) => file);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

describe("the README", () => {
  const text = read("README.md");

  it("its pictures are small and come with the package", () => {
    const pictures = [...text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, file]) => file);
    expect(pictures.length).toBeGreaterThan(0);
    for (const file of pictures) expect(statSync(join(root, file)).size, file).toBeLessThan(150_000);
    expect(manifest.files).toContain("docs/images/*.png");
  });

  it.each(FRAMEWORKS.map(({ name }) => name))("names %s, and so does the page of frameworks", (name) => {
    expect(text.replaceAll(/\s+/g, " ")).toContain(name);
    expect(read("docs/frameworks.md")).toContain(`[${name}]`);
  });
});

it("the page of the command line lists the commands in the order of the help", async () => {
  const { out } = await cli(root, "help");
  const commands = [...out.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name);
  const listed = [...read("docs/cli.md").matchAll(/^\| `(\w+)/gm)].map(([, name]) => name);
  expect(commands.length).toBeGreaterThan(5);
  expect(listed).toEqual(commands);
});
