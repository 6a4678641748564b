// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { liveCount } from "../../renderer/residency";
import { allFigures } from "../core/figures/all";
import { button, page } from "./page";

const figures = allFigures();
const opened: ReturnType<typeof page>[] = [];
const fresh = (options?: Parameters<typeof page>[0]): ReturnType<typeof page> => {
  const made = page(options);
  opened.push(made);
  return made;
};

afterEach(() => {
  for (const each of opened.splice(0)) each.renderer.disposeOutputItem?.(undefined);
  document.body.replaceChildren();
});

describe("the renderer's contract", () => {
  it("is drawn when its promise resolves", async () => {
    const root = await fresh().show("a", figures.frontier);
    expect(root.querySelectorAll("svg.marks")).toHaveLength(1);
  });

  it("leaves one drawing after an update in place, in the same shadow root", async () => {
    const { show, element } = fresh();
    const into = element();
    const first = await show("a", figures.frontier, into);
    const second = await show("a", figures.growth, into);
    expect(second).toBe(first);
    expect(second.querySelectorAll("svg.marks")).toHaveLength(1);
    expect(second.querySelector("h3")?.textContent).toContain("What grows");
  });

  it("keeps one drawing when two updates overtake each other", async () => {
    const { show, element } = fresh();
    const into = element();
    await Promise.all([show("a", figures.axisFits, into), show("a", figures.split, into)]);
    expect(into.shadowRoot?.querySelectorAll("svg.marks")).toHaveLength(1);
    expect(into.shadowRoot?.querySelector("h3")?.textContent).toContain("Split");
  });

  it("clears one output by its id, and all of them by undefined", async () => {
    const { show, renderer, element } = fresh();
    const [a, b] = [element(), element()];
    await show("a", figures.split, a);
    await show("b", figures.frontier, b);
    renderer.disposeOutputItem?.("a");
    expect(a.shadowRoot?.childElementCount).toBe(0);
    expect(b.shadowRoot?.querySelectorAll("svg.marks")).toHaveLength(1);
    renderer.disposeOutputItem?.(undefined);
    expect(b.shadowRoot?.childElementCount).toBe(0);
    expect(liveCount()).toBe(0);
  });

  it("holds six live views at most; older figures stay drawn as plain nodes", async () => {
    const { show } = fresh();
    const roots = [];
    for (let i = 0; i < 9; i++) roots.push(await show(`f${i}`, figures.split));
    expect(liveCount()).toBe(6);
    for (const root of roots) expect(root.querySelectorAll("svg.marks")).toHaveLength(1);
    const marks = roots[0].querySelector("svg.marks path") as unknown as { __data__?: unknown };
    expect(marks.__data__).toBeUndefined();
  });

  it("works without messaging, with what needs the extension switched off", async () => {
    const root = await fresh({ messaging: false }).show("a", figures.split);
    expect(button(root, "Optimise allocation").disabled).toBe(true);
    expect(root.querySelectorAll("svg.marks")).toHaveLength(1);
  });

  it("asks the extension for the optimum and for a run's files", async () => {
    const { show, posted } = fresh();
    button(await show("a", figures.split), "Optimise allocation").click();
    expect(posted).toEqual([
      { type: "apply-optimum", uri: "file:///ws/appworld.budget.yaml", experiment: "appworld-8b" },
    ]);
    const root = await show("b", figures.withFiles);
    button(root, "Table").click();
    button(root, "open").click();
    expect(posted[1]).toEqual({ type: "open-files", files: ["runs/t500-e6-r4/metrics.jsonl"] });
  });
});

describe("reading a figure", () => {
  it("names every figure in words, on the figure and on its drawing", async () => {
    const { show } = fresh();
    for (const [name, payload] of Object.entries(figures)) {
      const root = await show(name, payload);
      expect(root.querySelector("[role=figure]")?.getAttribute("aria-label")).toBe(payload.text);
      expect(root.querySelector("svg.marks")?.getAttribute("aria-label")).toBe(payload.text);
      expect(root.querySelector(".sentence")?.textContent).toBe(payload.text);
      expect(root.querySelector(".tag")?.textContent).toBe("simulated data");
    }
  });

  it("shows the numbers as a table on demand", async () => {
    const root = await fresh().show("a", figures.split);
    expect(root.querySelector("table")).toBeNull();
    button(root, "Table").click();
    const box = root.querySelector(".tables");
    expect(box?.parentElement?.classList.contains("hidden")).toBe(false);
    expect(box?.querySelector("caption")?.textContent).toBe("Split of the budget (4)");
    expect([...(box?.querySelectorAll("tbody tr") ?? [])].map((row) => row.children[0].textContent)).toContain(
      "environments",
    );
  });

  it("prints losses as losses, in the table too", async () => {
    const { calibration } = figures;
    const words = async (payload: typeof calibration): Promise<string[]> => {
      const root = await fresh().show("a", payload);
      button(root, "Table").click();
      return [...root.querySelectorAll("thead th, tbody tr:first-child td")].map((cell) => cell.textContent ?? "");
    };
    expect((await words(calibration)).slice(0, 5)).toEqual([
      "predicted",
      "observed",
      "expected from",
      "expected to",
      "residual (points)",
    ]);
    expect((await words(calibration)).filter((cell) => cell.endsWith(" %"))).toHaveLength(4);
    const loss = await words({ ...calibration, values: { ...calibration.values, format: ".3~g" } });
    expect(loss.filter((cell) => cell.includes("%") || cell.includes("points"))).toEqual([]);
    expect(loss.filter((cell) => /^0\.\d+$/.test(cell))).toHaveLength(4);
  });

  it("is on paper on demand", async () => {
    const root = await fresh().show("a", figures.split);
    button(root, "Paper").click();
    expect(root.querySelector(".figure")?.classList.contains("paper")).toBe(true);
    expect(button(root, "Paper").getAttribute("aria-pressed")).toBe("true");
  });

  it("filters the figures of a fit by the setting chosen in the forest, and takes the choice back", async () => {
    const { show } = fresh();
    const fits = await show("fits", figures.axisFitsThree);
    const forest = await show("forest", figures.forestThree);
    const points = (): number => fits.querySelectorAll(".mark-symbol path").length;
    const all = points();
    const key = (): HTMLButtonElement => button(forest, "Qwen3-4B grpo tool-use");
    key().click();
    await expect.poll(points).toBe(all / 3);
    expect(key().getAttribute("aria-pressed")).toBe("true");
    expect(button(fits, "Qwen3-4B grpo tool-use").getAttribute("aria-pressed")).toBe("true");
    key().click();
    await expect.poll(points).toBe(all);
  });

  it("traps neither wheel nor keys", async () => {
    const root = await fresh().show("a", figures.axisFits);
    const svg = root.querySelector("svg.marks");
    for (const event of [
      new WheelEvent("wheel", { bubbles: true, cancelable: true }),
      new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true }),
      new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }),
    ]) {
      svg?.dispatchEvent(event);
      expect(event.defaultPrevented).toBe(false);
    }
  });
});

describe("saving a figure", () => {
  it.each([
    ["SVG", "axis-fits.svg", "data:image/svg+xml"],
    ["CSV", "axis-fits.csv", "data:text/csv"],
    ["Vega-Lite", "axis-fits.vl.json", "data:application/json"],
  ])("as %s", async (label, name, start) => {
    const root = await fresh().show("a", figures.axisFits);
    const saved = new Promise<HTMLAnchorElement>((resolve) => {
      root.addEventListener("click", (event) => {
        if (event.target instanceof HTMLAnchorElement) {
          event.preventDefault();
          resolve(event.target);
        }
      });
    });
    button(root, label).click();
    const link = await saved;
    expect(link.download).toBe(name);
    expect(link.href.startsWith(start)).toBe(true);
    expect(link.href).toContain(";base64,");
    const text = Buffer.from(link.href.slice(link.href.indexOf(",") + 1), "base64").toString("utf8");
    if (label === "SVG") {
      expect(text).not.toContain("var(");
      expect(text).toContain(`<title>${figures.axisFits.title}</title>`);
      expect(text).toContain("simulated data");
      expect(new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror")).toBeNull();
    } else if (label === "CSV")
      expect(text.split("\n")[0]).toBe("kind,panel,order,x,y,low,high,part,setting,held,observed,run,files");
    else expect((JSON.parse(text) as { data: { values: unknown[] } }).data.values.length).toBeGreaterThan(100);
  });
});
