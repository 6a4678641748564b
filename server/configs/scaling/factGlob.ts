import { fitsGlob } from "../../syntax/pattern/glob";
import { levelsIn, MARK, tokensOf, withoutBraces } from "../../syntax/pattern/levels";

type Match = (path: string) => Readonly<Record<string, string>> | undefined;

/** Names in braces that take a level from a path: `t{tasks}-e{environments}`. Braces with a comma or dots are the glob's own. */
const LEVEL = /(?<!\\)\{([a-z_]+)\}/g;
const WORDS = new Set(["model", "algorithm", "domain", "reward_scheme", "design", "seed", "setting"]);

const made = new Map<string, Match>();
const MOST = 1000;

/**
 * A glob of `facts` as a test that gives the levels in the path. A glob without a slash matches the name in any folder, as in a
 * `.gitignore`.
 */
export function factGlob(glob: string): Match {
  const known = made.get(glob);
  if (known) return known;
  const test = compiled(glob);
  if (made.size >= MOST) made.clear();
  made.set(glob, test);
  return test;
}

function compiled(glob: string): Match {
  const names: string[] = [];
  const pattern = glob
    .replace(/^\.\//, "")
    .replace(/\/$/, "/**")
    .replace(LEVEL, (_whole, name: string) => `${MARK}${String.fromCharCode(names.push(name) - 1)}`);
  if (names.length === 0) return (path) => (fitsGlob(path, pattern, { dot: true }) ? {} : undefined);
  const words = names.map((name) => WORDS.has(name));
  const wholes = withoutBraces(pattern).map((one) => ({ tokens: tokensOf(one, words), isName: !one.includes("/") }));
  return (path) => {
    for (const { tokens, isName } of wholes) {
      const found = levelsIn(tokens, isName ? path.slice(path.lastIndexOf("/") + 1) : path);
      if (found) return Object.fromEntries(names.map((name, i) => [name, found[i] ?? ""]));
    }
    return undefined;
  };
}

const FACTORS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 };

/** `20k` → 20,000; undefined for what is no amount. */
export function amountOf(text: string): number | undefined {
  const [, digits, unit] = /^([\d.]+(?:e\d+)?)([kmb]?)$/i.exec(text) ?? [];
  const value = digits === undefined ? NaN : Number(digits) * (FACTORS[unit.toLowerCase()] ?? 1);
  return Number.isFinite(value) ? value : undefined;
}

/** The same glob with `*` for each level, to look for files that it could name. */
export function withoutLevels(glob: string): string {
  return glob.replace(LEVEL, "*");
}
