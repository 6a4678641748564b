import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { assessDocument } from "../../server/assessment/assess";
import { isAllocated, type AllocationView } from "../../server/assessment/types";
import { loadedFit } from "../../server/assessment/law";
import type { ConfigDocument } from "../../server/configs/document";
import { readConfig } from "../../server/configs/read";
import { readScalingFile } from "../../server/configs/scaling/scalingFile";
import type { ExperimentBudget, RuleValues } from "../../server/budget/budget";
import type { Mode } from "../../server/core/allocation";
import { FRAMEWORKS } from "../../server/frameworks";
import { splice } from "../../server/syntax/text";
import { simulatedFit, wideFit } from "../server/runs";
import { grammars } from "./grammars";

/**
 * Every fixture of every framework under half and under twice its compute: what is written changes numbers of keys that the
 * sheet moves, and nothing else; read afresh, the file comes to what was promised; the framework's rules hold as before;
 * asked again for the same amount, nothing changes.
 */
const root = new URL("../fixtures/configs/", import.meta.url);
const FIT = loadedFit(simulatedFit(), "runs", "compute");
const WIDE = loadedFit(wideFit(), "longer runs", "compute");
/** What a config alone cannot know, as scaling.yaml states it. */
const scaling = (tasks: number) =>
  readScalingFile(
    "file:///w/scaling.yaml",
    `facts: [{ files: "**", tasks: ${tasks}, environments: 4, tokens_per_trajectory: 5000, parameters: 8000000000, group_size: 8, algorithm: grpo }]\n`,
  );
const USUAL = scaling(2048);
const MANY = scaling(16_384);
const factsOf = (name: string) => (LONG.has(name) ? MANY : USUAL);
/** Each framework whose fixtures state a duration that can be written, by one file; all files, in some minutes, with SCALING_LENS_FIXTURES=all. */
const CHOSEN = new Set(
  [
    ["verl/idle-cap.sh", "prime-rl/mixture.toml", "nemo-rl/base.yaml", "trl/shop.py", "verl-agent/household.sh"],
    ["agentgym-rl/growing-rounds.sh", "skyrl/search.sh", "rllm/on-verl.sh", "areal/whole.yaml", "slime/launcher.py"],
    ["ms-swift/sudoku.sh", "open-instruct/counts.sh", "openrlhf/plain.sh", "agent-lightning/calculator.py"],
    ["art/variants.py", "tinker/search.py", "easyr1/dapo.sh", "oat/puzzles.sh", "pipelinerl/puzzles.yaml"],
    ["rlinf/search.yaml", "trinity-rft/lake.yaml", "chatlearn/math.sh", "xtuner/gsm8k.py", "tunix/gemma.yaml"],
    ["atropos/letters.yaml", "rl2/search.sh", "axolotl/gym.yaml", "unsloth/one-gpu.py", "verifiers/words.py"],
    ["torchforge/grpo.yaml", "roll/agentic.yaml", "open-reasoner-zero/small_ppo.py"],
  ].flat(),
);
/** Runs so long that they lie outside the runs of the other files' law; with more tasks, and a law over longer runs, they do not. */
const LONG = new Set(["torchforge/grpo.yaml", "roll/agentic.yaml", "open-reasoner-zero/small_ppo.py"]);
const all = process.env.SCALING_LENS_FIXTURES === "all";
const files = FRAMEWORKS.flatMap(({ id }) => {
  const folder = new URL(`${id}/`, root);
  return statSync(folder, { throwIfNoEntry: false })
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith(".golden.yaml"))
        .map((entry) => `${id}/${entry.name}`)
        .filter((name) => all || CHOSEN.has(name))
    : [];
});
const MOVED = new Set(["steps", "epochs", "tasks", "groupSize", "promptsPerStep", "trajectories"]);

const read = (name: string, text: string): Promise<ConfigDocument> =>
  readConfig({
    uri: new URL(name, root).href,
    text,
    readText: async (uri) => {
      const url = new URL(uri);
      return existsSync(url) && !uri.endsWith("/") ? readFileSync(url, "utf8") : undefined;
    },
    grammars,
    facts: factsOf(name),
  });

interface Asked {
  readonly budget: ExperimentBudget;
  readonly allocation: AllocationView | null;
}

function assessed(document: ConfigDocument, name: string, index: number, mode: Mode): Asked {
  const one = assessDocument(document, new URL(name, root).href, factsOf(name), LONG.has(name) ? WIDE : FIT, {
    bold: true,
    recommend: "optimum",
    mode,
  }).experiments[index];
  return { budget: one.budget, allocation: isAllocated(one.allocation) ? one.allocation : null };
}

const valuesOf = (budget: ExperimentBudget): RuleValues => ({
  promptsPerStep: budget.promptsPerStep.value,
  groupSize: budget.groupSize.value,
  steps: budget.steps.value,
  epochs: budget.epochs.value,
  gpus: budget.gpus.value,
});

/** A text without some of its spans. */
function without(text: string, spans: readonly { readonly start: number; readonly end: number }[]): string {
  let [out, at] = ["", 0];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    out += text.slice(at, start);
    at = end;
  }
  return out + text.slice(at);
}

const written = new Map<string, number>();

describe("half and twice the compute", () => {
  test.each(files)("%s", async (name) => {
    const text = readFileSync(new URL(name, root), "utf8");
    const document = await read(name, text);
    for (const index of document.experiments.keys())
      for (const factor of [0.5, 2]) {
        const before = assessed(document, name, index, { kind: "scale", factor });
        if (!before.allocation) continue;
        const { edits, result, alone, remainder } = before.allocation;
        const edited = splice(
          text,
          edits.map(({ span, to }) => ({ span, newText: to })),
        );
        let shift = 0;
        const placed = [...edits]
          .sort((a, b) => a.span.start - b.span.start)
          .map(({ span, to }) => {
            const start = span.start + shift;
            shift += to.length - (span.end - span.start);
            return { start, end: start + to.length };
          });
        expect(without(edited, placed), "every other byte stays").toBe(
          without(
            text,
            edits.map(({ span }) => span),
          ),
        );
        for (const { span, from, to, path } of edits) {
          expect(text.slice(span.start, span.end)).toBe(from);
          expect(
            [from, to].every((one) => /^["']?[\d_.eE+]+["']?$/.test(one)),
            `${path}: ${from} -> ${to}`,
          ).toBe(true);
          const fields = before.budget.sites.filter(
            (site) => site.valueSpan.start <= span.start && span.end <= site.valueSpan.end,
          );
          expect(fields.length === 0 || fields.some(({ field }) => MOVED.has(field)), `${path} is a budget's`).toBe(
            true,
          );
        }
        const again = await read(name, edited);
        // Two rounds of a sweep may come to say the same, and are then one.
        if (again.experiments.length !== document.experiments.length) continue;
        const after = assessed(again, name, index, { kind: "budget", amount: result.budget });
        expect(after.allocation).not.toBeNull();
        const now = after.allocation!.result.current;
        expect(
          after.allocation!.edits.map(({ path, from, to }) => `${path} ${from} -> ${to}`),
          "asked again",
        ).toEqual([]);
        // What was said of the edits is what the file comes to.
        const promised = alone?.change.second ?? (remainder.length === 0 && edits.length > 0 ? null : result.current);
        if (promised)
          for (const [axis, level] of Object.entries(promised.levels))
            expect(now.levels[axis as "tasks"] ?? NaN, `${axis} as promised`).toBeCloseTo(level ?? NaN, 6);
        if (edits.length > 0) expect(now.cost).toBeLessThanOrEqual(result.budget * (1 + 1e-9));
        expect(after.budget.promptsPerStep.value).toBe(before.budget.promptsPerStep.value);
        expect(after.budget.groupSize.value).toBe(before.budget.groupSize.value);
        for (const rule of before.budget.rules)
          if (rule.holds(valuesOf(before.budget)) !== false)
            expect(rule.holds(valuesOf(after.budget)) !== false, rule.id).toBe(true);
        const id = name.split("/")[0];
        written.set(id, (written.get(id) ?? 0) + (edits.length > 0 ? 1 : 0));
      }
  });

  test("each of them is written at half or at twice", () => {
    const ids = new Set([...CHOSEN].map((name) => name.split("/")[0]));
    expect([...ids].filter((id) => (written.get(id) ?? 0) === 0)).toEqual([]);
    expect(ids.size).toBeGreaterThan(31);
  });
});
