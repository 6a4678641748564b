import { parseArgs } from "node:util";
import { nearest } from "../syntax/nearest";
import { InputError } from "./io";

/** An option of a command: `flag` takes no value, the others take one (or several, with `many`). */
interface OptionSpec {
  readonly kind: "flag" | "text" | "number" | "count";
  /** What the value is, for the help: `N`, `FILE`. */
  readonly value?: string;
  readonly help: string;
  readonly many?: boolean;
}

export type Options = Readonly<Record<string, OptionSpec>>;

/** The options as given, checked. */
export class Arguments {
  constructor(
    readonly positional: readonly string[],
    private readonly values: Readonly<Record<string, unknown>>,
    private readonly specs: Options,
  ) {}

  /** The only one that may be named: `config`. */
  only(what: string): string {
    if (this.positional.length !== 1) throw new InputError(`name one ${what}`);
    return this.positional[0];
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === "string" ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.values[name];
    return Array.isArray(value) ? (value as string[]) : [];
  }

  /** A finite number, or undefined when not given. */
  number(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value)) throw new InputError(`--${name} wants a number, not "${text}"`);
    if (this.specs[name]?.kind === "count" && (!Number.isInteger(value) || value < 0))
      throw new InputError(`--${name} wants a whole number of at least 0, not "${text}"`);
    return value;
  }

  /** One of the words given, or undefined. */
  choice<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!(words as readonly string[]).includes(text))
      throw new InputError(`--${name} wants one of ${words.join(", ")}, not "${text}"`);
    return text as Word;
  }
}

/** Reads the arguments of one command; anything unknown or malformed is an InputError that names it. */
export function parseArguments(argv: readonly string[], specs: Options): Arguments {
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [
      name,
      { type: spec.kind === "flag" ? ("boolean" as const) : ("string" as const), multiple: spec.many ?? false },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: joinNegative(argv, specs),
      options,
      allowPositionals: true,
      strict: true,
    });
    for (const [name, given] of Object.entries(values))
      // An unset variable would otherwise be the present folder, or nothing at all.
      if ([given].flat().some((one) => one === "") && name !== "experiment")
        throw new InputError(`--${name} wants ${specs[name].value ?? "a value"}`);
    return new Arguments(positionals, values, specs);
  } catch (error) {
    if (error instanceof InputError) throw error;
    const said = error instanceof Error ? error.message.split(". To specify")[0] : String(error);
    const unknown = /^Unknown option '--([^'=]+)/.exec(said)?.[1];
    const close = unknown === undefined ? undefined : nearest(unknown, [...Object.keys(specs), "help"]);
    throw new InputError(close === undefined ? said : `${said}: did you mean --${close}?`);
  }
}

/** `--max-regret -1` reads as a value, not as an unknown option. */
function joinNegative(argv: readonly string[], specs: Options): string[] {
  const joined: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const spec = argv[i].startsWith("--") ? specs[argv[i].slice(2)] : undefined;
    const next = argv[i + 1];
    if (spec && spec.kind !== "flag" && next !== undefined && /^-[\d.]/.test(next)) {
      joined.push(`${argv[i]}=${next}`);
      i++;
    } else joined.push(argv[i]);
  }
  return joined;
}
