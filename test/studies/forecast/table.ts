/** The residual table of all published curves: what scripts/forecast-residuals.mjs ships. */
import { residualsOf, type ResidualTable, tableOf } from "../../../server/core/forecast/calibration";
import { shared } from "../../shared";
import { readCurves } from "./curves";

export function publishedTable(file = shared("data/curves.jsonl")): {
  table: ResidualTable;
  count: number;
  groups: number;
} {
  if (!file) throw new Error("data/curves.jsonl is not there; name the file");
  const curves = readCurves(file);
  return {
    table: tableOf(curves.flatMap(({ curve, group }) => residualsOf(curve, group))),
    count: curves.length,
    groups: new Set(curves.map(({ group }) => group)).size,
  };
}
