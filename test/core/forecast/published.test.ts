/** Published curves, where they are at hand: the shipped table is theirs, and language models' ends lie within intervals. */
import { describe, expect, it } from "vitest";
import { residualsOf, tableOf } from "../../../server/core/forecast/calibration";
import { endValue } from "../../../server/core/forecast/curve";
import { forecast } from "../../../server/core/forecast/forecast";
import { SHIPPED_RESIDUALS } from "../../../server/core/forecast/residuals";
import { shared } from "../../shared";
import { readCurves } from "../../studies/forecast/curves";

const file = shared("data/curves.jsonl");

describe.skipIf(file === null)(
  "published curves (data/curves.jsonl of the shared folder; skipped where it is absent)",
  () => {
    const curves = file ? readCurves(file) : [];

    it("make the shipped table", () => {
      const table = tableOf(curves.flatMap(({ curve, group }) => residualsOf(curve, group)));
      for (const [i, quantiles] of table.quantiles.entries())
        for (const [k, value] of quantiles.entries()) expect(SHIPPED_RESIDUALS.quantiles[i][k]).toBeCloseTo(value, 2);
    });

    it("of language models end within intervals made of the classical ones alone", () => {
      const classical = curves.filter((each) => each.class === "classical");
      const table = tableOf(
        classical.flatMap(({ curve, group }) => residualsOf(curve, group, [0.3])),
        [0.3],
      );
      const judged = curves
        .filter((each) => each.class !== "classical")
        .flatMap(({ curve }) => {
          const planned = curve.points[curve.points.length - 1].step;
          const points = curve.points.filter(({ step }) => step <= 0.3 * planned);
          const found = forecast({ curve: { ...curve, points }, planned, table });
          const truth = endValue(curve.points);
          return found.ok ? [found.value.final.low <= truth && truth <= found.value.final.high] : [];
        });
      expect(judged.length).toBeGreaterThan(60);
      expect(judged.filter((covered) => covered).length / judged.length).toBeGreaterThan(0.85);
    });
  },
);
