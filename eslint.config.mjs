import tseslint from "typescript-eslint";

/** Longer than one idea since before the rule: each may shrink, none may grow, and no name may be added. */
const LONG = {
  "renderer/output.ts": 339,
  "server/configs/native/budget.ts": 442,
  "server/configs/scaling/scalingFile.ts": 407,
  "server/configs/schema/schema.ts": 329,
  "server/core/allocation/solve/integers.ts": 302,
  "server/core/allocation/solve/solve.ts": 416,
  "server/core/allocation/solve/solver/geometric.ts": 341,
  "server/core/cost/model.ts": 352,
  "server/core/cost/tariffs.ts": 408,
  "server/frameworks/cost/others.ts": 328,
  "server/frameworks/reading/edits.ts": 443,
  "server/frameworks/verl.ts": 475,
  "server/sources/read.ts": 428,
};

export default tseslint.config(
  {
    ignores: [
      "dist/**",
      "test/results/**",
      "node_modules/**",
      "test/fixtures/**",
      "test/host/.cache/**",
      "samples/**",
      "**/*.d.ts",
    ],
  },
  ...tseslint.configs.recommended,
  {
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-console": "error",
    },
  },
  {
    files: ["action/**", "scripts/**", "test/**", "esbuild.mjs", "server/entries/cli.ts", "server/cli/**"],
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        URL: "readonly",
        Buffer: "readonly",
        setTimeout: "readonly",
        clearTimeout: "readonly",
        fetch: "readonly",
        performance: "readonly",
      },
    },
    rules: { "no-console": "off" },
  },
  {
    // Core is pure: no clock, no ambient randomness, no logging. Randomness comes from a seed argument.
    files: ["server/core/**"],
    rules: {
      "no-restricted-globals": [
        "error",
        "Date",
        "performance",
        "process",
        "setTimeout",
        "setInterval",
        "fetch",
        "console",
      ],
      "no-restricted-properties": [
        "error",
        { object: "Math", property: "random", message: "Core takes its randomness from a seed argument." },
      ],
    },
  },
  {
    files: ["server/**/*.ts", "extension/**/*.ts", "renderer/**/*.ts"],
    rules: { "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }] },
  },
  ...Object.entries(LONG).map(([file, max]) => ({
    files: [file],
    rules: { "max-lines": ["error", { max, skipBlankLines: true, skipComments: true }] },
  })),
);
