import type { FigurePayload } from "../server/core/figures/payload";
import { literalColours } from "./theme";

const FONT = "Inter, 'Segoe UI', system-ui, 'Helvetica Neue', Arial, sans-serif";
const MARGIN = 12;
const LINE = 15;
/** Mean width of a character at 11 px: notes are wrapped by it, since no canvas is at hand everywhere. */
const CHARACTER = 5.7;

/** Control characters that no XML file may hold. */
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replace(NOT_XML, "");

/**
 * A picture that stands by itself: the drawing in literal colours on white, with its title, whether its data are simulated,
 * and what is printed under a figure (n, intervals, range). Strings of the payload go in as text, never as markup.
 */
export function picture(
  svg: string,
  payload: FigurePayload,
): { readonly svg: string; readonly width: number; readonly height: number } {
  const [, w, h] = /width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  const width = Math.max(420, Math.ceil(Number(w ?? 0))) + 2 * MARGIN;
  const most = Math.floor((width - 2 * MARGIN) / CHARACTER);
  const notes = payload.notes.flatMap((note) => wrap(note, most));
  const top = MARGIN + 22;
  const bottom = top + Math.ceil(Number(h ?? 0)) + 10;
  const height = bottom + notes.length * LINE + MARGIN;
  const lines = notes.map(
    (note, i) =>
      `<text x="${MARGIN}" y="${bottom + (i + 1) * LINE - 4}" font-size="11" fill="#616161">${escape(note)}</text>`,
  );
  return {
    width,
    height,
    svg:
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT}">` +
      `<title>${escape(payload.title)}</title><desc>${escape([payload.text, ...payload.notes].join(" "))}</desc>` +
      `<rect width="100%" height="100%" fill="#ffffff"/><text x="${MARGIN}" y="${MARGIN + 12}" font-size="13" font-weight="600" fill="#333333">${escape(payload.title)}${payload.simulated ? '<tspan dx="10" font-weight="400" fill="#b85c00">simulated data</tspan>' : ""}</text>` +
      `<svg x="${MARGIN}" y="${top}" width="${w ?? 0}" height="${h ?? 0}">${literalColours(svg)}</svg>${lines.join("")}</svg>`,
  };
}

function wrap(text: string, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > most) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}
