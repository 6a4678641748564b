const KEY = /['"]([\w./@ -]{1,120})['"]\s*:/g;
const MOST_KEYS = 20_000;

/** Tells, without parsing it, whether a printed text can hold a wanted key: model output has dicts without end. */
export class WantedKeys {
  readonly #known = new Map<string, boolean>();
  readonly #wants: (key: string) => boolean;

  constructor(wants: (key: string) => boolean) {
    this.#wants = wants;
  }

  anyIn(text: string): boolean {
    KEY.lastIndex = 0;
    for (let found = KEY.exec(text); found; found = KEY.exec(text)) if (this.#wanted(found[1])) return true;
    return false;
  }

  #wanted(key: string): boolean {
    let wanted = this.#known.get(key);
    if (wanted === undefined) {
      // The keys of nested dicts are joined; what the inner one is called then says enough.
      wanted = this.#wants(key) || NESTED.test(key);
      if (this.#known.size < MOST_KEYS) this.#known.set(key, wanted);
    }
    return wanted;
  }
}

/** Keys that are a success metric within a dict of their own: `{"rewards": {"accuracy": {"mean": 0.5}}}`. */
const NESTED =
  /^(?:mean|mean@\d+|reward|avg@\d+|score|acc|accuracy|success|success_rate|correct)$|(?:success|accuracy|score|reward|pass[@_])/i;
