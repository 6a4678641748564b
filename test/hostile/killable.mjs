// Loaded before the server: at SIGUSR2 its workers end at once, in the middle of whatever they do, as if the system had killed them.
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
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
syncBuiltinESMExports();
if (threads.isMainThread)
  process.on("SIGUSR2", () => {
    appendFileSync(process.env.KILLED_FILE, `${alive.size}\n`);
    for (const worker of alive) void worker.terminate();
  });
