// Loaded before a program and its workers: notes each file that they open or list, each connection and each process they start.
import { appendFileSync as append } from "node:fs";
import fs from "node:fs";
import promises from "node:fs/promises";
import processes from "node:child_process";
import net from "node:net";
import { syncBuiltinESMExports } from "node:module";
import { fileURLToPath } from "node:url";

const file = process.env.TRACE_FILE;
const note = (what, where) => append(file, `${what}\t${JSON.stringify(String(where))}\n`);
const pathOf = (path) =>
  path instanceof URL ? fileURLToPath(path) : typeof path === "string" || Buffer.isBuffer(path) ? path : null;

const wrap = (owner, name, what) => {
  const own = owner[name];
  if (typeof own !== "function") return;
  owner[name] = function (first, ...rest) {
    const path = pathOf(first);
    if (path !== null && String(path) !== file) note(what, path);
    return own.call(this, first, ...rest);
  };
};
for (const name of ["open", "readFile", "writeFile", "appendFile", "copyFile"]) wrap(promises, name, "open");
for (const name of ["readdir", "opendir"]) wrap(promises, name, "list");
for (const name of ["open", "readFile", "writeFile", "createReadStream", "createWriteStream", "copyFile"]) {
  wrap(fs, name, "open");
  wrap(fs, `${name}Sync`, "open");
}
for (const name of ["readdir", "opendir"]) {
  wrap(fs, name, "list");
  wrap(fs, `${name}Sync`, "list");
}
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...given) {
  note("connect", JSON.stringify(given[0]));
  return connect.apply(this, given);
};
for (const name of ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"])
  wrap(processes, name, "start");
syncBuiltinESMExports();
note("loaded", process.pid);
