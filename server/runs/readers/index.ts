import { metricsFile } from "./metricsFile";
import type { LogReader } from "./reader";

/** Every log format, the best witness first: where a run has several logs, the first that holds a success metric is used. */
export const READERS: readonly LogReader[] = [metricsFile];
