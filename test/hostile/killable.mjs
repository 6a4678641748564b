// Loaded before the server: at SIGUSR2 its workers end at once, in the middle of whatever they do, as if the system had killed them.
// Where DUCKDB_PIDS names a file, DuckDB is used whatever the machine, and the process of each of its children is noted there.
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import processes from "node:child_process";
import os from "node:os";
import threads from "node:worker_threads";

const alive = new Set();
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(...given) {
    super(...given);
    alive.add(this);
    this.once("exit", () => alive.delete(this));
  }
};
const { DUCKDB_PIDS, KILLED_FILE } = process.env;
if (DUCKDB_PIDS) {
  const { spawn } = processes;
  os.availableParallelism = () => 8;
  processes.spawn = (command, args, options) => {
    const child = spawn(command, args, options);
    if (args.some((word) => word.endsWith("duckdb.js"))) appendFileSync(DUCKDB_PIDS, `${child.pid}\n`);
    return child;
  };
}
syncBuiltinESMExports();
if (threads.isMainThread)
  process.on("SIGUSR2", () => {
    appendFileSync(KILLED_FILE, `${alive.size}\n`);
    for (const worker of alive) void worker.terminate();
  });
