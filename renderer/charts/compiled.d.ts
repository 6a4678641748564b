/** Made by `scripts/charts.mjs` when the bundle is built. */
declare module "charts:compiled" {
  /** Every expression of every chart. */
  export const functions: readonly ((...args: unknown[]) => unknown)[];
  /** Deflated JSON in base64: template id → Vega dataflow, its expressions as indices of `functions`. */
  export const packed: string;
  /** Names of the expression functions that the charts call. */
  export const helpers: readonly string[];
  /** The dataflow operators that the charts use, by name. */
  export const transforms: Readonly<Record<string, unknown>>;
}
