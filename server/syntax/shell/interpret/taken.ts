import type { Span } from "../../text";
import type { Script } from "../script";
import type { Taken } from "./launched";
import { sourcesOf, type Variable, type Word } from "./value";

const MOST_TAKEN = 200;
/** Names of variables, as a list of words has them and as arithmetic has them. */
const NAMES = /\$\{?([A-Za-z_]\w*)|\b([A-Za-z_]\w*)/g;

/** What commands and loops take that train nothing: a literal that they take is not changed for a training alone. */
export class TakenWords {
  readonly all: Taken[] = [];

  add(script: Script, words: readonly Word[], { start, end }: Span): void {
    // What stands in another script, or in a text put together, is not edited here.
    if (script.file || script.locate || this.all.length >= MOST_TAKEN) return;
    const own = words.filter((word) => sourcesOf(word).length > 0);
    if (own.length > 0) this.all.push({ words: own, span: { start, end } });
  }

  /** The variables that a loop goes by: `$(seq 1 $N)`, `i<N`. */
  byLoop(script: Script, range: Span, variables: ReadonlyMap<string, Variable>): void {
    const words = [...script.text.slice(range.start, range.end).matchAll(NAMES)].flatMap(([, named, bare]) => {
      const variable = variables.get(named ?? bare);
      return variable?.kind === "scalar" ? [variable.word] : [];
    });
    this.add(script, words, range);
  }
}
