/** The smallest test runner that also runs in a web worker: no Node, no globals. */
interface Case {
  readonly name: string;
  readonly body: () => Promise<void> | void;
}

const cases: Case[] = [];
/** Only tests whose name matches; set when the suite is bundled. */
declare const ONLY: string;

/** Registers a test. Tests run in the order in which they were registered. */
export function test(name: string, body: () => Promise<void> | void): void {
  cases.push({ name, body });
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

export function equal<T>(actual: T, expected: T, what: string): void {
  if (actual !== expected)
    throw new Error(`${what}: got ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
}

/** Polls until `probe` gives something; the host's surfaces settle in their own time. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  limit = 30_000,
): Promise<T> {
  const end = Date.now() + limit;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const value = await probe();
      if (value !== undefined) return value;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  throw new Error(`${what}: nothing in ${limit / 1000} s${last ? ` (last: ${String(last)})` : ""}`);
}

/** Runs everything, prints a line per test and a closing count, and rejects when any failed. */
export async function runAll(): Promise<void> {
  let failed = 0;
  const chosen = cases.filter((one) => new RegExp(ONLY).test(one.name));
  for (const { name, body } of chosen) {
    try {
      await body();
      console.log(`[suite] ok   ${name}`);
    } catch (error) {
      failed++;
      console.log(
        `[suite] FAIL ${name}\n     ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
  }
  console.log(`[suite] host suite: ${chosen.length - failed} passed, ${failed} failed`);
  if (failed > 0) throw new Error(`${failed} of ${chosen.length} host tests failed`);
}
