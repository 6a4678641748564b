/** What fit.bench.mjs measures, bundled by it. */
export { fitTable } from "../../server/core/fit";
export { solver } from "../../server/core/solve/levenberg";
export { huber, binomial } from "../../server/core/solve/likelihood";
export { observe, rangesOf } from "../../server/core/solve/manyStarts";
export { lawFamily } from "../../server/core/laws/list";
export { random } from "../../server/core/numerics/random";
