import type { Span } from "../../text";
import type { Script, Statement } from "../script";
import { GUESS, type Verdict } from "./conditions";
import type { Launch, RunOptions } from "./launched";
import { TakenWords } from "./taken";
import { Trail } from "./trail";
import type { Scope } from "./scope";
import { literal, textOf, type Variable, type Word } from "./value";

const MOST_WORK = 60_000;

/** A function of a script, with the script that it stands in. */
export interface ShellFunction {
  readonly script: Script;
  readonly body: readonly Statement[];
}

/** Where a script that is followed stands: its variables, what it has started so far, and the work that is left for it. */
export class ShellState implements Scope {
  /** What a command prints, which only the interpreter can tell. */
  readonly output: Scope["output"];
  readonly variables = new Map<string, Variable>();
  readonly exported = new Set<string>();
  readonly functions = new Map<string, ShellFunction>();
  readonly launches: Launch[] = [];
  readonly taken = new TakenWords();
  readonly trail = new Trail();
  readonly wanted: Word[] = [];
  readonly loops: { name: string; value: string }[] = [];
  arguments: readonly Word[] = [];
  work = 0;
  readonly most: number;
  calls = 0;
  doubtful = 0;
  site: Span = { start: 0, end: 0 };
  /** What a function that runs inside `$( … )` has printed so far. */
  printed: Word[] | null = null;
  /** Branches so far that rest on something that is not known, or that may come from outside. */
  undecided = 0;
  /** The status of the last `return`. */
  returned: Verdict = GUESS;
  stop: "break" | "continue" | "return" | "exit" | null = null;

  constructor(options: RunOptions, output: Scope["output"]) {
    this.output = output;
    this.most = Math.min(MOST_WORK, options.work.left);
    // What comes from outside is in the environment, so scripts that this one calls have it too.
    for (const [name, word] of options.given)
      if (!/^\d+$/.test(name)) {
        this.variables.set(name, { kind: "scalar", word });
        this.exported.add(name);
      }
    const positions = [...options.given.keys()].filter((name) => /^[1-9]$/.test(name)).map(Number);
    const count = positions.length ? Math.max(...positions) : 0;
    this.arguments = Array.from({ length: count }, (_, index) => options.given.get(String(index + 1)) ?? []);
  }

  get(name: string): Variable | undefined {
    this.trail.read(name);
    return this.variables.get(name);
  }

  set(name: string, value: Variable): void {
    this.variables.set(name, value);
  }

  argument(index: number): Word | undefined {
    if (index === 0) return [literal("$0", { via: "the script's own path" })];
    const word = this.arguments[index - 1];
    return word && word.length > 0 ? word : undefined;
  }

  /** `set -- a b`, `set a b`: arguments of its own. Options alone change none. */
  setArguments(words: readonly Word[]): void {
    const dashes = words.findIndex((word) => textOf(word) === "--");
    if (dashes > 0) this.arguments = words.slice(dashes + 1);
    else if (words.length > 1 && !/^[-+]/.test(textOf(words[1]))) this.arguments = words.slice(1);
  }

  get argumentCount(): number {
    return this.arguments.length;
  }

  /** A branch was taken or left on a condition. */
  decided({ value, weak, outside, printed }: Verdict): void {
    if (value === null || weak || outside === true || printed === true) this.undecided++;
  }

  spend(amount = 1): boolean {
    this.work += amount;
    return this.work < this.most;
  }

  /** What runs inside is not sure to run. */
  guarded<Value>(doubtful: boolean, run: () => Value): Value {
    if (doubtful) this.doubtful++;
    try {
      return run();
    } finally {
      if (doubtful) this.doubtful--;
    }
  }

  /** After a round: whether the loop is over. */
  roundsEnd(): boolean {
    if (this.stop === "continue") this.stop = null;
    if (this.stop === "break") {
      this.stop = null;
      return true;
    }
    return this.stop !== null || this.work >= this.most;
  }
}
