import { fitTable, openFit, predict } from "../../../server/core/fit";
import { simulate } from "../../core/fit/simulate";
import { designOf, STUDY_TARGETS, STUDY_TRUTHS, TWICE } from "./truths";

/** What the predictions of one truth's fits did. */
export interface Tally {
  readonly name: string;
  readonly contained: boolean;
  readonly tables: number;
  /** Share of 95 % intervals that hold the true success. */
  readonly coverage: number;
  /** The same at twice every level of the runs alone. */
  readonly twice: number;
  /** Mean width of the intervals, in points. */
  readonly width: number;
  /** Mean size of the estimates' errors, in points. */
  readonly error: number;
  /** Share of tables whose fit says `law.misfit`. */
  readonly misfit: number;
  readonly shown: Readonly<Record<string, number>>;
}

export function measure(name: string, runs: number, seeds: number): Tally {
  const { error, contained } = STUDY_TRUTHS[name];
  const shown: Record<string, number> = {};
  let tables = 0,
    inside = 0,
    beyond = 0,
    all = 0,
    width = 0,
    off = 0,
    misfit = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const fit = fitTable({ rows: simulate(seed, error, designOf(runs, seed)), notes: [] }, { seed, bootstrap: 400 });
    const law = fit.ok ? openFit(fit.value) : fit;
    if (!fit.ok || !law.ok) continue;
    tables++;
    shown[fit.value.law] = (shown[fit.value.law] ?? 0) + 1;
    if (fit.value.warnings.some(({ code }) => code === "law.misfit")) misfit++;
    for (const at of STUDY_TARGETS) {
      const { estimate, low, high } = predict(law.value, at).value,
        truth = 1 - error(at);
      all++;
      const holds = low <= truth && truth <= high;
      if (holds) inside++;
      if (holds && at === TWICE) beyond++;
      width += 100 * (high - low);
      off += 100 * Math.abs(estimate - truth);
    }
  }
  return {
    name,
    contained,
    tables,
    coverage: inside / all,
    twice: beyond / tables,
    width: width / all,
    error: off / all,
    misfit: misfit / tables,
    shown,
  };
}
