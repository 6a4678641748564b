import { PALETTE, SHAPES } from "./charts/style";

/** The mark of the n-th setting, in its colour and shape. */
export function swatch(n: number, shape = SHAPES[n % SHAPES.length]): SVGSVGElement {
  const paths: Record<string, string> = {
    circle: "M10,5A5,5,0,1,1,0,5A5,5,0,1,1,10,5",
    square: "M1,1H9V9H1Z",
    "triangle-up": "M5,0L10,9H0Z",
    diamond: "M5,0L10,5L5,10L0,5Z",
    cross: "M3.5,0H6.5V3.5H10V6.5H6.5V10H3.5V6.5H0V3.5H3.5Z",
    "triangle-down": "M5,10L0,1H10Z",
  };
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("width", "10");
  svg.setAttribute("height", "10");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", paths[shape]);
  path.setAttribute("fill", PALETTE[n % PALETTE.length]);
  svg.append(path);
  return svg;
}
