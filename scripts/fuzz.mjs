// The whole fuzz run: 50,000 mutated documents through the server, 5,000 mutated logs (Parquet among them) through the readers
// and a fit, 2,000 mutated fits. Seeded; limits are processor time and memory. SCALING_LENS_FUZZ_LOG=FILE notes how it goes on.
import { run, setup } from "./setup.mjs";

setup();
run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "test/fuzz"], {
  env: {
    SCALING_LENS_FUZZ_DOCUMENTS: "50000",
    SCALING_LENS_FUZZ_LOGS: "5000",
    SCALING_LENS_FUZZ_FITS: "2000",
    SCALING_LENS_FUZZ_HANG: "2000",
    ...process.env,
  },
});
