import { describe, expect, it } from "vitest";
import { tooFar } from "../../server/assessment/verdict";
import { amountIn } from "../../server/operations/amount";
import { shellWord } from "../../server/report/print/terminal";

describe("what is typed and what is printed", () => {
  it.each([
    ["3000", "USD", 3000],
    ["20 kUSD", "USD", 20_000],
    ["$2k", "USD", 2000],
    ["1,000", "USD", 1000],
    ["1.5e3", "USD", 1500],
    ["2k", "GPUh", 2000],
    ["768 GPUh", "GPUh", 768],
    ["2k GPU-hours", "GPUh", 2000],
  ] as const)("%s is an amount in %s", (text, unit, value) => {
    expect(amountIn(text, unit)).toEqual({ ok: true, value });
  });

  it.each(["", "0", "-3", "many", "3 GPUh", "3 USD/h", "1,5"])("%s is no amount of money", (text) => {
    expect(amountIn(text, "USD").ok).toBe(false);
  });

  it.each([
    ["a.yaml", "a.yaml"],
    ["configs/dépêche-1.yaml", "configs/dépêche-1.yaml"],
    ["mes dépêches [1]/x.yaml", "'mes dépêches [1]/x.yaml'"],
    ["it's/$HOME.yaml", "'it'\\''s/$HOME.yaml'"],
    ["~/x.yaml", "'~/x.yaml'"],
  ])("%s as a word of the shell", (path, word) => {
    expect(shellWord(path)).toBe(word);
  });

  it("a level under the runs is below them", () => {
    const ranges = { parameters: { min: 4e9, max: 8e9, centre: 6e9 }, tasks: { min: 100, max: 1000, centre: 300 } };
    const said = tooFar({ parameters: 4.7, tasks: 12 }, { parameters: 8.5e8, tasks: 12_000 }, ranges);
    expect(said).toMatch(/model size 4\.7× below/);
    expect(said).toMatch(/tasks 12× beyond/);
  });
});
