import type { Span } from "../../text";
import type { Script, Statement } from "../script";
import { calculate } from "./assign";
import { alternativesOf, isPrinted, sure, type Verdict } from "./conditions";
import { expandJoined, expandRange } from "./expand";
import { matchesPattern } from "./pattern";
import type { ShellState } from "./state";
import { leaveOpen, plainBefore } from "./undecided";
import { externalsOf, shownOf, textOf, unknownIn } from "./value";
import { braces, isPureTest, leaves, MOST_ROUNDS, startsTraining } from "./words";

/** What branches and loops ask of the interpreter. */
export interface Flow {
  readonly state: ShellState;
  /** Command-line programs that train by themselves. */
  readonly trainers: ReadonlySet<string>;
  block(script: Script, statements: readonly Statement[]): Verdict;
  /** Runs a condition; the verdict of its last statement. */
  test(script: Script, statements: readonly Statement[]): Verdict;
}

export function runIf(flow: Flow, script: Script, one: Extract<Statement, { kind: "if" }>): void {
  const bodies = one.arms.map((arm) => arm.body);
  const before = plainBefore(flow.state, script, bodies);
  const open = followIf(flow, script, one);
  if (open === null) return;
  const whole = one.arms.at(-1)?.test === null;
  leaveOpen(flow.state, script, [...bodies.slice(open), ...(whole ? [] : [[]])], before);
}

/** Runs the arm that is likeliest; the first whose test only a run decides, null where none is. */
function followIf(flow: Flow, script: Script, one: Extract<Statement, { kind: "if" }>): number | null {
  const { state } = flow;
  let open: number | null = null;
  let guess: readonly Statement[] | null = null;
  for (const [index, arm] of one.arms.entries()) {
    const verdict = arm.test === null ? sure(true) : state.trail.within(one, () => flow.test(script, arm.test ?? []));
    if ((verdict.printed || verdict.value === null) && guess === null) open ??= index;
    const doubtful = verdict.weak || verdict.outside === true || guess !== null;
    if (
      verdict.weak &&
      verdict.value !== true &&
      isBetter(
        flow,
        script,
        arm.body,
        one.arms.slice(index + 1).map((other) => other.body),
      )
    ) {
      state.guarded(true, () => flow.block(script, arm.body));
      return open;
    }
    if (verdict.value !== true) {
      if (verdict.value === null) guess ??= arm.body;
      continue;
    }
    const rest = one.arms.slice(index + 1).map((other) => other.body);
    if (verdict.weak && (leaves(script, arm.body) || rest.some((other) => isBetter(flow, script, other, [arm.body])))) {
      guess ??= [];
      continue;
    }
    // The arms not reached name other ways to start the script.
    for (const other of one.arms.slice(index + 1))
      if (other.test?.every(isPureTest)) state.trail.within(one, () => flow.test(script, other.test ?? []));
    state.guarded(doubtful, () => flow.block(script, arm.body));
    return open;
  }
  return open;
}

/** When a condition is a guess: the arm that starts the training is meant, where only one does. */
function isBetter(
  flow: Flow,
  script: Script,
  body: readonly Statement[],
  others: readonly (readonly Statement[])[],
): boolean {
  return starts(flow, script, body) && !leaves(script, body) && !others.some((other) => starts(flow, script, other));
}

function starts(flow: Flow, script: Script, body: readonly Statement[]): boolean {
  if (body.length === 0) return false;
  return startsTraining(script.text.slice(body[0].start, body[body.length - 1].end), flow.trainers);
}

export function runCase(flow: Flow, script: Script, one: Extract<Statement, { kind: "case" }>): void {
  const { state } = flow;
  const subject = expandJoined(script, one.subject, flow.state);
  const weak = unknownIn(subject) !== undefined;
  let fallback: readonly Statement[] | null = null;
  let chosen: readonly Statement[] | null = null;
  for (const arm of one.arms) {
    for (const pattern of arm.patterns) {
      const word = expandJoined(script, pattern, flow.state);
      const text = textOf(word);
      if (!/[*?[]/.test(text)) state.trail.note(alternativesOf(subject, word), one);
      if (text === "*") fallback ??= arm.body;
      if (!chosen && matchesPattern(text, textOf(subject))) chosen = arm.body;
    }
  }
  const body = chosen ?? fallback ?? [];
  if (weak || externalsOf(subject).size > 0 || isPrinted(subject)) state.undecided++;
  const bodies = [...one.arms.map((arm) => arm.body), ...(fallback ? [] : [[]])];
  const before = plainBefore(state, script, bodies);
  if (!weak || !leaves(script, body))
    state.guarded(weak || externalsOf(subject).size > 0, () => flow.block(script, body));
  if (isPrinted(subject)) leaveOpen(state, script, bodies, before);
}

export function runFor(flow: Flow, script: Script, one: Extract<Statement, { kind: "for" }>): void {
  const { state } = flow;
  const words =
    one.items === null
      ? [...state.arguments]
      : state.trail.readingFor(one.variable, () =>
          (one.items ?? []).flatMap((item) => braces(expandRange(script, item, flow.state))),
        );
  if (words.length === 0) return;
  if (!state.spend(words.length / 4)) return;
  for (const item of one.items ?? []) state.taken.byLoop(script, item, state.variables);
  for (const word of words.slice(0, MOST_ROUNDS)) {
    state.variables.set(one.variable, { kind: "scalar", word });
    state.loops.push({ name: one.variable, value: shownOf(word) });
    flow.block(script, one.body);
    state.loops.pop();
    if (state.roundsEnd()) return;
  }
}

export function runCount(flow: Flow, script: Script, one: Extract<Statement, { kind: "count" }>): void {
  const { state } = flow;
  const [start, test, step] = one.parts;
  for (const part of one.parts) state.taken.byLoop(script, part, state.variables);
  const evaluate = (range: Span | undefined): number | null => {
    if (!range) return null;
    const inner = expandJoined(script, range, flow.state, true);
    if (unknownIn(inner) !== undefined) return null;
    return calculate(textOf(inner), "a loop counter", state.variables);
  };
  evaluate(start);
  const name = start ? (/^\s*(\w+)\s*=/.exec(script.text.slice(start.start, start.end))?.[1] ?? "i") : "i";
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const verdict = evaluate(test);
    if (verdict === 0 || (verdict === null && round > 0)) return;
    const variable = state.variables.get(name);
    state.loops.push({ name, value: variable?.kind === "scalar" ? shownOf(variable.word) : String(round) });
    flow.block(script, one.body);
    state.loops.pop();
    if (state.roundsEnd()) return;
    evaluate(step);
  }
}

export function runWhile(flow: Flow, script: Script, one: Extract<Statement, { kind: "while" }>): void {
  const { state } = flow;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const verdict = flow.test(script, one.test);
    const goes = one.until ? (verdict.value === null ? false : !verdict.value) : verdict.value;
    if (goes === false || (goes === null && round > 0)) return;
    state.guarded(verdict.weak || verdict.value === null, () => flow.block(script, one.body));
    // `while true` and guesses are walked once: what they wait for never comes here.
    if (
      state.roundsEnd() ||
      verdict.weak ||
      /^\s*(true|:|\[\[? *1)/.test(one.test[0] ? script.text.slice(one.test[0].start, one.test[0].end) : "")
    )
      return;
  }
}
