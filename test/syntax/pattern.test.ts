import picomatch from "picomatch/posix";
import { describe, expect, it } from "vitest";
import { matcher } from "../../server/runs/glob";
import { found } from "../../server/syntax/pattern/expression";
import { fitsGlob, glob } from "../../server/syntax/pattern/glob";
import { cpuTime } from "../cpu";

const GLOBS = [
  "*",
  "**",
  "*.toml",
  "configs/*.yaml",
  "configs/**",
  "configs/**/*.toml",
  "**/swe/*.toml",
  "a/**/b",
  "**/*.{yaml,yml}",
  "{a,b}/c?.sh",
  "run_[0-9]*",
  "run_[^0-9]*",
  "x{1..3}.yaml",
  "@(a|b)/c1.sh",
  "+(ab)",
  "?(a)b",
  "a*b*c",
  "a/*/c",
];
const PATHS = [
  "a",
  "b",
  "ab",
  "abab",
  "abc",
  "aXbYc",
  "a/b",
  "a/x/b",
  "a/x/y/b",
  "a/x/c",
  "a/c1.sh",
  "b/c2.sh",
  "configs",
  "configs/a.yaml",
  "configs/a.toml",
  "configs/x/y/a.toml",
  "x/swe/q.toml",
  "swe/q.toml",
  "run_1",
  "run_1a",
  "run_a",
  "x2.yaml",
  "x4.yaml",
  ".hidden",
  "a/.b/c",
  "deep/er/f.yml",
];

describe("globs", () => {
  it.each([true, false])("fit what picomatch fits, dot %s", (dot) => {
    const differences = GLOBS.flatMap((pattern) => {
      const peer = picomatch(pattern, { dot });
      return PATHS.filter((path) => glob(pattern, { dot })(path) !== peer(path)).map((path) => `${pattern} ~ ${path}`);
    });
    expect(differences).toEqual([]);
  });

  it("are held against the name alone where they have no slash", () => {
    expect(fitsGlob("a/b/c.toml", "*.toml", { dot: true })).toBe(true);
    expect(fitsGlob("a/b/c.toml", "b/*.toml", { dot: true })).toBe(false);
  });

  it("take time by their length and the path's, whatever they ask for", () => {
    const long = `${"a".repeat(3000)}`;
    const begin = cpuTime();
    for (const pattern of [
      "(a+)+$",
      `${"*a".repeat(25)}b`,
      `${"**/a*".repeat(25)}b`,
      "+(+(+(a)))b",
      `${"{a,aa}".repeat(200)}b`,
      `{1..999999999}`,
      "[".repeat(1999),
      "(".repeat(1999),
      `${"{".repeat(900)}a,b${"}".repeat(900)}`,
    ])
      expect(glob(pattern)(long)).toBe(false);
    expect(cpuTime() - begin).toBeLessThan(5000);
  });
});

describe("metric names", () => {
  it("match as a lazy regular expression does", () => {
    for (const pattern of ["val/*/acc", "*a*", "a*b*c", "*", "a*", "*/mean@*", "aa*aa"])
      for (const name of ["val/x/acc", "val/x/y/acc", "banana", "abcbc", "aXbYbZc", "aaa", "aaaa", "x/mean@1", ""]) {
        const peer = new RegExp(
          `^${pattern
            .split("*")
            .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
            .join("(.*?)")}$`,
        ).exec(name);
        expect([pattern, name, matcher(pattern)(name)]).toEqual([pattern, name, peer !== null]);
      }
  });

  it("with many stars take time by their length", () => {
    const begin = cpuTime();
    for (let i = 0; i < 1000; i++) expect(matcher(`${"*a".repeat(100)}b`)("a".repeat(2000))).toBe(false);
    expect(cpuTime() - begin).toBeLessThan(5000);
  });
});

describe("regular expressions of shell tests", () => {
  it.each([
    ["^(a+)+$", "aaaa", true],
    ["^(a+)+$", "aaab", false],
    ["qwen", "path/qwen3", true],
    ["^[0-9]+$", "42", true],
    ["^[[:digit:]]{2,3}$", "1234", false],
    ["^[[:digit:]]{2,3}$", "123", true],
    ["(foo|ba[rz])\\.sh$", "x/baz.sh", true],
    ["^$", "", true],
    ["a{2}b?", "xaay", true],
    ["^(a|ab)(c|bcd)$", "abcd", true],
  ])("%s in %s: %s", (expression, text, wanted) => {
    expect(found(expression, text)).toBe(wanted);
    expect(found(expression, text)).toBe(new RegExp(expression.replaceAll("[[:digit:]]", "\\d")).test(text));
  });

  it("never go back", () => {
    const begin = cpuTime();
    expect(found("^(a+)+$", `${"a".repeat(1900)}b`)).toBe(false);
    expect(found("(((a*)*)*)*b", "a".repeat(1900))).toBe(false);
    expect(found("(a{1,200}){1,200}b", "a".repeat(1900))).toBe(null);
    expect(found("((", "a")).toBe(null);
    expect(cpuTime() - begin).toBeLessThan(5000);
  });
});
