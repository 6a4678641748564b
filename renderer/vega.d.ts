/** Packages of Vega that ship without types; `vega-typings` describes them together. */
declare module "vega-view" {
  export { View } from "vega-typings";
}
declare module "vega-dataflow" {
  export const transforms: Record<string, unknown>;
}
