/** One measurement in a process of its own: what `measure` answers, how long it took, and the most memory that it had. */
import { Socket } from "node:net";
import { createNodeHost } from "../../../server/node/host";
import { storeQuery } from "../../../server/node/stores";
import { measureRollouts } from "../../../server/sources/read";

export interface Measured {
  /** All figures, as one text; lists of names in the order of names. */
  readonly answer: string;
  /** Since the process started, and the processor's of it. */
  readonly seconds: number;
  readonly processor: number;
  /** The most that was resident (MB). */
  readonly resident: number;
  /** What came over the network. */
  readonly bytes: number;
}

export async function measureOne(uri: string): Promise<Measured> {
  let bytes = 0;
  const connect = Socket.prototype.connect as (...to: unknown[]) => Socket;
  Socket.prototype.connect = function (this: Socket, ...to: unknown[]) {
    this.once("close", () => (bytes += this.bytesRead));
    return connect.apply(this, to);
  } as never;
  const { files, notes, reasons, neverSolved, alwaysSolved, ...figures } = await measureRollouts(
    createNodeHost(),
    [uri],
    { stores: storeQuery },
  );
  const seconds = performance.now() / 1000;
  const { user, system } = process.cpuUsage();
  const failed = notes.find(({ severity }) => severity === "error");
  if (failed) throw new Error(`${files.join()}: ${failed.message}`);
  const named = [neverSolved, alwaysSolved].map(({ tasks, environments }) => [
    [...tasks].sort(),
    [...environments].sort(),
  ]);
  return {
    answer: JSON.stringify([figures, Object.keys(reasons).sort(), named]),
    seconds,
    processor: (user + system) / 1e6,
    resident: process.resourceUsage().maxRSS / 1024,
    bytes,
  };
}
