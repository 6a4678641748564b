import type { WhatIf } from "../server/core/figures/whatIf";
import { element } from "./dom";
import { whatIfPanel, WHAT_IF_STYLE } from "./whatIf";

/** What the page is given for one experiment; texts are text, `details` is what the editor rendered of Markdown. */
interface View {
  readonly name: string;
  readonly verdict: string;
  readonly success: string;
  readonly doubts: readonly string[];
  readonly cost: string;
  readonly actions: readonly { readonly label: string }[];
  readonly change: string;
  readonly byHand: readonly string[];
  readonly whatIf: WhatIf | null;
  readonly details: string;
}

declare function acquireVsCodeApi(): { postMessage(message: unknown): void; setState(state: unknown): void };

const code = acquireVsCodeApi();

/** Explain as a page: what is best, one chart, the split and what can be done fit one screen; all else is folded below. */
function show(views: readonly View[]): void {
  const open = new Set(
    [...document.querySelectorAll("details[open]")].map((one) => one.closest("section")?.dataset.name ?? ""),
  );
  const scrolled = window.scrollY;
  document.body.replaceChildren(
    element("style", {}, WHAT_IF_STYLE + STYLE),
    ...views.map((view, index) => experiment(view, index, open.has(view.name))),
  );
  window.scrollTo(0, scrolled);
}

function experiment(view: View, index: number, open: boolean): HTMLElement {
  const details = element(
    "details",
    open ? { open: true } : {},
    element("summary", {}, "All figures, assumptions and their sources"),
  );
  const rendered = element("div", { class: "details" });
  // Markdown of our own server, in which everything from files is escaped, rendered by the editor.
  rendered.innerHTML = view.details;
  details.append(rendered);
  const actions = view.actions.map((action, at) => {
    const button = element("button", at === 0 ? { class: "first" } : {}, action.label);
    button.addEventListener("click", () => code.postMessage({ type: "action", view: index, action: at }));
    return button;
  });
  return element(
    "section",
    { "data-name": view.name },
    element("h1", {}, view.name),
    element("p", { class: "verdict" }, view.verdict),
    element("p", { class: "success" }, view.success),
    ...view.doubts.map((text) => element("p", { class: "doubt" }, text)),
    ...(actions.length > 0
      ? [
          element(
            "p",
            { class: "actions" },
            ...actions,
            ...(view.change === "" ? [] : [element("span", { class: "change" }, view.change)]),
          ),
        ]
      : []),
    ...(view.whatIf ? [whatIfPanel(view.whatIf, { chart: true })] : []),
    ...(view.byHand.length > 0
      ? [element("ul", { class: "by-hand" }, ...view.byHand.map((text) => element("li", {}, `By hand: ${text}`)))]
      : []),
    ...(view.cost === "" ? [] : [element("p", { class: "cost" }, `The whole run: ${view.cost}.`)]),
    details,
  );
}

const STYLE = `
body { font-family: var(--vscode-font-family); font-size: var(--vscode-font-size, 13px); color: var(--vscode-foreground); padding: 0 20px 24px; line-height: 1.45; }
section + section { border-top: 1px solid var(--vscode-contrastBorder, color-mix(in srgb, var(--vscode-foreground) 20%, transparent)); margin-top: 24px; }
h1 { font-size: 1.2em; margin: 12px 0 2px; overflow-wrap: anywhere; }
p { margin: 2px 0; }
.verdict { font-size: 1.25em; font-weight: 600; }
.doubt, .cost { color: var(--vscode-descriptionForeground); }
.doubt { border-left: 3px solid var(--vscode-charts-orange); padding-left: 8px; }
.actions { margin: 8px 0; display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: center; }
button { font: inherit; padding: 4px 12px; border-radius: 2px; cursor: pointer; color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); border: 1px solid var(--vscode-button-border, var(--vscode-contrastBorder, transparent)); }
button.first { color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
button:focus-visible, summary:focus-visible, input:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
.by-hand { margin: 6px 0; padding-left: 18px; }
details { margin-top: 12px; } summary { cursor: pointer; font-weight: 600; }
.details { overflow-x: auto; overflow-wrap: anywhere; }
.details table { border-collapse: collapse; margin: 6px 0; } .details th, .details td { text-align: left; padding: 2px 12px 2px 0; vertical-align: top; border-bottom: 1px solid color-mix(in srgb, var(--vscode-foreground) 14%, transparent); }
.details h2 { font-size: 1.1em; margin: 16px 0 4px; } .details h3 { font-size: 1em; }
.details a { color: var(--vscode-textLink-foreground); }
`;

window.addEventListener(
  "message",
  ({ data }: MessageEvent<{ readonly views?: readonly View[]; readonly state?: unknown }>) => {
    if (!data.views) return;
    code.setState(data.state);
    show(data.views);
  },
);
code.postMessage({ type: "ready" });
