/** Milliseconds of work after which others have their turn. */
const TURN = 10;

/**
 * To be awaited between steps of long work: lets what has arrived meanwhile be answered, once a turn is used up.
 * @param check throws where the work is not wanted any more
 */
export function rests(check: () => void): () => Promise<void> | undefined {
  let began = performance.now();
  check();
  return () => {
    if (performance.now() - began < TURN) return undefined;
    return new Promise((resolve, reject) => {
      setTimeout(() => {
        began = performance.now();
        try {
          check();
          resolve();
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      }, 0);
    });
  };
}
