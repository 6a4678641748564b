import type { Point } from "./points";

/** Time and memory against the number of rollouts, both on logarithmic axes. */
const COLOURS = ["#0072B2", "#8a8a8a", "#56B4E9", "#D55E00", "#009E73"];
const [SIZE, TOP] = [240, 60];

export function plot(points: readonly Point[]): string {
  const engines = [...new Set(points.map(({ engine }) => engine))];
  const panels = [
    panel(points, engines, { left: 56, title: "time (s)", value: ({ ours }) => ours, range: [0.1, 1000] }),
    panel(points, engines, {
      left: 376,
      title: "resident (MB)",
      value: ({ resident }) => resident,
      range: [10, 10_000],
    }),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 350" font-family="sans-serif" font-size="11" role="img">`,
    `<title>Time and memory of measure against the number of rollouts</title>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    ...engines.map((name, i) => {
      const [x, y] = [60 + (i % 3) * 190, 16 + 15 * Math.floor(i / 3)];
      return `<circle cx="${x}" cy="${y}" r="4" fill="${COLOURS[i]}"/><text x="${x + 8}" y="${y + 4}">${name}</text>`;
    }),
    ...panels,
    `</svg>\n`,
  ].join("\n");
}

interface Panel {
  readonly left: number;
  readonly title: string;
  readonly value: (point: Point) => number;
  readonly range: readonly [number, number];
}

function panel(points: readonly Point[], engines: readonly string[], { left, title, value, range }: Panel): string {
  const share = (at: number, [least, most]: readonly [number, number]) => Math.log(at / least) / Math.log(most / least);
  const x = (rows: number) => (left + share(rows, [5e5, 2e8]) * SIZE).toFixed(1);
  const y = (at: number) => (TOP + (1 - share(at, range)) * SIZE).toFixed(1);
  const ticks = (from: number, to: number) => {
    const found: number[] = [];
    for (let tick = from; tick <= to * 1.001; tick *= 10) found.push(tick);
    return found;
  };
  return [
    `<rect x="${left}" y="${TOP}" width="${SIZE}" height="${SIZE}" fill="none" stroke="#999"/>`,
    `<text x="${left}" y="${TOP - 8}" font-weight="bold">${title}</text>`,
    `<text x="${left + SIZE / 2}" y="${TOP + SIZE + 32}" text-anchor="middle">rollouts</text>`,
    ...ticks(1e6, 1e8).map(
      (tick) => `<text x="${x(tick)}" y="${TOP + SIZE + 15}" text-anchor="middle">10^${Math.log10(tick)}</text>`,
    ),
    ...ticks(...range).map(
      (tick) =>
        `<text x="${left - 5}" y="${Number(y(tick)) + 4}" text-anchor="end">${Number(tick.toPrecision(2))}</text>`,
    ),
    ...engines.map((name, i) => {
      const own = points.filter(({ engine }) => engine === name);
      const line = own.map((point) => `${x(point.rows)},${y(value(point))}`).join(" ");
      const dots = own.map(
        (point) => `<circle cx="${x(point.rows)}" cy="${y(value(point))}" r="3" fill="${COLOURS[i]}"/>`,
      );
      return `<polyline points="${line}" fill="none" stroke="${COLOURS[i]}" stroke-width="2"/>${dots.join("")}`;
    }),
  ].join("\n");
}
