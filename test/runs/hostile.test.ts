import { describe, expect, it } from "vitest";
import { parseJson } from "../../server/runs/json";
import { consoleRow } from "../../server/runs/readers/consoleText";
import { RowShapes } from "../../server/runs/rowShapes";
import { Columns } from "../../server/runs/columns";
import { interest } from "../../server/runs/successMetric";

/** Far above what any of these takes where time grows with length, far below where it grows with its square. */
const SOON = 3000;

function soon<T>(what: () => T): T {
  const start = performance.now();
  const result = what();
  expect(performance.now() - start).toBeLessThan(SOON);
  return result;
}

describe("long lines take time by their length", () => {
  it("a text in JSON that is cut off, full of quotes, with NaN", () => {
    expect(soon(() => parseJson(`{"a":"${'\\"'.repeat(300_000)} NaN`))).toBeUndefined();
  });

  it("a logged step with a long text, or a long gap, for a value", () => {
    expect(soon(() => consoleRow(`step:1 - a:1${" y".repeat(150_000)}) - b:2`, true))?.values.b).toBe(2);
    expect(soon(() => consoleRow(`step:1 - a:1${" ".repeat(300_000)}y - b:2`, true))?.values).toEqual({ a: 1, b: 2 });
  });

  it("rows whose keys come and go", () => {
    const keys = Array.from({ length: 60 }, (_, i) => `val/metric_${i}/mean`);
    const shapes = new RowShapes({ wants: interest(undefined), columns: new Columns() });
    soon(() => {
      for (let i = 0; i < 20_000; i++) shapes.of(Object.fromEntries(keys.filter((_, at) => (i * 2654435761) & (1 << at % 30)).map((key) => [key, 1])));
    });
  });
});

describe("JSON as others write it", () => {
  it("has numbers that are none, and a comma too many", () => {
    expect(parseJson('{"a":nan,"b":[1,-inf,],"c":"nan,}",}')).toEqual({ a: NaN, b: [1, -Infinity], c: "nan,}" });
    expect(parseJson('{"a":Infinity,"b":-Infinity,"c":NaN}')).toEqual({ a: Infinity, b: -Infinity, c: NaN });
    for (const text of ['{"a":1,,}', '{"a":infx}', '{"a":NaN', "{nan:1}", '{"a":1}}']) expect(parseJson(text)).toBeUndefined();
  });
});
