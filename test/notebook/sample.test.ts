import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FIGURE_MIME, type FigurePayload } from "../../server/report/figures";
import { notebookText, type NotebookFile } from "../../server/cells";
import { CHARTS } from "../../renderer/charts/index";
import { readPayload } from "../../renderer/payload";
import { nbformatFaults } from "./nbformat";

const PATH = "samples/appworld/fits.ipynb";
interface Display {
  readonly output_type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe.skipIf(!existsSync(PATH))("the sample notebook", () => {
  const text = readFileSync(PATH, "utf8");
  const notebook = JSON.parse(text) as NotebookFile;
  const outputs = notebook.cells.flatMap((cell) => (cell.outputs ?? []) as Display[]);
  const figures = outputs.filter(({ data }) => data?.[FIGURE_MIME] !== undefined);

  it("is a valid notebook of format 4.5, written as VS Code would write it", () => {
    expect(nbformatFaults(notebook)).toEqual([]);
    expect(notebookText(notebook)).toBe(text);
    expect((notebook.metadata.language_info as { name: string }).name).toBe("scaling-query");
  });

  it("the validator finds faults", () => {
    const broken = structuredClone(notebook) as unknown as { nbformat: number; cells: Record<string, unknown>[] };
    broken.nbformat = 3;
    broken.cells[0].id = "not an id";
    broken.cells[2].outputs = [{ output_type: "display_data", metadata: {}, data: { "image/png": { not: "text" } } }];
    expect(nbformatFaults(broken)).toHaveLength(3);
  });

  it("ran without an error and holds all eight charts", () => {
    expect(outputs.every(({ output_type }) => output_type === "display_data")).toBe(true);
    expect(new Set(figures.map(({ data }) => (data[FIGURE_MIME] as FigurePayload).template))).toEqual(
      // Finished runs have no forecast: `curves` is not in the sample.
      new Set(CHARTS.map(({ shape }) => shape.template).filter((template) => template !== "curves")),
    );
  });

  it("every figure is said to be simulated, in its payload, its sentence and therefore its drawing", () => {
    for (const { data } of figures) {
      expect((data[FIGURE_MIME] as FigurePayload).simulated).toBe(true);
      expect((data["text/plain"] as string[]).join("")).toContain("(simulated data)");
    }
  });

  it("every figure has a PNG and a sentence beside it, nothing that would displace it, and at most 250 KiB", () => {
    for (const output of figures) {
      expect(Object.keys(output.data)).toEqual([FIGURE_MIME, "image/png", "text/plain"]);
      expect([...Buffer.from(output.data["image/png"] as string, "base64").subarray(0, 4)]).toEqual([
        0x89, 0x50, 0x4e, 0x47,
      ]);
      expect(JSON.stringify(output, null, 1).length).toBeLessThanOrEqual(250 * 1024);
    }
  });

  it("every payload is read by this build", () => {
    for (const { data } of figures) expect(readPayload(JSON.stringify(data[FIGURE_MIME])).problem).toBeNull();
  });

  it("tables stand in outputs of their own", () => {
    const tables = outputs.filter(({ data }) => data["text/markdown"] !== undefined);
    expect(tables.length).toBeGreaterThan(2);
    for (const { data } of tables) expect(Object.keys(data)).toEqual(["text/markdown", "text/plain"]);
  });
});
