/** Every command of docs/questions.md runs as it is printed, in a copy of the sample workspace. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli } from "./cli/harness";

const page = readFileSync("docs/questions.md", "utf8");

/** Words of a command line; single quotes keep theirs together. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([whole, quoted]) => quoted ?? whole);
}

test("21 questions, each with an answer or with the words that there is none yet", () => {
  const questions = [...page.matchAll(/^\*\*(\d+)\. .+?\*\*/gms)].map(([, number]) => Number(number));
  expect(questions).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
});

test("the commands run as printed, and print what the page says", async () => {
  const folder = mkdtempSync(join(tmpdir(), "scaling-lens-questions-"));
  cpSync("samples/appworld", folder, { recursive: true });
  for (const [, name, text] of page.matchAll(/^```(?:yaml|json) (\S+)\n(.*?)^```/gms))
    writeFileSync(join(folder, name), text);
  let told = "";
  for (const [, commands, , words] of page.matchAll(/^```sh\n(.*?)^```\n(\n<!-- prints: (.*?) -->)?/gms)) {
    let printed = "";
    for (const line of commands.trim().split("\n")) {
      const [program, ...argv] = wordsOf(line);
      expect(program).toBe("scaling-lens");
      const { code, out, err } = await cli(folder, ...argv);
      expect(code, `${line}\n${err}`).not.toBe(2);
      printed += out;
    }
    for (const word of words?.split("; ") ?? []) expect(printed, commands).toContain(word);
    told += printed;
  }
  expect(told).not.toBe("");
  rmSync(folder, { recursive: true, force: true });
}, 600_000);
