/** A number with its 95 % interval. The unit is the field's own, stated where the field is declared. */
export interface Estimate {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}
