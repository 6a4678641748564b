import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { compiledChartsForVite } from "./scripts/charts.mjs";

export default defineConfig({
  plugins: [compiledChartsForVite],
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/host/**", "node_modules/**"],
    testTimeout: 60_000,
    pool: "forks",
    // The default leaves a core to a watcher that does not run here.
    maxWorkers: availableParallelism(),
    reporters: ["default"],
  },
});
