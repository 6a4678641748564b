import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRuns } from "../../server/sources/read";
import { memoryHost } from "./memoryHost";

async function read(text: string, pieces = 4096) {
  const memory = memoryHost({ "a/metrics.csv": text });
  const bytes = new TextEncoder().encode(text);
  return readRuns(
    {
      ...memory,
      async *readChunks() {
        for (let i = 0; i < bytes.length; i += pieces) yield bytes.subarray(i, i + pieces);
      },
    },
    [memory.uri("a")],
  );
}

const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `a,${from + i},0.5\n`).join("");
const HEADER = "run,step,success_rate\n";

describe("quotes in CSV", () => {
  it.each([
    ['""a', "in the middle"],
    ['"a" b', "closed too early"],
    ['"a', "never closed"],
  ])("%s, %s: costs its own line, which a note names", async (cell) => {
    const {
      rows: [row],
      notes,
    } = await read(`${HEADER}${rows(1, 101)}${cell},101,0.5\n${rows(102, 200)}`);
    expect(row.curve?.map(({ step }) => step)).toEqual(expect.arrayContaining([100, 102, 199]));
    expect(row.curve).toHaveLength(198);
    expect(notes.filter(({ severity }) => severity === "error")).toEqual([
      expect.objectContaining({ code: "log.bad-line", line: 102 }),
    ]);
  });

  it("a cell of several lines is one cell, and cut short it is none", async () => {
    const text = `run,step,note,success_rate\na,1,"one, two\nthree, four",0.25\na,2,"five\nsix`;
    const {
      rows: [row],
      notes,
    } = await read(text);
    expect(row.curve).toEqual([{ step: 1, rate: 0.25 }]);
    expect(notes).toContainEqual(expect.objectContaining({ code: "log.bad-line", line: 4 }));
  });

  it("mean the same wherever the file is cut into pieces", async () => {
    const cell = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom("a", "b", "1", "2", "0.5") },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          "",
          '"x"',
          '"x""y"',
          '"x\ny"',
          '"x,y"',
          '""',
          '""a',
          '"a" b',
          '"a',
          'a"b',
          " ",
          "é",
          "a\r",
          ";",
        ),
      },
    );
    const line = fc
      .tuple(fc.array(cell, { minLength: 2, maxLength: 4 }), fc.constantFrom("\n", "\n", "\r\n"))
      .map(([cells, end]) => cells.join(",") + end);
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.integer({ min: 1, max: 20 }), async (lines, pieces) => {
        const text = HEADER + lines.join("");
        const { rows: found, notes } = await read(text, pieces);
        const whole = await read(text, 1e6);
        expect(found).toEqual(whole.rows);
        expect(notes).toEqual(whole.notes);
      }),
      { numRuns: 500 },
    );
  });
});
