import type { Estimate } from "./estimate";

/** `9.2k`, `24`, `0.33`: three significant digits at most, thousands as k, then M, B (as `8B` models and `2.05B` tokens are written) and T. */
export function count(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "unknown";
  const size = Math.abs(value);
  const units: readonly [number, string][] = [
    [1e12, "T"],
    [1e9, "B"],
    [1e6, "M"],
    [1e3, "k"],
  ];
  if (size >= 1e15) return value.toExponential(1).replace("e+", "e");
  for (const [unit, suffix] of units) if (size >= unit) return trim(value / unit) + suffix;
  return trim(value);
}

function trim(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return value
    .toFixed(digits)
    .replace(/\.0+$/, "")
    .replace(/(\.\d*[1-9])0+$/, "$1");
}

/** A share in [0, 1] as percent with at most one decimal. */
export function percent(value: number): string {
  return `${decimal(100 * value, 1)} %`;
}

/** A probability from draws, in percent: never quite 0 or 100, which no number of draws shows. */
export function chance(value: number): string {
  return value > 0.999 ? "> 99.9 %" : value < 0.001 ? "< 0.1 %" : percent(value);
}

/** A fixed number of decimals at most, without trailing zeros and without −0. */
export function decimal(value: number, digits: number): string {
  if (!Number.isFinite(value)) return "unknown";
  const text = value.toFixed(digits);
  const shown = digits > 0 ? text.replace(/\.?0+$/, "") : text;
  return (shown === "-0" ? "0" : shown).replace("-", "−");
}

/** `0.33 [0.29, 0.37]`, each number with `digits` decimals so that the three line up. */
export function interval(value: Estimate, digits = 2): string {
  const fixed = (n: number): string => (Number.isFinite(n) ? n.toFixed(digits).replace("-", "−") : "unknown");
  if (!Number.isFinite(value.low) || !Number.isFinite(value.high)) return fixed(value.estimate);
  return `${fixed(value.estimate)} [${fixed(value.low)}, ${fixed(value.high)}]`;
}

/** `1.7× [1.4, 2.1]`. */
export function times(value: Estimate): string {
  const text = interval(value, 1);
  const at = text.indexOf(" ");
  return at < 0 ? `${text}×` : `${text.slice(0, at)}×${text.slice(at)}`;
}

/** `$893`, `24 GPUh`: an amount of what is spent. */
export function spend(cost: number, unit: string): string {
  return unit === "USD" ? `$${count(cost)}` : `${count(cost)} ${unit}`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function list(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}

/** `tasks` → `Tasks`. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
