/** The published curves that the forecast is judged by: in which class each is, and which source it shares with others. */
import { readFileSync } from "node:fs";
import type { Curve } from "../../../server/core/forecast/curve";

export type CurveClass = "evaluations" | "training curves" | "classical";

export interface Published {
  readonly id: string;
  readonly curve: Curve;
  readonly class: CurveClass;
  /** Repository, or the game of a classical benchmark: left out together. */
  readonly group: string;
}

interface Line {
  readonly id: string;
  readonly repo: string;
  readonly group: "language-model" | "classical";
  readonly domain: string;
  readonly kind: "eval" | "train";
  readonly samples_per_point?: number | null;
  readonly points: readonly (readonly [number, number])[];
}

export function readCurves(file: string): Published[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((text) => {
      const line = JSON.parse(text) as Line;
      const language = line.group === "language-model";
      return {
        id: line.id,
        curve: {
          points: line.points.map(([step, rate]) => ({ step, rate })),
          kind: line.kind === "eval" ? "evaluation" : "training",
          ...(line.samples_per_point && { samples: line.samples_per_point }),
        },
        class: language ? (line.kind === "eval" ? "evaluations" : "training curves") : "classical",
        group: language ? line.repo : line.domain,
      };
    });
}
