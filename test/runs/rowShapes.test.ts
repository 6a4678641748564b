import { expect, it } from "vitest";
import { Columns } from "../../server/runs/columns";
import { RowShapes } from "../../server/sources/files/readers/parts/rowShapes";

it("of a log of ever new names the first 20,000 are asked what they mean, and no more", () => {
  let asked = 0;
  const shapes = new RowShapes({
    wants: () => {
      asked++;
      return "evaluation";
    },
    columns: new Columns(),
  });
  let metrics = 0;
  for (let row = 0; row < 2000; row++) {
    const values = Object.fromEntries(Array.from({ length: 50 }, (_, key) => [`eval/${row}_${key}/success_rate`, 0.5]));
    metrics += shapes.of(values).metrics.length;
  }
  expect(asked).toBe(20_000);
  expect(metrics).toBe(20_000);
  // What was known before stays known.
  expect(shapes.of({ "eval/0_0/success_rate": 0.5, "eval/new/success_rate": 0.5 }).metrics).toEqual([
    "eval/0_0/success_rate",
  ]);
});
