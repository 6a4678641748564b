import type { SplitAxis, SplitInput } from "../../core/allocation/curveTypes";
import { figure, type FigureOptions } from "../../core/figures/rows";
import type { FigurePayload, FigureRow } from "../../core/figures/payload";
import { SPLIT } from "../../core/figures/shapes/split";
import { count, decimal, percent } from "../../core/numbers";

/**
 * Where the money goes now and where it should go, an axis a row, the largest change first. Where one bill pays for everything
 * (rollouts alone), shares say nothing: then each axis stands at its factor of change.
 */
export function split(input: SplitInput, options: FigureOptions): FigurePayload {
  const byShare = input.axes.filter((one) => (one.currentShare ?? 0) > 0 || (one.optimumShare ?? 0) > 0).length > 1;
  const placed = input.axes
    .map((one) => ({ ...one, ...(byShare ? shares(one) : factors(one)) }))
    .sort((a, b) => Math.abs(b.size) - Math.abs(a.size));
  const rows = placed.map((one, place): FigureRow => ({
    kind: "axis",
    axis: one.axis,
    label: move(one),
    place,
    now: one.now,
    best: one.best,
    from_at: one.from,
    to_at: one.to,
    current: one.currentShare,
    optimum: one.optimumShare,
    low: one.shareInterval?.low,
    high: one.shareInterval?.high,
    change: one.pinned ? "held" : one.words,
    from: one.current,
    to: one.optimum,
    held: one.pinned,
  }));
  const { cost, certificate, worth } = input;
  const moves = placed
    .filter((one) => !one.pinned && one.current !== one.optimum)
    .map(
      (one) =>
        `${move(one)}${one.currentShare === undefined || one.optimumShare === undefined ? "" : ` (${percent(one.currentShare)} → ${percent(one.optimumShare)} of spend)`}`,
    );
  const paid = Object.entries(input.paidFor).map(([axis, what]) => `the share of ${axis} is that of ${what}`);
  const places = rows.flatMap((row) =>
    [row.now, row.best, row.from_at, row.to_at].flatMap((value) =>
      typeof value === "number" && Number.isFinite(value) ? [value] : [],
    ),
  );
  return figure(
    SPLIT,
    rows,
    {
      title: `Split of the budget: ${input.experiment}`,
      text: `${input.experiment}: ${worth}. ${moves.length > 0 ? `Largest change first: ${moves.join("; ")}.` : "No axis moves."}`,
      notes: [
        `Hollow: now (${count(cost.current)} ${cost.unit}); filled: optimum (${count(cost.optimum)} ${cost.unit})${rows.some((row) => typeof row.from_at === "number") ? `; bar: 95 % of the ${byShare ? "optimal share" : "optimum"} over the draws` : ""}. ${certificate.kind === "global" ? `Global optimum${certificate.gap === null ? "" : `, gap ${certificate.gap.toExponential(0)}`}.` : "Local optimum: the problem is not known to be convex."}`,
        ...(byShare && paid.length > 0 ? [`${paid.join("; ").replace(/^t/, "T")}.`] : []),
        `Design: ${input.design.replace(/\.$/, "")}.${input.prices.length > 0 ? ` Prices: ${input.prices.join("; ")}.` : ""}`,
        ...placed.flatMap((one) => (one.pinned ? [`Held: ${one.axis} (${one.pinned.replace(/\.$/, "")}).`] : [])),
        ...(input.prior ? ["Every figure rests on the published prior, calibrated by one run."] : []),
      ],
      simulated: input.simulated,
      values: {
        labels: rows.map((row) => String(row.label)),
        scale: byShare ? "share" : "factor",
        domain: domain(byShare, places),
      },
    },
    options,
  );
}

interface Place {
  readonly now: number | null;
  readonly best: number | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly size: number;
  readonly words: string;
}

function shares({ currentShare, optimumShare, shareInterval }: SplitAxis): Place {
  const size = 100 * ((optimumShare ?? 0) - (currentShare ?? 0));
  return {
    now: currentShare ?? null,
    best: optimumShare ?? null,
    from: shareInterval?.low ?? null,
    to: shareInterval?.high ?? null,
    size,
    words: optimumShare === undefined ? "costs nothing of its own" : signed(size),
  };
}

/** Places in doublings: 0 where nothing changes, 1 at twice as much. */
function factors({ current, optimum, amountInterval }: SplitAxis): Place {
  const doublings = (value: number): number => Math.log2(value / current);
  const size = doublings(optimum);
  return {
    now: 0,
    best: size,
    from: amountInterval ? doublings(amountInterval.low) : null,
    to: amountInterval ? doublings(amountInterval.high) : null,
    size,
    words: Math.abs(size) < 0.005 ? "×1" : `×${decimal(optimum / current, optimum > current ? 1 : 2)}`,
  };
}

function domain(byShare: boolean, places: readonly number[]): [number, number] {
  const high = Math.max(...places, byShare ? 0.1 : 1);
  return byShare ? [0, Math.min(1, high * 1.15)] : [Math.min(...places, -1) * 1.1, high * 1.1];
}

/** `environments 24 → 61`, or the amount alone where it stays. */
function move({ axis, current, optimum }: SplitAxis): string {
  const [from, to] = [count(current), count(optimum)];
  return from === to ? `${axis} ${from}` : `${axis} ${from} → ${to}`;
}

function signed(points: number): string {
  const words = decimal(Math.abs(points), 1);
  return words === "0" ? "±0 points" : `${points > 0 ? "+" : "−"}${words} points`;
}
