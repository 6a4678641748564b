/**
 * Coverage of predictions over twelve truths, six of which no law of ours contains: `npm run studies -- laws SEEDS RUNS TRUTHS`, by default
 * 20 64,12 and all. Run noise of 2 points, 600 tasks. Results are recorded in docs/maths.md.
 */
import { measure } from "./measure";
import { STUDY_TRUTHS } from "./truths";

const [seeds = "20", sizes = "64,12", names = Object.keys(STUDY_TRUTHS).join()] = process.argv.slice(2);
for (const runs of sizes.split(",").map(Number))
  for (const name of names.split(",")) {
    const { contained, tables, coverage, twice, width, error, misfit, shown } = measure(name, runs, Number(seeds));
    console.log(
      `${String(runs).padStart(3)} runs ${name.padEnd(15)} ${contained ? "contained" : "foreign  "} ${tables} tables: ` +
        `coverage ${(100 * coverage).toFixed(0)} % (at 2× ${(100 * twice).toFixed(0)} %), width ${width.toFixed(1)}, error ${error.toFixed(1)} points, misfit ${(100 * misfit).toFixed(0)} %`,
      JSON.stringify(shown),
    );
  }
