/** How often a server that works on a statement is asked whether it is still there, and what it may take to say so (ms). */
const EVERY_MS = 5000;
const ANSWER_MS = 10_000;

/**
 * What `work` gives, as long as its server answers on another connection: packets of the first may vanish without a word, and it would be
 * waited for until the statement's limit.
 * @param ping rejects where the server does not answer within so many milliseconds
 */
export async function whileThere<Value>(
  work: Promise<Value>,
  ping: (withinMs: number) => Promise<unknown>,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDone = false;
  const gone = new Promise<never>((_, reject) => {
    const later = () => {
      if (isDone) return;
      timer = setTimeout(() => {
        ping(ANSWER_MS).then(later, () => reject(new Error("the server does not answer any more")));
      }, EVERY_MS);
    };
    later();
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
