/**
 * Colours as the editor's theme variables, so that an SVG follows a theme change without being drawn again; the fallback of
 * each is what exports and the paper mode use. Chart colours are the theme's own, high contrast included.
 */
export const INK = "var(--vscode-foreground, #333333)";
export const QUIET = "var(--vscode-descriptionForeground, #616161)";
export const PAPER = "var(--vscode-editor-background, #ffffff)";
const GRID = "var(--vscode-scalingLens-grid, #e4e4e4)";
export const BLUE = "var(--vscode-charts-blue, #0b62c4)";
const RED = "var(--vscode-charts-red, #c4332b)";
const GREEN = "var(--vscode-charts-green, #2f7d32)";
export const ORANGE = "var(--vscode-charts-orange, #b85c00)";
const PURPLE = "var(--vscode-charts-purple, #652d90)";
const YELLOW = "var(--vscode-charts-yellow, #8f6a00)";

export const PALETTE = [BLUE, ORANGE, GREEN, PURPLE, RED, YELLOW];
/** Shapes beside colours: a setting is told apart without seeing colour. */
export const SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"];

/** Labels of a compute axis: `1e20`, and `20k` for small units such as dollars. */
export const COMPUTE =
  "datum.value >= 1e6 ? replace(format(datum.value, '.3~e'), 'e+', 'e') : format(datum.value, '~s')";

const FONT = "Inter, 'Segoe UI', system-ui, 'Helvetica Neue', Arial, sans-serif";

export const CONFIG = {
  background: "transparent",
  font: FONT,
  aria: false,
  padding: 4,
  view: { stroke: null },
  axis: {
    domainColor: QUIET,
    tickColor: QUIET,
    gridColor: GRID,
    gridWidth: 1,
    labelColor: QUIET,
    titleColor: INK,
    labelFontSize: 11,
    titleFontSize: 11,
    titleFontWeight: "normal",
    labelFlush: false,
    tickSize: 4,
    titlePadding: 6,
  },
  header: {
    labelColor: INK,
    labelFontSize: 12,
    labelFontWeight: "bold",
    titleColor: INK,
    labelAnchor: "start",
    labelPadding: 6,
  },
  legend: {
    labelColor: INK,
    titleColor: INK,
    labelFontSize: 11,
    titleFontSize: 11,
    titleFontWeight: "normal",
    symbolOpacity: 1,
    orient: "bottom",
    labelLimit: 220,
  },
  title: { color: INK, fontSize: 12, anchor: "start" },
  text: { color: INK, fontSize: 11 },
  range: { category: PALETTE, symbol: SHAPES },
};
