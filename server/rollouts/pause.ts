/** Lets other work happen, tells how far a long computation is (0 to 1), and throws the signal's reason when stopped. */
export type Pause = (share: number) => Promise<void>;

/** Gives way at most every 50 ms, since giving way itself costs up to 4 ms in a browser. */
export function makePause(onShare: (share: number) => void, signal?: AbortSignal): Pause {
  let last = performance.now();
  return async (share) => {
    signal?.throwIfAborted();
    const now = performance.now();
    if (now - last < 50) return;
    onShare(share);
    await new Promise((resolve) => setTimeout(resolve, 0));
    last = performance.now();
  };
}
