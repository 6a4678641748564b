import { main } from "../cli/index";

/** Runs the command line of this process. */
export function start(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // `scaling-lens … | head` closes the pipe early: that is not an error.
    if (error.code === "EPIPE") process.exit(0);
    stop(error);
  });
  // Where standard output is a file on a full disk, the write itself throws.
  process.on("uncaughtException", stop);

  void main(process.argv.slice(2), {
    cwd: process.cwd(),
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    interactive: process.stderr.isTTY === true,
    progress: (text) => void process.stderr.write(text),
  }).then((code) => {
    process.exitCode = code;
  });
}

function stop(error: Error): void {
  process.stderr.write(
    `scaling-lens: ${"syscall" in error ? `the result cannot be written: ${error.message}` : (error.stack ?? error.message)}\n`,
  );
  process.exit(2);
}
