import { isKnown, known, type Fact } from "../../budget/budget";
import type { CostFacts, EvaluationFacts, LayoutName } from "../../budget/costFacts";
import type { Config } from "../sheet/config";
import { number } from "../sheet/reads";
import type { CostSheet, Read } from "../sheet/sheet";
import { unreadCosts } from "./unread";

/** A switch at the first of the paths that states one. */
export function flag(...paths: readonly string[]): Read<boolean> {
  return (config) => {
    for (const path of paths) {
      const found = config.peek(path);
      const on = config.truth(path);
      if (found === undefined || on === undefined) continue;
      return known(on, "config", { span: found.node.span, ...(found.node.file ? { file: found.node.file } : {}) });
    }
    return undefined;
  };
}

/** A switch's default; unknown in a fragment, whose other half may set it. */
export function otherwise(value: boolean, from: string): Read<boolean> {
  return (config) => (config.fragment ? undefined : known(value, "default", { note: from }));
}

/** Whether one of the paths holds a number above 0 (a rank, a coefficient, a number of rounds). */
export function above(least: number, ...paths: readonly string[]): Read<boolean> {
  return (config) => {
    for (const path of paths) {
      const text = config.textAt(path);
      if (text === undefined || text.trim() === "" || Number.isNaN(Number(text))) continue;
      return known(Number(text) > least, "config", { note: `\`${path}\` is ${text}` });
    }
    return undefined;
  };
}

/** True where one of the reads says so, false where all that state something say no. */
export function either(...reads: readonly Read<boolean>[]): Read<boolean> {
  return (config) => {
    const facts = reads.map((read) => read(config)).filter((fact) => fact !== undefined && isKnown(fact));
    return facts.find((fact) => fact?.value === true) ?? facts[0];
  };
}

/** The layout of the first condition that holds. */
export function layout(
  ...rules: readonly (readonly [LayoutName, (config: Config) => boolean, string])[]
): Read<LayoutName> {
  return (config) => {
    const rule = rules.find(([, holds]) => holds(config));
    return rule && known(rule[0], "derived", { note: rule[2] });
  };
}

/** Reads the facts; those that are neither stated nor known by default are left out. */
export function costFacts(sheet: CostSheet | undefined, config: Config): CostFacts {
  if (sheet === undefined) {
    const unread = unreadCosts(config);
    return unread.length > 0 ? { notRead: unread.map(quoted) } : {};
  }
  const ask = <Value>(read: Read<Value> | undefined): Fact<Value> | undefined => {
    const fact = read?.(config);
    return fact !== undefined && isKnown(fact) ? fact : undefined;
  };
  const { evaluation } = sheet;
  const every = ask(evaluation?.every);
  const dynamic = ask(sheet.dynamicSampling);
  const asked: EvaluationFacts = present({
    every:
      every && isKnown(every) ? { ...every, value: every.value > 0 ? every.value : ("never" as const) } : undefined,
    samples: ask(evaluation?.samples),
    beforeTraining: ask(evaluation?.beforeTraining),
    atEnd: ask(evaluation?.atEnd),
    batch: ask(evaluation?.batch),
  });
  const listed = sheet.notRead.filter((path) => config.has(path));
  const facts: CostFacts = present({
    lora: ask(sheet.lora),
    layout: ask(sheet.layout),
    rolloutGpus: ask(sheet.rolloutGpus) ?? ask(number("--beside.rollouts")),
    dynamicSampling: samplingOf(dynamic),
    generationBatch: ask(sheet.generationBatch),
    oldPolicyPass: ask(sheet.oldPolicyPass),
    referencePass: ask(sheet.referencePass),
    rewardModel: ask(sheet.rewardModel),
    critic: ask(sheet.critic),
    updates: ask(sheet.updates),
    independentTurns: ask(sheet.independentTurns),
    evaluation: Object.keys(asked).length > 0 ? asked : undefined,
  });
  // The last to be asked: whatever else a run states that costs, and that neither its budget nor its cost has read.
  const notRead = [...listed, ...unreadCosts(config)];
  return notRead.length > 0 ? { ...facts, notRead: notRead.map(quoted) } : facts;
}

const quoted = (path: string): string => `\`${path}\``;

function samplingOf(fact: Fact<boolean | number> | undefined): Fact<number | "auto"> | undefined {
  if (fact === undefined || !isKnown(fact)) return undefined;
  if (fact.value === false) return { ...fact, value: 1 };
  return { ...fact, value: fact.value === true ? "auto" : fact.value };
}

function present<Facts extends object>(facts: { [Key in keyof Facts]: Facts[Key] | undefined }): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Facts;
}
