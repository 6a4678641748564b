import type { AxisName } from "../axes";
import type { Estimate } from "../estimate";
import { figure, type FigureOptions } from "./figure";
import type { FigurePayload, FigureRow } from "./payload";
import { SPLIT } from "./shapes/split";
import { amount, count, decimal, interval, percent, times } from "./words";

export interface SplitAxis {
  readonly axis: AxisName;
  /** Amounts in units of the axis. */
  readonly current: number;
  readonly optimum: number;
  /** Shares of spend in [0, 1]; absent where the axis costs nothing. */
  readonly currentShare?: number;
  readonly optimumShare?: number;
  /** 95 % of the optimal share over the draws. */
  readonly shareInterval?: { readonly low: number; readonly high: number };
  /** Why the axis does not move. */
  readonly pinned?: string;
}

export interface SplitInput {
  readonly experiment: string;
  readonly axes: readonly SplitAxis[];
  /** Points of success that the optimum gains. */
  readonly gain: Estimate & { readonly withinNoise: boolean };
  readonly multiplier: Estimate;
  readonly cost: { readonly current: number; readonly optimum: number; readonly unit: string };
  readonly prices: readonly string[];
  readonly design: string;
  readonly certificate: { readonly kind: "global" | "local"; readonly gap: number | null };
  readonly simulated: boolean;
  /** True where the law is the published prior, calibrated by one run. */
  readonly prior: boolean;
}

/** Where the money goes now and where it should go, an axis a row, the largest change first. */
export function split(input: SplitInput, options: FigureOptions): FigurePayload {
  const changes = input.axes.map((one) => ({ ...one, change: 100 * ((one.optimumShare ?? 0) - (one.currentShare ?? 0)) }))
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  const rows = changes.map((one, place): FigureRow => ({
    kind: "axis", axis: one.axis, label: move(one), place, current: one.currentShare ?? null, optimum: one.optimumShare ?? null,
    low: one.shareInterval?.low, high: one.shareInterval?.high, change: one.change,
    words: one.pinned ? "held" : one.optimumShare === undefined ? "costs nothing" : signed(one.change), from: one.current, to: one.optimum, held: one.pinned,
  }));
  const { gain, multiplier, cost } = input;
  const worth = gain.withinNoise ? "within noise of the optimum" : `${interval(gain, 1)} points below the optimum (${times(multiplier)} compute)`;
  const moves = changes.filter((one) => !one.pinned && one.optimumShare !== undefined)
    .map((one) => `${move(one)} (${percent(one.currentShare ?? 0)} → ${percent(one.optimumShare ?? 0)} of spend)`);
  return figure(SPLIT, rows, {
    title: `Split of the budget: ${input.experiment}`,
    text: `${input.experiment} is ${worth}. ${moves.length > 0 ? `Largest change first: ${moves.join("; ")}.` : "No axis can move."}`,
    notes: [
      `Hollow: now (${count(cost.current)} ${cost.unit}); filled: optimum (${count(cost.optimum)} ${cost.unit})${rows.some((row) => typeof row.low === "number") ? "; line: 95 % of the optimal share over the draws" : ""}. ${input.certificate.kind === "global" ? `Global optimum${input.certificate.gap === null ? "" : `, gap ${input.certificate.gap.toExponential(0)}`}.` : "Local optimum: the problem is not convex."}`,
      `${input.design}. ${input.prices.length > 0 ? `Prices: ${input.prices.join("; ")}.` : ""}`.trim(),
      ...changes.flatMap((one) => (one.pinned ? [`Held: ${one.axis} (${one.pinned.replace(/\.$/, "")}).`] : [])),
      ...(input.prior ? ["Every figure rests on the published prior, calibrated by one run."] : []),
    ],
    simulated: input.simulated,
    values: { labels: rows.map((row) => String(row.label)), most: Math.min(1, Math.max(0.1, ...rows.flatMap((row) => [Number(row.current ?? 0), Number(row.optimum ?? 0), Number(row.high ?? 0)])) * 1.25) },
  }, options);
}

/** `environments 24 → 61`, or the amount alone where it stays. */
function move({ axis, current, optimum }: SplitAxis): string {
  const [from, to] = [amount(axis, current), amount(axis, optimum)];
  return from === to ? `${axis} ${from}` : `${axis} ${from} → ${to}`;
}

function signed(points: number): string {
  const words = decimal(Math.abs(points), 1);
  return words === "0" ? "±0 pp" : `${points > 0 ? "+" : "−"}${words} pp`;
}
