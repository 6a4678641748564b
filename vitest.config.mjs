import { defineConfig } from "vitest/config";
import { compiledChartsForVite } from "./scripts/charts.mjs";

export default defineConfig({
  plugins: [compiledChartsForVite],
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/host/**", "node_modules/**"],
    testTimeout: 60_000,
    pool: "forks",
    reporters: ["default"],
  },
});
