import type { Span } from "../text";
import type { ConfigVariant } from "../tree";
import type { Grammar } from "../treeSitter";
import { Interpreter } from "./interpret/run";
import { innerScript } from "./interpret/words";
import { MappedText, type Word } from "./interpret/value";
import { variantsOfLaunch } from "./launch";
import { readable } from "./placeholders";
import { parseScript } from "./parse";
import { shareEdits } from "../shared";
import { Work } from "../work";

/** A command within another text (a string of Python, a job's YAML): as the shell would read it, or word by word. */
export interface EmbeddedCommand {
  readonly text?: Word;
  readonly words?: readonly Word[];
  /** Where the lens of what it starts goes. */
  readonly span: Span;
  /** Environment that it is started with. */
  readonly given?: ReadonlyMap<string, Word>;
}

const MOST_COMMANDS = 32;

/** What the commands start, as variants. Values keep their places in the outer text. Never throws. */
export function embeddedVariants(
  commands: readonly EmbeddedCommand[],
  grammar: Grammar,
  trainers: readonly string[],
): readonly ConfigVariant[] {
  const own = new Set(trainers);
  // One allowance for all: many small commands cost what a large one does.
  const work = new Work();
  return commands.slice(0, MOST_COMMANDS).flatMap((command) => {
    try {
      return launched(command, grammar, own, work).map((variant) => shareEdits({ ...variant, name: null }));
    } catch {
      return [];
    }
  });
}

function launched(
  command: EmbeddedCommand,
  grammar: Grammar,
  trainers: ReadonlySet<string>,
  work: Work,
): readonly Omit<ConfigVariant, "name">[] {
  const { span, words } = command;
  const given = command.given ?? new Map<string, Word>();
  const text = command.text ?? (words && innerScript(words));
  if (text === undefined) {
    const launch = { words: words ?? [], span, environment: given, loops: [] };
    return launch.words.length === 0 ? [] : variantsOfLaunch(launch, [], trainers);
  }
  const parse = (source: string, place: Parameters<typeof parseScript>[2] = {}) =>
    parseScript(readable(source), grammar, place);
  const mapped = new MappedText(text);
  const script = parse(mapped.text, { locate: (start, end) => mapped.locate(start, end) });
  const { launches } = new Interpreter({ sources: new Map(), parse, trainers, given, work }).run(script);
  return launches
    .flatMap((launch) => variantsOfLaunch({ ...launch, span }, [], trainers))
    .map((variant) => ({ ...variant, anchor: span }));
}
