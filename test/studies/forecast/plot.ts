/** The study as a picture: forecast beside truth at each share shown, and errors beside those of the plain rivals. */
import { median } from "../../../server/core/numerics/special";
import { type CurveClass } from "./curves";
import { type Judged, SHOWN } from "./judge";

const COLOURS: Readonly<Record<CurveClass, string>> = {
  evaluations: "#0072B2",
  "training curves": "#D55E00",
  classical: "#8a8a8a",
};
const PANEL = 190;
const GAP = 44;
const TOP = 56;

export function plot(judged: readonly Judged[]): string {
  const width = 50 + SHOWN.length * (PANEL + GAP);
  const height = TOP + PANEL + 60 + PANEL + 60;
  const parts = SHOWN.map((share, i) =>
    panel(
      judged.filter((each) => each.share === share),
      share,
      50 + i * (PANEL + GAP),
    ),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11" role="img">`,
    `<title>Forecast and truth on ${new Set(judged.map(({ id }) => id)).size} published learning curves</title>`,
    `<desc>Above: end value against its forecast with 20, 30, 50 and 70 % of the run shown, sources left out. Below: median error of the forecast, the last value and a least-squares sigmoid.</desc>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    ...Object.entries(COLOURS).map(
      ([name, colour], i) =>
        `<circle cx="${56 + i * 130}" cy="18" r="4" fill="${colour}"/><text x="${64 + i * 130}" y="22">${name}</text>`,
    ),
    ...parts,
    errors(judged, TOP + PANEL + 70),
    `</svg>`,
  ].join("\n");
}

function panel(list: readonly Judged[], share: number, left: number): string {
  const x = (rate: number) => (left + rate * PANEL).toFixed(1);
  const y = (rate: number) => (TOP + (1 - rate) * PANEL).toFixed(1);
  const dots = [...list]
    .sort((a, b) => Number(b.class === "classical") - Number(a.class === "classical"))
    .map(
      (each) =>
        `<circle cx="${x(each.estimate)}" cy="${y(each.truth)}" r="2.4" fill="${COLOURS[each.class]}" fill-opacity="0.7"/>`,
    );
  return [
    `<rect x="${left}" y="${TOP}" width="${PANEL}" height="${PANEL}" fill="none" stroke="#999"/>`,
    `<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#999" stroke-dasharray="3 3"/>`,
    `<text x="${left}" y="${TOP - 8}" font-weight="bold">${share * 100} % shown</text>`,
    `<text x="${left + PANEL / 2}" y="${TOP + PANEL + 26}" text-anchor="middle">forecast (%)</text>`,
    left < 60
      ? `<text transform="translate(14 ${TOP + PANEL / 2}) rotate(-90)" text-anchor="middle">end value (%)</text>`
      : "",
    ...[0, 0.5, 1].flatMap((tick) => [
      `<text x="${x(tick)}" y="${TOP + PANEL + 13}" text-anchor="middle">${tick * 100}</text>`,
      `<text x="${left - 5}" y="${Number(y(tick)) + 4}" text-anchor="end">${tick * 100}</text>`,
    ]),
    ...dots,
  ].join("\n");
}

function errors(judged: readonly Judged[], top: number): string {
  const series: readonly [string, string, (each: Judged) => number][] = [
    ["forecast", "#000000", ({ estimate }) => estimate],
    ["last value", "#E69F00", ({ rivals }) => rivals.last],
    ["least-squares sigmoid", "#56B4E9", ({ rivals }) => rivals.sigmoid],
  ];
  const classes: readonly (CurveClass | null)[] = [null, "evaluations", "training curves", "classical"];
  return classes
    .map((kind, panelAt) => {
      const left = 50 + panelAt * (PANEL + GAP);
      const list = judged.filter((each) => kind === null || each.class === kind);
      const found = series.map(([, , value]) =>
        SHOWN.map((share) =>
          median(list.filter((each) => each.share === share).map((each) => Math.abs(value(each) - each.truth))),
        ),
      );
      const most = Math.max(...found.flat()) * 1.05;
      const x = (share: number) => (left + ((share - 0.15) / 0.6) * PANEL).toFixed(1);
      const y = (error: number) => (top + (1 - error / most) * PANEL).toFixed(1);
      return [
        `<rect x="${left}" y="${top}" width="${PANEL}" height="${PANEL}" fill="none" stroke="#999"/>`,
        `<text x="${left}" y="${top - 8}" font-weight="bold">${kind ?? "all curves"}: median error</text>`,
        `<text x="${left + PANEL / 2}" y="${top + PANEL + 28}" text-anchor="middle">share of the run shown (%)</text>`,
        ...SHOWN.map(
          (share) => `<text x="${x(share)}" y="${top + PANEL + 13}" text-anchor="middle">${share * 100}</text>`,
        ),
        ...[0, most / 2, most].map(
          (tick) =>
            `<text x="${left - 5}" y="${Number(y(tick)) + 4}" text-anchor="end">${(tick * 100).toFixed(0)}</text>`,
        ),
        ...found.map(
          (values, i) =>
            `<polyline points="${values.map((value, k) => `${x(SHOWN[k])},${y(value)}`).join(" ")}" fill="none" stroke="${series[i][1]}" stroke-width="2"/>`,
        ),
        ...(panelAt === 0
          ? series.map(
              ([name, colour], i) => `<text x="${left + 60}" y="${top + 16 + i * 14}" fill="${colour}">${name}</text>`,
            )
          : []),
      ].join("\n");
    })
    .join("\n");
}
