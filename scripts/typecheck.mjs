// Type-checks every room by itself, so that core sees neither Node nor the DOM.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const rooms = ["server/core", "server", "extension", "renderer", "test"].filter((room) =>
  existsSync(`${room}/tsconfig.json`),
);
let failed = 0;
for (const room of rooms) {
  const { status } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", room], { stdio: "inherit" });
  if (status !== 0) failed++;
  console.log(`${status === 0 ? "ok    " : "FAILED"} ${room}`);
}
process.exit(failed ? 1 : 0);
