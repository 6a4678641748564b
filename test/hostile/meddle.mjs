// Loaded before `--write`: when the new bytes are being brought to the disk, `save` has another program save the file, and `kill` ends this one.
import { writeFileSync } from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const { MEDDLE, MEDDLE_FILE } = process.env;
const { open } = promises;
promises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  if (!String(path).endsWith(".tmp")) return handle;
  const { sync } = handle;
  handle.sync = async () => {
    if (MEDDLE === "kill") process.kill(process.pid, "SIGKILL");
    await sync.call(handle);
    writeFileSync(MEDDLE_FILE, "saved: by another\n");
  };
  return handle;
};
syncBuiltinESMExports();
