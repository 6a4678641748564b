import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { ENVIRONMENTS, TASKS } from "./servers";

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

/** The rollouts that the servers make by their own rule, as a file: `rows` lines, up to 10⁷ (beyond, a double has too few digits). */
export function writeLines(path: string, rows: number): void {
  const prompts = Array.from({ length: TASKS }, (_, task) => `${md5(String(task))} ${md5(String(task + 100000))}`);
  const file = openSync(path, "w");
  let lines: string[] = [];
  for (let n = 0; n < rows; n++) {
    const task = (n * 7919) % TASKS;
    const score = (n * n * 31 + n) % 7 < task % 8 ? 1 : 0.25;
    lines.push(
      `{"prompt":"${prompts[task]}","environment":"env${task % ENVIRONMENTS}","score":${score},"step":${Math.floor(n / 100000)},"num_turns":${1 + (n % 9)}}\n`,
    );
    if (lines.length === 20_000 || n === rows - 1) {
      writeSync(file, lines.join(""));
      lines = [];
    }
  }
  closeSync(file);
}
