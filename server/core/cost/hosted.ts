import { TARIFFS, type Tariff } from "./tariffs";

/** USD per million tokens, and where they are from. */
export interface TokenPrices {
  readonly prefill: number;
  readonly sample: number;
  readonly train: number;
  readonly source: string;
}

/** What a hosted training bills for. */
export interface HostedTokens {
  readonly prefill: number;
  readonly sampled: number;
  readonly trained: number;
}

/** A price per million tokens that somebody states. Null: not stated. */
export interface StatedPrices {
  readonly model: string;
  readonly provider: string | null;
  readonly prefill: number | null;
  readonly sample: number | null;
  readonly train: number | null;
}

/** `meta-llama/Llama-3.1-8B-Instruct` and `Llama-3.1-8B` are one model to a tariff. */
function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/\s*\(.*\)$/, "")
    .replace(/[-_](instruct|base|chat|it)(?=$|[-_])/g, "")
    .replace(/[-_ ]\d{4}$/, "")
    .replace(/[-_ ]+/g, "-");
}

function ofProvider(one: string, asked: string): boolean {
  return one.toLowerCase().includes(asked.toLowerCase());
}

/**
 * The prices that hold for a model at a provider: those stated win over those that ship, of which the latest with a price for
 * training counts. Null where no tariff is known.
 */
export function tokenPrices(provider: string, model: string, stated: readonly StatedPrices[]): TokenPrices | null {
  const own = [...stated]
    .reverse()
    .find((one) => plain(one.model) === plain(model) && (one.provider === null || ofProvider(one.provider, provider)));
  const shipped = shippedTariff(provider, model);
  const part = (key: "prefill" | "sample" | "train"): number | null => own?.[key] ?? shipped?.[key] ?? null;
  const [prefill, sample, train] = [part("prefill"), part("sample"), part("train")];
  if (prefill === null || sample === null || train === null) return null;
  const source = own ? "scaling.yaml" : `${shipped?.provider ?? ""} as of ${shipped?.asOf || "an undated page"}`;
  return { prefill, sample, train, source };
}

function shippedTariff(provider: string, model: string): Tariff | null {
  const found = TARIFFS.filter((one) => ofProvider(one.provider, provider) && plain(one.model) === plain(model));
  const whole = found.filter(({ train }) => train !== null);
  return [...whole].sort((a, b) => b.asOf.localeCompare(a.asOf))[0] ?? null;
}

/** USD of a run by its tokens. */
export function hostedUsd(tokens: HostedTokens, prices: TokenPrices): number {
  return (tokens.prefill * prices.prefill + tokens.sampled * prices.sample + tokens.trained * prices.train) / 1e6;
}
