// The whole fuzz run: 10,000 mutated documents through the server, 1,000 mutated logs through the readers and a fit. Seeded.
import { run, setup } from "./setup.mjs";

setup();
run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "test/fuzz"], {
  env: {
    SCALING_LENS_FUZZ_DOCUMENTS: "10000",
    SCALING_LENS_FUZZ_LOGS: "1000",
    SCALING_LENS_FUZZ_HANG: "2000",
    ...process.env,
  },
});
