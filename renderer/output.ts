import { toCsv } from "../server/core/figures/csv";
import type { FigurePayload } from "../server/core/figures/payload";
import { closer } from "./closer";
import type { ChartView } from "./dataflow";
import { element } from "./dom";
import { copyPng, describe, pngDataUrl, save, textUrl, vegaLiteOf } from "./exports";
import { figureOf, prepare, spoken, type Figure } from "./figure";
import { choose, chosenIn, onChoice } from "./links";
import { readPayload } from "./payload";
import { picture } from "./picture";
import { forget, isNear, used, watch, type Resident } from "./residency";
import { swatch } from "./swatch";
import { plainTables, tables } from "./table";
import { STYLE } from "./theme";
import { tooltip } from "./tooltip";
import { zoomWords, type Zoom } from "./zoom";

export type Post = (message: unknown) => void;

const DEFAULT_WIDTH = 760;
const WIDEST = 1100;

/** One notebook output: a shadow root with a figure in it. Made once per element and reused when the output is updated. */
export class FigureOutput implements Resident {
  readonly element: HTMLElement;
  readonly #root: ShadowRoot;
  readonly #post: Post | undefined;
  #figure: Figure | undefined;
  #view: ChartView | undefined;
  #drawing: HTMLElement | undefined;
  #tip: HTMLElement | undefined;
  #zoom: Zoom = {};
  /** True where a choice was made that the drawing does not show yet. */
  #stale = false;
  #turn = 0;
  #width = 0;
  #stop: (() => void)[] = [];

  constructor(host: HTMLElement, post: Post | undefined) {
    this.element = host;
    this.#post = post;
    this.#root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  }

  /** Draws what stands in the notebook file, and resolves when it is drawn (its height is measured then). */
  async show(source: string): Promise<void> {
    this.#clear();
    const reading = readPayload(source);
    const figure = reading.payload ? figureOf(reading.payload) : undefined;
    if (!reading.payload || !figure) {
      const problem =
        reading.problem ??
        "This build of Scaling Lens does not know the figure's chart. Update the extension to draw it.";
      this.#explain(problem, reading.sentence, plainTables(reading.data));
      return;
    }
    this.#figure = figure;
    this.#frame(figure);
    try {
      await this.#draw();
    } catch (error) {
      this.#clear();
      this.#explain(
        `The figure could not be drawn: ${error instanceof Error ? error.message : String(error)}`,
        reading.sentence,
        tables(figure.shape, figure.rows),
      );
      return;
    }
    watch(this);
    const link = figure.payload.link;
    if (link) this.#stop.push(onChoice(link, () => this.#chosen()));
    const wake = (): void => void this.wake();
    // Whoever points at a figure or tabs into it wants its tooltips now.
    for (const event of ["pointerenter", "focusin"]) this.#drawing?.addEventListener(event, wake);
    this.#followWidth();
  }

  /** Lets go of everything. */
  dispose(): void {
    this.#clear();
    this.#root.replaceChildren();
  }

  get awake(): boolean {
    return this.#view !== undefined && !this.#stale;
  }

  async wake(): Promise<void> {
    if (this.awake) used(this);
    else if (this.#figure) await this.#redraw();
  }

  /** Leaves the drawing as plain SVG nodes: a copy holds no reference to the view's scenegraph. */
  rest(): void {
    const svg = this.#drawing?.querySelector("svg");
    if (this.#view && svg) svg.replaceWith(svg.cloneNode(true));
    this.#view?.finalize();
    this.#view = undefined;
  }

  #clear(): void {
    this.#turn++;
    for (const stop of this.#stop.splice(0)) stop();
    forget(this);
    this.#view?.finalize();
    this.#view = undefined;
    this.#figure = undefined;
    this.#drawing = undefined;
    this.#zoom = {};
    this.#root.replaceChildren(element("style", {}, STYLE));
  }

  #explain(problem: string, sentence: string, table: HTMLElement): void {
    this.#root.append(
      element(
        "div",
        { class: "figure" },
        element("p", { class: "problem", role: "alert" }, problem),
        ...(sentence ? [element("p", { class: "sentence" }, sentence)] : []),
        table,
      ),
    );
  }

  #frame(figure: Figure): void {
    const { payload, template, rows, shape } = figure;
    const post = this.#post;
    const drawing = element("div", { class: "drawing" });
    // Made when it is first asked for: five thousand cells would cost more than the drawing.
    const table = element("div", { class: "hidden" });
    const showTable = (on: boolean): void => {
      if (on && table.childElementCount === 0)
        table.append(
          tables(shape, rows, post ? (files) => post({ type: "open-files", files: files.split(" ") }) : undefined),
        );
      table.classList.toggle("hidden", !on);
    };
    const key = element("div", { class: "key", role: "group", "aria-label": "Settings" });
    const tip = element("div", { class: "tip hidden", role: "presentation" });
    const frame = element(
      "div",
      { class: "figure", role: "figure", "aria-label": payload.text },
      element(
        "div",
        { class: "head" },
        element(
          "h3",
          {},
          payload.title,
          ...(payload.simulated ? [element("span", { class: "tag" }, "simulated data")] : []),
        ),
        this.#toolbar(payload, showTable),
      ),
      drawing,
      ...(template.zoom ? [this.#closer(figure, drawing)] : []),
      key,
      ...spoken(payload),
      ...payload.notes.map((note) => element("p", { class: "note" }, note)),
      table,
      tip,
    );
    this.#drawing = drawing;
    this.#tip = tip;
    this.#root.append(frame);
    this.#fillKey(key);
    if (payload.link) this.#stop.push(onChoice(payload.link, () => this.#fillKey(key)));
  }

  #toolbar(payload: FigurePayload, showTable: (on: boolean) => void): HTMLElement {
    const bar = element("div", { class: "bar", role: "toolbar", "aria-label": `Figure: ${payload.title}` });
    const button = (label: string, title: string, run: (button: HTMLButtonElement) => void): HTMLButtonElement => {
      const made = element("button", { type: "button", title }, label);
      made.addEventListener("click", () => run(made));
      bar.append(made);
      return made;
    };
    const toggle = (label: string, title: string, set: (on: boolean) => void): void => {
      button(label, title, (made) => {
        const on = made.getAttribute("aria-pressed") !== "true";
        made.setAttribute("aria-pressed", String(on));
        set(on);
      }).setAttribute("aria-pressed", "false");
    };
    for (const action of payload.actions ?? []) {
      const made = button(
        action.label,
        this.#post ? "Opens the change as a refactor preview" : "Needs the Scaling Lens extension",
        () => this.#post?.({ type: action.kind, uri: action.uri, experiment: action.experiment }),
      );
      made.disabled = !this.#post;
    }
    toggle("Table", "Show the numbers", showTable);
    toggle("Paper", "Black on white, as in print", (on) =>
      this.#root.querySelector(".figure")?.classList.toggle("paper", on),
    );
    button("Copy", "Copy the figure as a picture", (made) => {
      // The word tells how it went: a page may forbid the clipboard.
      const said = (word: string): void => {
        made.textContent = word;
        setTimeout(() => (made.textContent = "Copy"), 2000);
      };
      this.#save("copy").then(
        () => said("Copied"),
        () => said("Not allowed here"),
      );
    });
    for (const [label, title, run] of [
      ["SVG", "Save as SVG", () => this.#save("svg")],
      ["PNG", "Save as PNG", () => this.#save("png")],
      ["CSV", "Save the numbers as CSV", () => this.#save("csv")],
      ["Vega-Lite", "Save the chart's Vega-Lite source", () => this.#save("json")],
    ] as const)
      button(label, title, () => void run());
    return bar;
  }

  #closer(figure: Figure, drawing: HTMLElement): HTMLElement {
    const { line, stop } = closer({
      figure,
      drawing,
      view: () => this.#view,
      started: () => this.#tip?.classList.add("hidden"),
      changed: (zoom) => {
        this.#zoom = zoom;
        void this.#redraw();
      },
      leave: () => this.#root.querySelector<HTMLElement>(".bar button:enabled")?.focus({ preventScroll: true }),
    });
    this.#stop.push(stop);
    return line;
  }

  /** What is chosen on the page, beside what the file says. */
  #chosenSignals({ payload, template }: Figure): Readonly<Record<string, unknown>> {
    return {
      ...(template.settings ? { chosen: chosenIn(payload.link) } : {}),
      ...(template.zoom ? { zoom: this.#zoom } : {}),
    };
  }

  /** The settings as buttons: legend, and the keyboard's way to filter. */
  #fillKey(key: HTMLElement): void {
    const figure = this.#figure;
    const settings = figure?.template.settings?.(figure.rows) ?? [];
    if (!figure || settings.length < 2) return;
    const { link } = figure.payload;
    const chosen = chosenIn(link);
    const had = key.contains(this.#root.activeElement)
      ? (this.#root.activeElement as HTMLElement).dataset.setting
      : undefined;
    key.replaceChildren(
      ...settings.map((setting, i) => {
        const made = element("button", {
          type: "button",
          "aria-pressed": String(chosen === setting),
          title: "Show this setting alone",
          "data-setting": setting,
        });
        made.append(swatch(i, figure.template.marker), setting || "all runs");
        made.addEventListener("click", () => choose(link, setting));
        return made;
      }),
    );
    if (had !== undefined) [...key.querySelectorAll("button")].find((made) => made.dataset.setting === had)?.focus();
  }

  #measure(): number {
    return Math.min(WIDEST, this.element.clientWidth > 0 ? this.element.clientWidth - 16 : DEFAULT_WIDTH);
  }

  /** Draws beside the old drawing and swaps when done, so that nothing flickers and an overtaken drawing is dropped. */
  async #draw(): Promise<void> {
    const figure = this.#figure;
    const drawing = this.#drawing;
    if (!figure || !drawing) return;
    const turn = ++this.#turn;
    this.#width = this.#measure();
    const view = await prepare(figure, this.#width, this.#chosenSignals(figure));
    const stage = element("div");
    if (turn === this.#turn) {
      if (this.#tip) view.tooltip(tooltip(this.#tip, figure.shape) as never);
      view.initialize(stage);
      view.addEventListener("click", (_event, item) =>
        this.#tapped(item?.datum as Readonly<Record<string, unknown>> | undefined),
      );
      await view.runAsync();
    }
    if (turn !== this.#turn) {
      view.finalize();
      return;
    }
    const svg = stage.querySelector("svg");
    if (svg) describe(svg, figure.payload);
    this.#stale = false;
    // Off the page the drawing is neither laid out nor painted, and keeps its exact size meanwhile.
    drawing.style.setProperty(
      "contain-intrinsic-size",
      `${svg?.getAttribute("width") ?? 0}px ${svg?.getAttribute("height") ?? 0}px`,
    );
    drawing.replaceChildren(stage);
    this.#tip?.classList.add("hidden");
    this.#view?.finalize();
    this.#view = view;
    used(this);
  }

  /** Far figures are drawn again when they come near. */
  #chosen(): void {
    this.#stale = true;
    if (isNear(this)) void this.#redraw();
  }

  async #redraw(): Promise<void> {
    try {
      await this.#draw();
    } catch (error) {
      this.#drawing?.replaceChildren(
        element("p", { class: "problem", role: "alert" }, `The figure could not be drawn again: ${String(error)}`),
      );
    }
  }

  #tapped(row: Readonly<Record<string, unknown>> | undefined): void {
    const figure = this.#figure;
    if (!row || !figure) return;
    if (typeof row.files === "string" && row.files && this.#post)
      this.#post({ type: "open-files", files: row.files.split(" ") });
    else if (figure.template.settings && typeof row.setting === "string") choose(figure.payload.link, row.setting);
  }

  #followWidth(): void {
    if (typeof ResizeObserver === "undefined") return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(() => {
      // A hidden output has no width; what it was drawn for still holds.
      if (this.element.clientWidth === 0 || Math.abs(this.#measure() - this.#width) < 24) return;
      clearTimeout(timer);
      timer = setTimeout(() => void this.#redraw(), 150);
    });
    observer.observe(this.element);
    this.#stop.push(() => {
      clearTimeout(timer);
      observer.disconnect();
    });
  }

  async #save(format: "svg" | "png" | "csv" | "json" | "copy"): Promise<void> {
    const figure = this.#figure;
    if (!figure) return;
    const { payload } = figure;
    const name = `${payload.template}.${format === "json" ? "vl.json" : format}`;
    if (format === "csv")
      return save(this.#root, name, textUrl("text/csv", toCsv(figure.template.shape.columns, figure.rows)));
    if (format === "json")
      return save(
        this.#root,
        name,
        textUrl("application/json", JSON.stringify(vegaLiteOf(figure, this.#width), null, 2)),
      );
    const view = await prepare(figure, this.#width, this.#chosenSignals(figure));
    const closer = zoomWords(this.#zoom);
    try {
      await view.runAsync();
      const { svg, width, height } = picture(
        await view.toSVG(),
        closer ? { ...payload, notes: [closer, ...payload.notes] } : payload,
      );
      if (format === "svg") save(this.#root, name, textUrl("image/svg+xml", svg));
      else if (format === "copy") await copyPng(await pngDataUrl(svg, width, height));
      else save(this.#root, name, await pngDataUrl(svg, width, height));
    } finally {
      view.finalize();
    }
  }
}
