import type { Span } from "../../text";
import { calculate } from "./assign";
import {
  bothVerdicts,
  eitherVerdict,
  evaluateTest,
  evaluateTestWords,
  GUESS,
  negated,
  sure,
  type Verdict,
} from "./conditions";
import { runCase, runCount, runFor, runIf, runWhile, type Flow } from "./control";
import { declare } from "./declare";
import { expandJoined, expandRange } from "./expand";
import type { RunOptions, RunResult } from "./launched";
import type { Assignment, Script, Statement } from "../script";
import { simpleOutput, splitWords } from "./output";
import { readInto } from "./read";
import { ShellState, type ShellFunction } from "./state";
import { LAUNCH } from "./trail";
import { leaveListOpen } from "./undecided";
import { IGNORED, innerScript, isFailure, joined, rawWord } from "./words";
import { literal, MappedText, shownOf, textOf, type Word } from "./value";

const MOST_LAUNCHES = 200;
const MOST_CALLS = 12;

/** `return 1`: the status that a number is. */
const statusOf = (text: string): Verdict => (/^\d+$/.test(text) ? sure(Number(text) === 0) : GUESS);

/** Runs a script without running anything: variables, branches, loops and functions, within a bound of work. */
export class Interpreter implements Flow {
  readonly state: ShellState;
  readonly trainers: ReadonlySet<string>;
  readonly #options: RunOptions;

  constructor(options: RunOptions) {
    this.#options = options;
    this.trainers = options.trainers;
    this.state = new ShellState(options, (script, range) => this.#output(script, range));
  }

  run(script: Script): RunResult {
    this.block(script, script.body);
    return {
      launches: this.state.launches,
      taken: this.state.taken.all,
      alternatives: this.state.trail.alternatives(script),
      wanted: this.state.wanted,
      work: this.state.work,
      exhausted: this.state.work >= this.state.most,
    };
  }

  #output(script: Script, range: Span): Word {
    const name = /^\s*([A-Za-z_]\w*)(?=\s|$)/.exec(script.text.slice(range.start, range.end))?.[1];
    const own = name === undefined ? undefined : this.state.functions.get(name);
    if (!own || /[|;&<>]/.test(script.text.slice(range.start, range.end)))
      return simpleOutput(script, range, this.state);
    const outer = this.state.printed;
    this.state.printed = [];
    const words = splitWords(script, range).flatMap((one) => expandRange(script, one, this.state));
    this.state.guarded(true, () => this.#call(own, words.slice(1)));
    const printed = this.state.printed;
    this.state.printed = outer;
    return printed.length > 0 ? joined(printed) : simpleOutput(script, range, this.state);
  }

  /** Inside `$(function)`, what is printed is the value. */
  #print(words: readonly Word[]): void {
    this.state.printed?.push(joined(words.filter((word, index) => !(index === 0 && /^-[neE]+$|%/.test(textOf(word))))));
  }

  block(script: Script, statements: readonly Statement[]): Verdict {
    let verdict: Verdict = sure(true);
    for (const one of statements) {
      if (this.state.stop || !this.state.spend()) return GUESS;
      verdict = this.#statement(script, one);
    }
    return verdict;
  }

  /** Runs a statement; the verdict is its exit status as far as it is known. */
  #statement(script: Script, one: Statement): Verdict {
    switch (one.kind) {
      case "assign":
        return declare(this.state, script, one.assignments, one.keyword, one.options);
      case "command":
        return this.#command(script, one);
      case "test":
        return this.#noted(evaluateTest(script, one, this.state));
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
        this.state.functions.set(one.name, { script, body: one.body });
        return sure(true);
      case "if":
        runIf(this, script, one);
        return GUESS;
      case "case":
        runCase(this, script, one);
        return GUESS;
      case "for":
        runFor(this, script, one);
        return GUESS;
      case "count":
        runCount(this, script, one);
        return GUESS;
      case "while":
        runWhile(this, script, one);
        return GUESS;
    }
  }

  #noted(verdict: Verdict): Verdict {
    this.state.trail.note(verdict.alternatives);
    return verdict;
  }

  #list(script: Script, one: Extract<Statement, { kind: "list" }>): Verdict {
    const left = this.state.trail.within(this.state.trail.branch ?? one, () => this.#statement(script, one.left));
    if (this.state.stop) return left;
    return leaveListOpen(this.state, script, one, left, () => this.#right(script, one, left));
  }

  #right(script: Script, one: Extract<Statement, { kind: "list" }>, left: Verdict): Verdict {
    // Without knowing, commands are taken to succeed: `a && b` runs b, `a || b` does not.
    const goes = one.operator === "&&" ? left.value !== false : left.value === false;
    if (!goes) return left.value === null ? GUESS : left;
    const doubtful = left.value === null || left.weak || left.outside === true;
    this.state.decided(left);
    const right = this.state.guarded(doubtful, () => this.#statement(script, one.right));
    return one.operator === "&&" ? bothVerdicts(left, right) : eitherVerdict(left, right);
  }

  #group(script: Script, one: Extract<Statement, { kind: "group" }>): Verdict {
    if (!one.subshell) return this.block(script, one.body);
    this.state.spend(this.state.variables.size / 4);
    const before = new Map(this.state.variables);
    const verdict = this.block(script, one.body);
    this.state.variables.clear();
    for (const [name, value] of before) this.state.variables.set(name, value);
    if (this.state.stop !== "exit") return verdict;
    this.state.stop = null;
    return GUESS;
  }

  test(script: Script, statements: readonly Statement[]): Verdict {
    const verdict = statements.length > 0 ? this.block(script, statements) : GUESS;
    this.state.decided(verdict);
    return verdict;
  }

  #command(script: Script, one: Extract<Statement, { kind: "command" }>): Verdict {
    if (script.text.startsWith("((", one.start)) return this.#noted(evaluateTest(script, one, this.state));
    if (!script.file && !script.locate) this.state.site = { start: one.start, end: one.end };
    const words = this.state.trail.readingFor(LAUNCH, () =>
      one.words.flatMap((range) => expandRange(script, range, this.state)),
    );
    if (!this.state.spend(words.length / 4)) return GUESS;
    if (words.length === 0)
      return one.assignments.length ? declare(this.state, script, one.assignments, null, []) : sure(true);
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
        return this.#noted(evaluateTestWords(script, one.words.slice(1, name === "[" ? -1 : undefined), this.state));
      // What a script would train is read even where its own checks would end it: they wait for things that are not here.
      case "exit":
        if (this.state.doubtful === 0 && !isFailure(words[1])) this.state.stop = name;
        return sure(true);
      case "return":
        this.state.stop = name;
        this.state.returned = words[1] ? statusOf(textOf(words[1])) : GUESS;
        return this.state.returned;
      case "break":
      case "continue":
        this.state.stop = name;
        return sure(true);
      case "set":
        this.state.setArguments(words);
        return sure(true);
      case "shift":
        this.state.arguments = this.state.arguments.slice(Number(textOf(words[1] ?? [])) || 1);
        return sure(true);
      case "unset":
        for (const word of words.slice(1)) this.state.variables.delete(textOf(word));
        return sure(true);
      case "let":
        for (const word of words.slice(1)) calculate(textOf(word), "let", this.state.variables);
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
        readInto(this.state.variables, script, words.slice(1), one, this.state);
        return GUESS;
    }
    const own = this.state.functions.get(name);
    if (own) return this.#call(own, words.slice(1));
    if (one.input && one.input.form !== "word" && /^(bash|sh|sbatch|srun|ssh|qsub)$/.test(name)) {
      const body: Word =
        one.input.form === "raw" ? rawWord(script, one.input) : expandJoined(script, one.input, this.state, true);
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
      this.state.taken.add(script, words, one);
      return GUESS;
    }
    this.#launch(script, one, words);
    return GUESS;
  }

  /** Runs text that was put together as a script of its own. */
  #sub(word: Word): void {
    if (++this.state.calls > MOST_CALLS || !this.state.spend()) {
      this.state.calls--;
      return;
    }
    const mapped = new MappedText(word);
    // A text that is parsed again costs by its length.
    if (!this.state.spend(mapped.text.length / 20)) {
      this.state.calls--;
      return;
    }
    const script = this.#options.parse(mapped.text, { locate: (start, end) => mapped.locate(start, end) });
    this.block(script, script.body);
    this.state.calls--;
  }

  #source(path: Word | undefined): void {
    if (!path) return;
    const script = this.#options.sources.get(shownOf(path));
    if (!script) {
      if (this.state.wanted.length < 32) this.state.wanted.push(path);
      return;
    }
    if (++this.state.calls <= MOST_CALLS) this.block(script, script.body);
    this.state.calls--;
    if (this.state.stop === "return") this.state.stop = null;
  }

  /** `bash other.sh a b`: as if it were sourced, with arguments of its own and variables that do not come back. */
  #script(caller: Script, path: Word, words: readonly Word[], given: readonly Assignment[]): void {
    this.state.spend(this.state.variables.size / 4);
    const before = { variables: new Map(this.state.variables), arguments: this.state.arguments };
    // `STEPS=50 bash run.sh`: given to that script only.
    const own = given.map((one) => ({
      name: one.name,
      word: one.value ? expandJoined(caller, one.value, this.state) : [literal("")],
    }));
    this.state.arguments = words;
    for (const name of [...this.state.variables.keys()])
      if (!this.state.exported.has(name)) this.state.variables.delete(name);
    for (const { name, word } of own) this.state.variables.set(name, { kind: "scalar", word });
    this.#source(path);
    this.state.variables.clear();
    for (const [name, value] of before.variables) this.state.variables.set(name, value);
    this.state.arguments = before.arguments;
    if (this.state.stop === "exit") this.state.stop = null;
  }

  /** Runs a function; its exit status is that of its last command, or what it returns. */
  #call(own: ShellFunction, words: readonly Word[]): Verdict {
    if (++this.state.calls > MOST_CALLS) {
      this.state.calls--;
      return GUESS;
    }
    const before = this.state.arguments;
    const undecided = this.state.undecided;
    this.state.arguments = words;
    const last = this.block(own.script, own.body);
    this.state.arguments = before;
    this.state.calls--;
    const verdict = this.state.stop === "return" ? this.state.returned : last;
    if (this.state.stop === "return") this.state.stop = null;
    // Which of its commands was the last is not sure where it branched on something unknown.
    return this.state.undecided > undecided ? GUESS : verdict;
  }

  #launch(script: Script, one: Extract<Statement, { kind: "command" }>, words: readonly Word[]): void {
    if (this.state.launches.length >= MOST_LAUNCHES) return;
    const environment = new Map<string, Word>();
    for (const name of this.state.exported) {
      const variable = this.state.variables.get(name);
      if (variable?.kind === "scalar") environment.set(name, variable.word);
    }
    for (const assignment of one.assignments)
      if (assignment.value) environment.set(assignment.name, expandJoined(script, assignment.value, this.state));
    // A command of another script, or of text put together, is anchored where this one starts it.
    const own = script.locate
      ? (script.locate(one.start, Math.min(one.end, one.start + 1))?.span ?? this.state.site)
      : { start: one.start, end: one.end };
    this.state.launches.push({
      words,
      span: script.file ? this.state.site : own,
      environment,
      loops: [...this.state.loops],
    });
  }
}
