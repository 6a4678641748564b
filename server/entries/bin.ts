import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

type Part = (
  exports: Record<string, () => void>,
  require: NodeJS.Require,
  module: object,
  __filename: string,
  __dirname: string,
) => void;

const ENGINE = join(__dirname, "engine.js");
const KEPT = join(__dirname, "engine.cache");

const sumOf = (code: Buffer) => createHash("sha256").update(code).digest("hex");

/**
 * The engine as V8 compiled it the last time: that is a third of a short command. It is kept beside the code, where none can
 * write that could not change the code itself; where nothing can be written, it is compiled each time. The first line says what
 * it was made of (an inode's change time cannot be set back), the sum of what follows, and for which commands that is, since V8
 * compiles what is called. V8 itself refuses what another version of it has made, but runs what a disk has damaged until it crashes.
 */
function compiled(command: string): Part {
  const source = readFileSync(ENGINE, "latin1");
  const { size, ctimeMs } = statSync(ENGINE);
  const stamp = `${process.env.SCALING_LENS_VERSION ?? ""} ${size} ${ctimeMs}`;
  let commands: readonly string[] = [];
  let kept: Buffer | undefined;
  try {
    const bytes = readFileSync(KEPT);
    const end = bytes.indexOf("\n");
    const [made, sum, ...names] = bytes.toString("latin1", 0, end).split("|");
    const code = bytes.subarray(end + 1);
    if (made === stamp && sum === sumOf(code)) [kept, commands] = [code, names];
  } catch {
    // The first time.
  }
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: ENGINE,
    cachedData: kept,
  });
  if (script.cachedDataRejected === true) commands = [];
  if (!commands.includes(command))
    process.once("exit", (ended) => {
      // A word that is no command ends with 2: only what did its work is worth a file.
      if (ended > 1) return;
      const whole = `${KEPT}.${process.pid}`;
      try {
        const code = script.createCachedData();
        const line = Buffer.from(`${[stamp, sumOf(code), ...commands, command].join("|")}\n`, "latin1");
        writeFileSync(whole, Buffer.concat([line, code]));
        renameSync(whole, KEPT);
      } catch {
        // A folder that is not ours, a full disk: the next start compiles again.
        rmSync(whole, { force: true });
      }
    });
  return script.runInThisContext() as Part;
}

const engine = { exports: {} as Record<string, () => void> };
compiled(/^[a-z]{2,12}$/.exec(process.argv[2])?.[0] ?? "")(engine.exports, require, engine, ENGINE, __dirname);
engine.exports.cli();
