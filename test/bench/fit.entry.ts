/** What fit.bench.mjs measures, bundled by it. */
export { fitTable } from "../../server/core/fit";
export { solver } from "../../server/core/fit/levenberg";
export { huber, binomial } from "../../server/core/fit/losses";
export { observe, rangesOf } from "../../server/core/fit/body";
export { lawFamily } from "../../server/core/laws/list";
export { random } from "../../server/core/random";
