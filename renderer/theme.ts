/** `var(--name, fallback)`, as charts state their colours. */
const VARIABLE = /var\((--[\w-]+)\s*(?:,\s*([^()]*(?:\([^()]*\))?[^()]*))?\)/g;

/** Literal colours instead of variables: the fallbacks (paper), or what `lookUp` says the theme has. */
export function literalColours(svg: string, lookUp: (name: string) => string | undefined = () => undefined): string {
  return svg.replace(
    VARIABLE,
    (_, name: string, fallback: string | undefined) => lookUp(name)?.trim() || fallback?.trim() || "currentColor",
  );
}

/** The variables that charts use, set to the paper palette: the figure looks as in print whatever the theme. */
export const STYLE = `
:host { display: block; font-family: var(--vscode-font-family, system-ui, sans-serif); font-size: 13px; color: var(--vscode-foreground, #333); }
.figure { position: relative; padding: 4px 0 8px; }
.figure.paper {
  background: #fff; color: #333; padding: 8px; color-scheme: light;
  --vscode-foreground: #333333; --vscode-descriptionForeground: #616161; --vscode-editor-background: #ffffff; --vscode-scalingLens-grid: #e4e4e4;
  --vscode-charts-blue: #0b62c4; --vscode-charts-red: #c4332b; --vscode-charts-green: #2f7d32; --vscode-charts-orange: #b85c00;
  --vscode-charts-purple: #652d90; --vscode-charts-yellow: #8f6a00; --vscode-textLink-foreground: #0b62c4; --vscode-focusBorder: #0b62c4;
  --vscode-contrastBorder: #616161; --vscode-toolbar-hoverBackground: #e8e8e8; --vscode-editorHoverWidget-background: #fff;
  --vscode-editorHoverWidget-foreground: #333; --vscode-editorHoverWidget-border: #aaa;
}
.figure { --vscode-scalingLens-grid: color-mix(in srgb, var(--vscode-foreground, #333) 14%, transparent); }
.head { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; margin: 0 0 6px; }
h3 { font-size: 13px; font-weight: 600; margin: 0; flex: 1 1 auto; }
.tag { font-size: 11px; font-weight: 400; border: 1px solid currentColor; border-radius: 3px; padding: 0 5px; margin-left: 8px; white-space: nowrap; }
.bar { display: flex; flex-wrap: wrap; gap: 2px; }
button, select { font: inherit; font-size: 12px; color: inherit; background: transparent; border: 1px solid var(--vscode-contrastBorder, transparent); border-radius: 4px; padding: 2px 8px; cursor: pointer; }
button:hover:not(:disabled) { background: var(--vscode-toolbar-hoverBackground, #8882); }
button[aria-pressed="true"] { background: var(--vscode-toolbar-hoverBackground, #8883); box-shadow: inset 0 0 0 1px var(--vscode-focusBorder, #0b62c4); }
button:focus-visible, .scroll:focus-visible { outline: 1px solid var(--vscode-focusBorder, #0b62c4); outline-offset: 1px; }
button:disabled { opacity: .5; cursor: default; }
button.link { padding: 0; border: 0; color: var(--vscode-textLink-foreground, #0b62c4); text-decoration: underline; }
.key { display: flex; flex-wrap: wrap; gap: 2px 4px; margin: 4px 0 0; }
.key svg { vertical-align: -2px; margin-right: 5px; }
.drawing { position: relative; overflow-x: auto; overflow-y: hidden; content-visibility: auto; }
.drawing svg { display: block; max-width: none; }
.drawing.brushable svg { cursor: crosshair; user-select: none; }
.brush { position: absolute; pointer-events: none; box-sizing: border-box; border: 1px solid var(--vscode-focusBorder, #0b62c4); }
.brush::before { content: ""; position: absolute; inset: 0; background: var(--vscode-focusBorder, #0b62c4); opacity: .18; }
.zoomed { margin: 2px 0 0; } .zoomed button { margin-left: 8px; border-color: var(--vscode-contrastBorder, var(--vscode-descriptionForeground, #616161)); }
.sentence { margin: 6px 0 2px; }
.note { margin: 2px 0 0; font-size: 12px; color: var(--vscode-descriptionForeground, #616161); }
.problem { border-left: 3px solid var(--vscode-charts-red, #c4332b); padding-left: 8px; margin: 0 0 6px; }
.scroll { overflow: auto; max-height: 320px; margin: 8px 0; }
table { border-collapse: collapse; font-size: 12px; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 2px 0 4px; }
th, td { padding: 2px 10px 2px 0; text-align: left; white-space: nowrap; max-width: 36em; overflow: hidden; text-overflow: ellipsis; border-bottom: 1px solid var(--vscode-scalingLens-grid, #e4e4e4); }
th { font-weight: 600; } .n { text-align: right; }
.tip { position: fixed; z-index: 10; pointer-events: none; max-width: 320px; padding: 6px 8px; font-size: 12px; border-radius: 3px;
  background: var(--vscode-editorHoverWidget-background, #fff); color: var(--vscode-editorHoverWidget-foreground, #333);
  border: 1px solid var(--vscode-editorHoverWidget-border, #aaa); overflow-wrap: anywhere; }
.tip dl { margin: 0; display: grid; grid-template-columns: auto 1fr; gap: 1px 8px; } .tip dt { opacity: .8; } .tip dd { margin: 0; }
.hidden { display: none !important; }
`;
