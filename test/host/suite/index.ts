import { runAll } from "./harness";
import "./mainJob";
import "./mixedRuns";
import "./notebook";
import "./notebookConfig";
import "./commands";
import "./faults";

/** Called by VS Code's test runner inside the extension host. */
export function run(): Promise<void> {
  return runAll();
}
