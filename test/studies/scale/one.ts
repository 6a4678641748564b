/** One measurement in a process of its own: what `measure` answers, how long it took, and the most memory that it had. */
import { createNodeHost } from "../../../server/node/host";
import { storeQuery } from "../../../server/node/stores";
import { measureRollouts } from "../../../server/sources/read";

export interface Measured {
  /** All figures, as one text; lists of names in the order of names. */
  readonly answer: string;
  readonly seconds: number;
  /** The most that was resident, and what a Node that does nothing has (MB). */
  readonly resident: number;
}

export async function measureOne(uri: string): Promise<Measured> {
  const start = performance.now();
  const { files, notes, reasons, neverSolved, alwaysSolved, ...figures } = await measureRollouts(
    createNodeHost(),
    [uri],
    { stores: storeQuery },
  );
  const seconds = (performance.now() - start) / 1000;
  const failed = notes.find(({ severity }) => severity === "error");
  if (failed) throw new Error(`${files.join()}: ${failed.message}`);
  const named = [neverSolved, alwaysSolved].map(({ tasks, environments }) => [
    [...tasks].sort(),
    [...environments].sort(),
  ]);
  return {
    answer: JSON.stringify([figures, Object.keys(reasons).sort(), named]),
    seconds,
    resident: process.resourceUsage().maxRSS / 1024,
  };
}
