/** When a server that works on a statement is asked whether it is still there, and what it may take to say so (ms). */
interface Asking {
  readonly afterMs: number;
  readonly withinMs: number;
}
const LATER: Asking = { afterMs: 5000, withinMs: 10_000 };
/** For a server that has said nothing yet: it is given up after 5 s. */
export const AT_FIRST: Asking = { afterMs: 1000, withinMs: 4000 };

/**
 * What `work` gives, as long as its server answers on another connection: packets of the first may vanish without a word, and it would be
 * waited for until the statement's limit.
 * @param ping rejects where the server does not answer within so many milliseconds
 * @param first when it is asked the first time
 */
export async function whileThere<Value>(
  work: Promise<Value>,
  ping: (withinMs: number) => Promise<unknown>,
  first = LATER,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDone = false;
  const gone = new Promise<never>((_, reject) => {
    const ask = ({ afterMs, withinMs }: Asking) => {
      if (isDone) return;
      const gone = () => reject(new Error("the server does not answer"));
      timer = setTimeout(() => void ping(withinMs).then(() => ask(LATER), gone), afterMs);
    };
    ask(first);
  });
  // What ends after its server was given up is nobody's any more.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, gone]);
  } finally {
    isDone = true;
    clearTimeout(timer);
  }
}
