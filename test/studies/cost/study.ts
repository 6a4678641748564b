import { spawnSync } from "node:child_process";

/** Published costs against the model: `scripts/cost-record.mjs` does it, for it is run on other records too. */
process.exit(
  spawnSync(process.execPath, ["scripts/cost-record.mjs", ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 1,
);
