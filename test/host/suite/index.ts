import { runAll } from "./harness";
import "./mainJob";
import "./mixedRuns";
import "./notebook";
import "./notebookConfig";
import "./commands";

/** Called by VS Code's test runner inside the extension host. */
export function run(): Promise<void> {
  return runAll();
}
