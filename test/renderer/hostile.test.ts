// @vitest-environment jsdom
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIGURE_MIME, type FigurePayload } from "../../server/report/figures";
import { readPayload } from "../../renderer/payload";
import { picture } from "../../renderer/picture";
import { allFigures } from "../core/figures/all";
import { page } from "./page";

const figures = allFigures();
const MARKUP = `</text><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"><svg onload="window.hacked = 3">`;

const noScript = (root: ShadowRoot): void => {
  expect(root.querySelectorAll("script, img, iframe, object, embed, foreignObject, a[href]")).toHaveLength(0);
  for (const node of root.querySelectorAll("*"))
    for (const { name } of node.attributes) expect(name.startsWith("on"), `${node.tagName} ${name}`).toBe(false);
  expect((window as { hacked?: number }).hacked).toBeUndefined();
};

describe("payloads that are not as they should be", () => {
  it("truncated: a sentence, and nothing else breaks", async () => {
    const text = JSON.stringify(figures.split);
    const root = await page().show("a", text.slice(0, text.length / 2));
    expect(root.querySelector("[role=alert]")?.textContent).toContain("cut off or damaged");
    noScript(root);
  });

  it("of a newer format: the sentence, the table and what to do", async () => {
    const root = await page().show("a", { ...figures.split, version: 2 });
    expect(root.querySelector("[role=alert]")?.textContent).toContain("Update the extension");
    expect(root.querySelector(".sentence")?.textContent).toBe(figures.split.text);
    expect(root.querySelectorAll("tbody tr")).toHaveLength(4);
  });

  it("of a newer or unknown template: the sentence and the table", async () => {
    for (const changed of [
      { templateVersion: 9 },
      { template: "pie-of-pies" },
      { template: "__proto__" },
      { template: "constructor" },
    ]) {
      const root = await page().show("a", { ...figures.split, ...changed });
      expect(root.querySelector("svg.marks")).toBeNull();
      expect(root.querySelector(".sentence")?.textContent).toBe(figures.split.text);
      expect(root.querySelectorAll("tbody tr")).toHaveLength(4);
    }
  });

  it("full of markup: drawn or told as text, never run", async () => {
    const poison = (value: unknown): unknown => {
      if (typeof value === "string") return MARKUP;
      if (Array.isArray(value)) return value.map(poison);
      return value;
    };
    for (const payload of Object.values(figures)) {
      const rows = payload.data.rows
        .split("\n")
        .map((line, i) =>
          i === 0
            ? line
            : line.replace(/[A-Za-z][\w ·→/-]*/g, (word) =>
                [
                  "curve",
                  "point",
                  "one",
                  "pooled",
                  "next",
                  "axis",
                  "path",
                  "place",
                  "gain",
                  "level",
                  "share",
                  "critical",
                  "within",
                  "beyond",
                ].includes(word)
                  ? word
                  : `"${MARKUP.replaceAll('"', '""')}"`,
              ),
        );
      const hostile = {
        ...payload,
        title: MARKUP,
        text: MARKUP,
        notes: [MARKUP],
        link: MARKUP,
        data: { ...payload.data, rows: rows.join("\n"), [MARKUP]: `${MARKUP}\n${MARKUP}` },
        values: Object.fromEntries(Object.entries(payload.values).map(([key, value]) => [key, poison(value)])),
        actions: [{ kind: "apply-optimum", label: MARKUP, uri: "javascript:alert(1)", experiment: MARKUP }],
      };
      const root = await page().show("a", hostile);
      noScript(root);
      expect(root.textContent).toContain("<script>");
    }
  });

  it("with values of the wrong kind: no exception reaches the page", async () => {
    for (const payload of Object.values(figures)) {
      for (const values of [
        {},
        { domain: null, ticks: "x", labels: 3, panels: {} },
        { domain: [NaN], span: [], settings: null },
      ]) {
        const root = await page().show("a", { ...payload, values });
        expect(root.querySelector(".sentence")?.textContent).toBe(payload.text);
        noScript(root);
      }
      const empty = await page().show("b", { ...payload, data: {} });
      expect(empty.querySelector(".sentence")?.textContent).toBe(payload.text);
    }
  });

  it("of any other shape: readPayload says so and never throws", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.anything().map((value) => JSON.stringify(value) ?? "undefined"),
        ),
        (text) => {
          const reading = readPayload(text);
          expect(reading.payload === null).toBe(reading.problem !== null);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("the MIME type sorts before Vega-Lite's, and the payload is an object", () => {
    expect(FIGURE_MIME < "application/vnd.vegalite.v5+json").toBe(true);
    for (const payload of Object.values(figures)) expect(Array.isArray(payload)).toBe(false);
  });
});

describe("exported pictures", () => {
  it("are well-formed with any words in them", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: "binary" }), (title, note) => {
        const payload: FigurePayload = { ...figures.split, title, text: note, notes: [note] };
        const { svg } = picture('<svg width="10" height="10"></svg>', payload);
        expect(new DOMParser().parseFromString(svg, "image/svg+xml").querySelector("parsererror")).toBeNull();
      }),
      { numRuns: 200 },
    );
  });
});
