import { consoleLog } from "./console";
import { metricsFile } from "./metricsFile";
import { mlflow } from "./mlflow";
import type { LogReader } from "./reader";
import { tensorboard } from "./tensorboard";
import { trainerState } from "./trainerState";
import { verlFile } from "./verlFile";
import { wandb, wandbSummary } from "./wandb";
import { wandbCsv } from "./wandbCsv";

/** Every log format, the best witness first: where a run has several logs, the first that holds a success metric is used. */
export const READERS: readonly LogReader[] = [
  verlFile,
  wandbCsv,
  metricsFile,
  wandb,
  trainerState,
  mlflow,
  tensorboard,
  consoleLog,
  wandbSummary,
];
