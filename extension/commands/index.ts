import * as vscode from "vscode";
import { calibrate } from "./calibrate";
import { register, type Command, type Tools } from "./command";
import { compare } from "./compare";
import { createScalingFile } from "./createScalingFile";
import { explain } from "./explain";
import { fitLogs } from "./fitLogs";
import { measureDataset } from "./measureDataset";
import { openSample } from "./openSample";
import { optimiseCommand } from "./optimise";
import { optimiseAtCompute } from "./optimiseAtCompute";
import { optimiseSameSuccess } from "./optimiseSameSuccess";
import { planNextRuns } from "./planNextRuns";
import { selectLaw } from "./selectLaw";
import { setLevel } from "./setLevel";
import { setValue } from "./setValue";
import { showLog } from "./showLog";
import { storeSecret } from "./storeSecret";
import { writeNextRuns } from "./writeNextRuns";

/** Every palette command: a file of its own, and a line here; then `npm run generate`. */
export const COMMANDS: readonly Command[] = [
  optimiseCommand,
  optimiseSameSuccess,
  optimiseAtCompute,
  setValue,
  setLevel,
  explain,
  compare,
  fitLogs,
  calibrate,
  planNextRuns,
  writeNextRuns,
  measureDataset,
  selectLaw,
  createScalingFile,
  storeSecret,
  openSample,
  showLog,
];

export function registerCommands(tools: Tools): vscode.Disposable {
  return vscode.Disposable.from(...COMMANDS.map((command) => register(tools, command)));
}
