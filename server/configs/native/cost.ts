import type { BudgetField, Fact } from "../../budget/budget";
import { isKnown, known } from "../../budget/budget";
import type { CostFacts, EvaluationFacts } from "../../budget/costFacts";
import { LAYOUTS } from "../../budget/costFacts";
import { entryOf } from "../../syntax/nodes";
import type { MapNode } from "../../syntax/tree";
import type { QuantityRules, Reader } from "../schema/reader";

/** How a native experiment reads a value and remembers where it stands. */
export interface NativeReads {
  readonly reader: Reader;
  readonly root: MapNode;
  fact(
    map: MapNode | undefined,
    prefix: string,
    field: BudgetField,
    key: string,
    unit: string,
    rules: QuantityRules,
  ): Fact<number>;
  site(map: MapNode | undefined, prefix: string, field: BudgetField, key: string, unit: string): void;
}

const AMOUNT: QuantityRules = { atLeast: 1 };

/** The keys of a budget that only its cost reads. What it does not state is left out. */
export function nativeCost(reads: NativeReads): CostFacts {
  const { root, reader } = reads;
  const tokens = sectionOf(reads, "tokens");
  const number = (
    map: MapNode | undefined,
    prefix: string,
    field: BudgetField,
    key: string,
    unit: string,
    rules = AMOUNT,
  ): Fact<number> | undefined => stated(reads.fact(map, prefix, field, key, unit, rules));
  return present({
    promptTokens: number(tokens, "tokens", "promptTokens", "prompt", "tokens"),
    responseTokens: number(tokens, "tokens", "responseTokens", "response", "tokens per rollout"),
    turns: number(root, "", "turns", "turns", "turns"),
    environmentSeconds: number(root, "", "environmentSeconds", "environment_seconds", "seconds per turn", {
      atLeast: 0,
    }),
    evaluation: evaluationOf(reads, number),
    dynamicSampling: samplingOf(reads, number),
    lora: loraOf(reads),
    layout: layoutOf(reads, reader),
  });
}

type ReadNumber = (
  map: MapNode | undefined,
  prefix: string,
  field: BudgetField,
  key: string,
  unit: string,
  rules?: QuantityRules,
) => Fact<number> | undefined;

function evaluationOf(reads: NativeReads, number: ReadNumber): EvaluationFacts | undefined {
  const map = sectionOf(reads, "evaluation");
  if (map === undefined) return undefined;
  const before = map.entries.find(({ key }) => key === "before_training")?.value;
  reads.site(map, "evaluation", "evaluationBefore", "before_training", "true or false");
  return present({
    every: number(map, "evaluation", "evaluationEvery", "every", "steps between evaluations"),
    samples: number(map, "evaluation", "evaluationSamples", "samples", "rollouts per evaluation"),
    batch: number(map, "evaluation", "evaluationBatch", "batch", "rollouts at once"),
    beforeTraining:
      before?.kind === "scalar" && typeof before.value === "boolean"
        ? known(before.value, "config", { span: before.span })
        : undefined,
  });
}

function samplingOf({ root, site }: NativeReads, number: ReadNumber): Fact<number | "auto"> | undefined {
  const node = entryOf(root, "dynamic_sampling")?.value;
  if (node?.kind === "scalar" && node.value === "auto") {
    site(root, "", "dynamicSampling", "dynamic_sampling", "generated ÷ trained");
    return known("auto", "config", { span: node.span });
  }
  return number(root, "", "dynamicSampling", "dynamic_sampling", "generated ÷ trained");
}

function loraOf({ root, site }: NativeReads): Fact<boolean> | undefined {
  const node = entryOf(root, "lora")?.value;
  if (node === undefined) return undefined;
  site(root, "", "lora", "lora", "true, false or a rank");
  if (node.kind === "map") return known(true, "config", { span: node.span });
  return node.kind === "scalar" && typeof node.value === "boolean"
    ? known(node.value, "config", { span: node.span })
    : undefined;
}

function layoutOf({ root, site }: NativeReads, reader: Reader): CostFacts["layout"] {
  site(root, "", "layout", "layout", LAYOUTS.join(", "));
  const found = reader.word(root, "layout", LAYOUTS);
  return found === undefined ? undefined : known(found.value, "config", { span: found.node.span });
}

function sectionOf({ root, reader }: NativeReads, key: string): MapNode | undefined {
  return reader.map(entryOf(root, key)?.value);
}

function stated<Value>(fact: Fact<Value>): Fact<Value> | undefined {
  return isKnown(fact) ? fact : undefined;
}

/** Without the keys that are undefined. */
function present<Facts extends object>(facts: { [Key in keyof Facts]: Facts[Key] | undefined }): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Facts;
}
