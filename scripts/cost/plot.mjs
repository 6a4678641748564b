/** Predicted against observed seconds per step, each with its 80 % interval, on logarithmic axes. */
const COLOURS = { dense: "#3b6fb6", mixture: "#c2572b", lora: "#4b8b3b", "multi-turn": "#8a4fa3" };
const [WIDTH, HEIGHT, LEFT, TOP, SIZE] = [640, 520, 70, 24, 430];
const [LOW, HIGH] = [Math.log10(5), Math.log10(50_000)];

const place = (seconds) => (SIZE * (Math.log10(seconds) - LOW)) / (HIGH - LOW);
const x = (seconds) => LEFT + place(seconds);
const y = (seconds) => TOP + SIZE - place(seconds);
const clamp = (seconds) => Math.min(50_000, Math.max(5, seconds));

export function recordPlot(runs) {
  const ticks = [10, 100, 1000, 10_000];
  const grid = ticks.flatMap((tick) => [
    `<line x1="${x(tick)}" y1="${TOP}" x2="${x(tick)}" y2="${TOP + SIZE}" stroke="#ddd"/>`,
    `<line x1="${LEFT}" y1="${y(tick)}" x2="${LEFT + SIZE}" y2="${y(tick)}" stroke="#ddd"/>`,
    `<text x="${x(tick)}" y="${TOP + SIZE + 18}" text-anchor="middle">${tick.toLocaleString("en")}</text>`,
    `<text x="${LEFT - 8}" y="${y(tick) + 4}" text-anchor="end">${tick.toLocaleString("en")}</text>`,
  ]);
  const marks = runs.flatMap(({ class: kind, predicted, seen, row }) => {
    const at = x(clamp(seen.seconds)).toFixed(1);
    return [
      `<line x1="${at}" y1="${y(clamp(predicted.low)).toFixed(1)}" x2="${at}" y2="${y(clamp(predicted.high)).toFixed(1)}" stroke="${COLOURS[kind]}" stroke-opacity="0.45"/>`,
      `<circle cx="${at}" cy="${y(clamp(predicted.estimate)).toFixed(1)}" r="3.4" fill="${COLOURS[kind]}"><title>${row.id}</title></circle>`,
    ];
  });
  const legend = Object.entries(COLOURS).map(
    ([kind, colour], i) =>
      `<circle cx="${LEFT + SIZE + 22}" cy="${TOP + 14 + 20 * i}" r="4" fill="${colour}"/><text x="${LEFT + SIZE + 32}" y="${TOP + 18 + 20 * i}">${kind}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#333">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${grid.join("\n")}
<rect x="${LEFT}" y="${TOP}" width="${SIZE}" height="${SIZE}" fill="none" stroke="#999"/>
<line x1="${LEFT}" y1="${TOP + SIZE}" x2="${LEFT + SIZE}" y2="${TOP}" stroke="#333" stroke-dasharray="4 3"/>
${marks.join("\n")}
${legend.join("\n")}
<text x="${LEFT + SIZE / 2}" y="${HEIGHT - 22}" text-anchor="middle">observed seconds per step</text>
<text transform="translate(18 ${TOP + SIZE / 2}) rotate(-90)" text-anchor="middle">predicted, the source left out, with 80 % interval</text>
</svg>
`;
}
