import type { Span } from "../../text";
import { assigned, calculate } from "./assign";
import {
  alternativesOf,
  bothVerdicts,
  eitherVerdict,
  evaluateTest,
  evaluateTestWords,
  GUESS,
  negated,
  sure,
  type Verdict,
} from "./conditions";
import { expandJoined, expandRange, type Scope } from "./expand";
import type { Launch, RunOptions, RunResult } from "./launched";
import { matchesPattern } from "./pattern";
import type { Assignment, Script, Statement } from "../script";
import { simpleOutput, splitWords } from "./output";
import { readInto } from "./read";
import { TakenWords } from "./taken";
import { LAUNCH, Trail } from "./trail";
import {
  braces,
  IGNORED,
  innerScript,
  isFailure,
  isPureTest,
  joined,
  leaves,
  MOST_ROUNDS,
  rawWord,
  startsTraining,
} from "./words";
import { externalsOf, literal, MappedText, shownOf, textOf, unknownIn, type Variable, type Word } from "./value";

const MOST_WORK = 60_000;
const MOST_LAUNCHES = 200;
const MOST_CALLS = 12;

/** Runs a script without running anything: variables, branches, loops and functions, within a bound of work. */
export class Interpreter implements Scope {
  readonly #options: RunOptions;
  readonly #variables = new Map<string, Variable>();
  readonly #exported = new Set<string>();
  readonly #functions = new Map<string, { readonly script: Script; readonly body: readonly Statement[] }>();
  readonly #launches: Launch[] = [];
  readonly #taken = new TakenWords();
  readonly #trail = new Trail();
  readonly #wanted: Word[] = [];
  readonly #loops: { name: string; value: string }[] = [];
  #arguments: readonly Word[] = [];
  #work = 0;
  readonly #most: number;
  #calls = 0;
  #doubtful = 0;
  #site: Span = { start: 0, end: 0 };
  /** What a function that runs inside `$( … )` has printed so far. */
  #printed: Word[] | null = null;
  #stop: "break" | "continue" | "return" | "exit" | null = null;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#most = Math.min(MOST_WORK, options.work.left);
    // What comes from outside is in the environment, so scripts that this one calls have it too.
    for (const [name, word] of options.given)
      if (!/^\d+$/.test(name)) {
        this.#variables.set(name, { kind: "scalar", word });
        this.#exported.add(name);
      }
    const positions = [...options.given.keys()].filter((name) => /^[1-9]$/.test(name)).map(Number);
    const count = positions.length ? Math.max(...positions) : 0;
    this.#arguments = Array.from({ length: count }, (_, index) => options.given.get(String(index + 1)) ?? []);
  }

  run(script: Script): RunResult {
    this.#block(script, script.body);
    return {
      launches: this.#launches,
      taken: this.#taken.all,
      alternatives: this.#trail.alternatives(script),
      wanted: this.#wanted,
      work: this.#work,
      exhausted: this.#work >= this.#most,
    };
  }

  get(name: string): Variable | undefined {
    this.#trail.read(name);
    return this.#variables.get(name);
  }

  set(name: string, value: Variable): void {
    this.#variables.set(name, value);
  }

  argument(index: number): Word | undefined {
    if (index === 0) return [literal("$0", { via: "the script's own path" })];
    const word = this.#arguments[index - 1];
    return word && word.length > 0 ? word : undefined;
  }

  get argumentCount(): number {
    return this.#arguments.length;
  }

  spend(amount = 1): boolean {
    this.#work += amount;
    return this.#work < this.#most;
  }

  output(script: Script, range: Span): Word {
    const name = /^\s*([A-Za-z_]\w*)(?=\s|$)/.exec(script.text.slice(range.start, range.end))?.[1];
    const own = name === undefined ? undefined : this.#functions.get(name);
    if (!own || /[|;&<>]/.test(script.text.slice(range.start, range.end))) return simpleOutput(script, range, this);
    const outer = this.#printed;
    this.#printed = [];
    const words = splitWords(script, range).flatMap((one) => expandRange(script, one, this));
    this.#guarded(true, () => this.#call(own, words.slice(1)));
    const printed = this.#printed;
    this.#printed = outer;
    return printed.length > 0 ? joined(printed) : simpleOutput(script, range, this);
  }

  /** Inside `$(function)`, what is printed is the value. */
  #print(words: readonly Word[]): void {
    this.#printed?.push(joined(words.filter((word, index) => !(index === 0 && /^-[neE]+$|%/.test(textOf(word))))));
  }

  #block(script: Script, statements: readonly Statement[]): void {
    for (const one of statements) {
      if (this.#stop || !this.spend()) return;
      this.#statement(script, one);
    }
  }

  /** Runs a statement; the verdict is its exit status as far as it is known. */
  #statement(script: Script, one: Statement): Verdict {
    switch (one.kind) {
      case "assign":
        return this.#assignments(script, one.assignments, one.keyword, one.options);
      case "command":
        return this.#command(script, one);
      case "test":
        return this.#noted(evaluateTest(script, one, this));
      case "not":
        return negated(this.#statement(script, one.body));
      case "list":
        return this.#list(script, one);
      case "pipeline":
        for (const stage of one.stages) this.#statement(script, stage);
        return GUESS;
      case "group":
        return this.#group(script, one);
      case "function":
        this.#functions.set(one.name, { script, body: one.body });
        return sure(true);
      case "if":
        this.#if(script, one);
        return GUESS;
      case "case":
        this.#case(script, one);
        return GUESS;
      case "for":
        this.#for(script, one);
        return GUESS;
      case "count":
        this.#countLoop(script, one);
        return GUESS;
      case "while":
        this.#while(script, one);
        return GUESS;
    }
  }

  #noted(verdict: Verdict): Verdict {
    this.#trail.note(verdict.alternatives);
    return verdict;
  }

  #list(script: Script, one: Extract<Statement, { kind: "list" }>): Verdict {
    const left = this.#trail.within(this.#trail.branch ?? one, () => this.#statement(script, one.left));
    if (this.#stop) return left;
    // Without knowing, commands are taken to succeed: `a && b` runs b, `a || b` does not.
    const goes = one.operator === "&&" ? left.value !== false : left.value === false;
    if (!goes) return left.value === null ? GUESS : left;
    const doubtful = left.value === null || left.weak || left.outside === true;
    const right = this.#guarded(doubtful, () => this.#statement(script, one.right));
    return one.operator === "&&" ? bothVerdicts(left, right) : eitherVerdict(left, right);
  }

  #guarded<Value>(doubtful: boolean, run: () => Value): Value {
    if (doubtful) this.#doubtful++;
    try {
      return run();
    } finally {
      if (doubtful) this.#doubtful--;
    }
  }

  #group(script: Script, one: Extract<Statement, { kind: "group" }>): Verdict {
    if (!one.subshell) {
      this.#block(script, one.body);
      return GUESS;
    }
    this.spend(this.#variables.size / 4);
    const before = new Map(this.#variables);
    this.#block(script, one.body);
    this.#variables.clear();
    for (const [name, value] of before) this.#variables.set(name, value);
    if (this.#stop === "exit") this.#stop = null;
    return GUESS;
  }

  #test(script: Script, statements: readonly Statement[]): Verdict {
    let verdict: Verdict = GUESS;
    for (const one of statements) {
      if (this.#stop || !this.spend()) return GUESS;
      verdict = this.#statement(script, one);
    }
    return verdict;
  }

  #if(script: Script, one: Extract<Statement, { kind: "if" }>): void {
    let guess: readonly Statement[] | null = null;
    for (const [index, arm] of one.arms.entries()) {
      const verdict =
        arm.test === null ? sure(true) : this.#trail.within(one, () => this.#test(script, arm.test ?? []));
      const doubtful = verdict.weak || verdict.outside === true || guess !== null;
      if (
        verdict.weak &&
        verdict.value !== true &&
        this.#isBetter(
          script,
          arm.body,
          one.arms.slice(index + 1).map((other) => other.body),
        )
      ) {
        this.#guarded(true, () => this.#block(script, arm.body));
        return;
      }
      if (verdict.value !== true) {
        if (verdict.value === null) guess ??= arm.body;
        continue;
      }
      const rest = one.arms.slice(index + 1).map((other) => other.body);
      if (
        verdict.weak &&
        (leaves(script, arm.body) || rest.some((other) => this.#isBetter(script, other, [arm.body])))
      ) {
        guess ??= [];
        continue;
      }
      // The arms not reached name other ways to start the script.
      for (const other of one.arms.slice(index + 1))
        if (other.test?.every(isPureTest)) this.#trail.within(one, () => this.#test(script, other.test ?? []));
      this.#guarded(doubtful, () => this.#block(script, arm.body));
      return;
    }
  }

  /** When a condition is a guess: the arm that starts the training is meant, where only one does. */
  #isBetter(script: Script, body: readonly Statement[], others: readonly (readonly Statement[])[]): boolean {
    return this.#starts(script, body) && !leaves(script, body) && !others.some((other) => this.#starts(script, other));
  }

  #starts(script: Script, body: readonly Statement[]): boolean {
    if (body.length === 0) return false;
    return startsTraining(script.text.slice(body[0].start, body[body.length - 1].end), this.#options.trainers);
  }

  #case(script: Script, one: Extract<Statement, { kind: "case" }>): void {
    const subject = expandJoined(script, one.subject, this);
    const weak = unknownIn(subject) !== undefined;
    let fallback: readonly Statement[] | null = null;
    let chosen: readonly Statement[] | null = null;
    for (const arm of one.arms) {
      for (const pattern of arm.patterns) {
        const word = expandJoined(script, pattern, this);
        const text = textOf(word);
        if (!/[*?[]/.test(text)) this.#trail.note(alternativesOf(subject, word), one);
        if (text === "*") fallback ??= arm.body;
        if (!chosen && matchesPattern(text, textOf(subject))) chosen = arm.body;
      }
    }
    const body = chosen ?? fallback ?? [];
    if (weak && leaves(script, body)) return;
    this.#guarded(weak || externalsOf(subject).size > 0, () => this.#block(script, body));
  }

  #for(script: Script, one: Extract<Statement, { kind: "for" }>): void {
    const words =
      one.items === null
        ? [...this.#arguments]
        : this.#trail.readingFor(one.variable, () =>
            (one.items ?? []).flatMap((item) => braces(expandRange(script, item, this))),
          );
    if (words.length === 0) return;
    if (!this.spend(words.length / 4)) return;
    for (const item of one.items ?? []) this.#taken.byLoop(script, item, this.#variables);
    for (const word of words.slice(0, MOST_ROUNDS)) {
      this.#variables.set(one.variable, { kind: "scalar", word });
      this.#loops.push({ name: one.variable, value: shownOf(word) });
      this.#block(script, one.body);
      this.#loops.pop();
      if (this.#ends()) return;
    }
  }

  /** After a round: whether the loop is over. */
  #ends(): boolean {
    if (this.#stop === "continue") this.#stop = null;
    if (this.#stop === "break") {
      this.#stop = null;
      return true;
    }
    return this.#stop !== null || this.#work >= this.#most;
  }

  #countLoop(script: Script, one: Extract<Statement, { kind: "count" }>): void {
    const [start, test, step] = one.parts;
    for (const part of one.parts) this.#taken.byLoop(script, part, this.#variables);
    const evaluate = (range: Span | undefined): number | null => {
      if (!range) return null;
      const inner = expandJoined(script, range, this, true);
      if (unknownIn(inner) !== undefined) return null;
      return calculate(textOf(inner), "a loop counter", this.#variables);
    };
    evaluate(start);
    const name = start ? (/^\s*(\w+)\s*=/.exec(script.text.slice(start.start, start.end))?.[1] ?? "i") : "i";
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const verdict = evaluate(test);
      if (verdict === 0 || (verdict === null && round > 0)) return;
      const variable = this.#variables.get(name);
      this.#loops.push({ name, value: variable?.kind === "scalar" ? shownOf(variable.word) : String(round) });
      this.#block(script, one.body);
      this.#loops.pop();
      if (this.#ends()) return;
      evaluate(step);
    }
  }

  #while(script: Script, one: Extract<Statement, { kind: "while" }>): void {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const verdict = this.#test(script, one.test);
      const goes = one.until ? (verdict.value === null ? false : !verdict.value) : verdict.value;
      if (goes === false || (goes === null && round > 0)) return;
      this.#guarded(verdict.weak || verdict.value === null, () => this.#block(script, one.body));
      // `while true` and guesses are walked once: what they wait for never comes here.
      if (
        this.#ends() ||
        verdict.weak ||
        /^\s*(true|:|\[\[? *1)/.test(one.test[0] ? script.text.slice(one.test[0].start, one.test[0].end) : "")
      )
        return;
    }
  }

  #assignments(
    script: Script,
    assignments: readonly Assignment[],
    keyword: string | null,
    options: readonly Span[],
  ): Verdict {
    const words = options.map((range) => script.text.slice(range.start, range.end));
    const associative = words.some((word) => /^-\w*A/.test(word));
    for (const one of assignments) {
      this.#assign(script, one, associative);
      if (keyword === "export" || words.some((word) => /^-\w*x/.test(word))) this.#exported.add(one.name);
    }
    if (keyword === "export") for (const word of words) this.#exported.add(word);
    if (associative)
      for (const word of words)
        if (/^[A-Za-z_]\w*$/.test(word) && !this.#variables.has(word))
          this.#variables.set(word, { kind: "map", entries: new Map() });
    if (keyword === "unset") for (const word of words) this.#variables.delete(word);
    return sure(true);
  }

  #assign(script: Script, one: Assignment, associative: boolean): void {
    this.#trail.readingFor(one.name, () => {
      const value = assigned(script, one, this.#variables.get(one.name), associative, this);
      if (value) this.#variables.set(one.name, value);
    });
  }

  #command(script: Script, one: Extract<Statement, { kind: "command" }>): Verdict {
    if (script.text.startsWith("((", one.start)) return this.#noted(evaluateTest(script, one, this));
    if (!script.file && !script.locate) this.#site = { start: one.start, end: one.end };
    const words = this.#trail.readingFor(LAUNCH, () => one.words.flatMap((range) => expandRange(script, range, this)));
    if (!this.spend(words.length / 4)) return GUESS;
    if (words.length === 0)
      return one.assignments.length ? this.#assignments(script, one.assignments, null, []) : sure(true);
    const name = textOf(words[0]);
    switch (name) {
      case "echo":
      case "printf":
        this.#print(words.slice(1));
        return sure(true);
      case "true":
      case ":":
      case "false":
        return sure(name !== "false");
      case "test":
      case "[":
        return this.#noted(evaluateTestWords(script, one.words.slice(1, name === "[" ? -1 : undefined), this));
      // What a script would train is read even where its own checks would end it: they wait for things that are not here.
      case "exit":
        if (this.#doubtful === 0 && !isFailure(words[1])) this.#stop = name;
        return sure(true);
      case "return":
        this.#stop = name;
        return sure(true);
      case "break":
      case "continue":
        this.#stop = name;
        return sure(true);
      case "shift":
        this.#arguments = this.#arguments.slice(Number(textOf(words[1] ?? [])) || 1);
        return sure(true);
      case "unset":
        for (const word of words.slice(1)) this.#variables.delete(textOf(word));
        return sure(true);
      case "let":
        for (const word of words.slice(1)) calculate(textOf(word), "let", this.#variables);
        return sure(true);
      case "source":
      case ".":
        this.#source(words[1]);
        return sure(true);
      case "eval":
        this.#sub(joined(words.slice(1)));
        return GUESS;
      case "read":
      case "mapfile":
      case "readarray":
        readInto(this.#variables, script, words.slice(1), one, this);
        return GUESS;
    }
    const own = this.#functions.get(name);
    if (own) {
      this.#call(own, words.slice(1));
      return GUESS;
    }
    if (one.input && one.input.form !== "word" && /^(bash|sh|sbatch|srun|ssh|qsub)$/.test(name)) {
      const body: Word =
        one.input.form === "raw" ? rawWord(script, one.input) : expandJoined(script, one.input, this, true);
      this.#sub(body);
      return GUESS;
    }
    const inner = innerScript(words);
    if (inner) {
      this.#sub(inner);
      return GUESS;
    }
    if (/^(bash|sh)$/.test(name) && words[1] && /\.sh$/.test(shownOf(words[1]))) {
      this.#script(script, words[1], words.slice(2), one.assignments);
      return GUESS;
    }
    if (IGNORED.has(name) && !words.some((word, index) => index > 0 && /^(python|torchrun)/.test(textOf(word)))) {
      this.#taken.add(script, words, one);
      return GUESS;
    }
    this.#launch(script, one, words);
    return GUESS;
  }

  /** Runs text that was put together as a script of its own. */
  #sub(word: Word): void {
    if (++this.#calls > MOST_CALLS || !this.spend()) {
      this.#calls--;
      return;
    }
    const mapped = new MappedText(word);
    // A text that is parsed again costs by its length.
    if (!this.spend(mapped.text.length / 20)) {
      this.#calls--;
      return;
    }
    const script = this.#options.parse(mapped.text, { locate: (start, end) => mapped.locate(start, end) });
    this.#block(script, script.body);
    this.#calls--;
  }

  #source(path: Word | undefined): void {
    if (!path) return;
    const script = this.#options.sources.get(shownOf(path));
    if (!script) {
      if (this.#wanted.length < 32) this.#wanted.push(path);
      return;
    }
    if (++this.#calls <= MOST_CALLS) this.#block(script, script.body);
    this.#calls--;
    if (this.#stop === "return") this.#stop = null;
  }

  /** `bash other.sh a b`: as if it were sourced, with arguments of its own and variables that do not come back. */
  #script(caller: Script, path: Word, words: readonly Word[], given: readonly Assignment[]): void {
    this.spend(this.#variables.size / 4);
    const before = { variables: new Map(this.#variables), arguments: this.#arguments };
    // `STEPS=50 bash run.sh`: given to that script only.
    const own = given.map((one) => ({
      name: one.name,
      word: one.value ? expandJoined(caller, one.value, this) : [literal("")],
    }));
    this.#arguments = words;
    for (const name of [...this.#variables.keys()]) if (!this.#exported.has(name)) this.#variables.delete(name);
    for (const { name, word } of own) this.#variables.set(name, { kind: "scalar", word });
    this.#source(path);
    this.#variables.clear();
    for (const [name, value] of before.variables) this.#variables.set(name, value);
    this.#arguments = before.arguments;
    if (this.#stop === "exit") this.#stop = null;
  }

  #call(own: { readonly script: Script; readonly body: readonly Statement[] }, words: readonly Word[]): void {
    if (++this.#calls > MOST_CALLS) {
      this.#calls--;
      return;
    }
    const before = this.#arguments;
    this.#arguments = words;
    this.#block(own.script, own.body);
    this.#arguments = before;
    this.#calls--;
    if (this.#stop === "return") this.#stop = null;
  }

  #launch(script: Script, one: Extract<Statement, { kind: "command" }>, words: readonly Word[]): void {
    if (this.#launches.length >= MOST_LAUNCHES) return;
    const environment = new Map<string, Word>();
    for (const name of this.#exported) {
      const variable = this.#variables.get(name);
      if (variable?.kind === "scalar") environment.set(name, variable.word);
    }
    for (const assignment of one.assignments)
      if (assignment.value) environment.set(assignment.name, expandJoined(script, assignment.value, this));
    // A command of another script, or of text put together, is anchored where this one starts it.
    const own = script.locate
      ? (script.locate(one.start, Math.min(one.end, one.start + 1))?.span ?? this.#site)
      : { start: one.start, end: one.end };
    this.#launches.push({ words, span: script.file ? this.#site : own, environment, loops: [...this.#loops] });
  }
}
