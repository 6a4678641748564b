import tseslint from "typescript-eslint";

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
      "max-lines": ["warn", { max: 400, skipBlankLines: true, skipComments: true }],
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
);
