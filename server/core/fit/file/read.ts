import { ok, refused, type Result } from "../../result";
import type { PackedDraws } from "../../numerics/packed";
import { FIT_FORMAT, FIT_VERSION, type FitFile } from "./file";
import { openFit } from "./open";

/** Refits of one law, parameters of one law, laws of one mixture, settings, and draws of them all. */
const MOST_DRAWS = 100_000;
const MOST_PARAMETERS = 200;
const MOST_RIVALS = 100;
const MOST_SETTINGS = 2_000;
const MOST_DRAWS_IN_ALL = 400_000;

type Check = (value: unknown) => boolean;

const text: Check = (v) => typeof v === "string";
const number: Check = (v) => typeof v === "number" && Number.isFinite(v);
const flag: Check = (v) => typeof v === "boolean";
const maybe =
  (check: Check): Check =>
  (v) =>
    v === null || check(v);
const optional =
  (check: Check): Check =>
  (v) =>
    v === undefined || check(v);
const list =
  (check: Check): Check =>
  (v) =>
    Array.isArray(v) && v.every(check);
export const isRecord = (v: unknown): v is Record<string, unknown> =>
  typeof v === "object" && v !== null && !Array.isArray(v);
const map =
  (check: Check): Check =>
  (v) =>
    isRecord(v) && Object.values(v).every(check);
const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (v) =>
    isRecord(v) && Object.entries(fields).every(([name, check]) => check(v[name]));
const oneOf =
  (...words: readonly string[]): Check =>
  (v) =>
    typeof v === "string" && words.includes(v);

const estimate = shape({ estimate: maybe(number), low: maybe(number), high: maybe(number) });
const exponent = shape({
  estimate: maybe(number),
  low: maybe(number),
  high: maybe(number),
  status: oneOf("fitted", "prior", "refused"),
  reason: optional(text),
  noEffect: optional(number),
});
const problem = shape({ code: text, message: text });
const range = shape({ min: number, max: number, centre: (v) => number(v) && (v as number) > 0, levels: number });
const stuck = shape({
  axis: text,
  level: number,
  code: text,
  reason: text,
  with: optional(list(text)),
  ray: optional(number),
});
const fields = shape({
  kind: oneOf("bootstrap", "posterior"),
  count: (v) => Number.isInteger(v) && (v as number) >= 0 && (v as number) <= MOST_DRAWS,
  parameters: (v) => Array.isArray(v) && v.length <= MOST_PARAMETERS && v.every(text),
  data: text,
});
/** The text must be as long as the counts promise (four bytes a number, in base64) before anything is made of it. */
const draws: Check = (v) => {
  if (!fields(v)) return false;
  const { count, parameters, data } = v as PackedDraws;
  return data.length === 4 * Math.ceil((count * parameters.length * 4) / 3) && (count === 0 || parameters.length > 0);
};
const custom = shape({ expression: text, parameters: map(shape({ low: number, high: number })) });
const ordering = shape({ axes: list(text), probability: maybe(number), at: optional(map(number)) });
const model = {
  law: text,
  variant: maybe(text),
  axes: list(text),
  scaleTop: number,
  theta: list(number),
  draws,
  ranges: map(range),
  refused: list(stuck),
  weight: optional(number),
  rivals: list(shape({ law: text, variant: maybe(text), weight: number, theta: optional(list(number)), draws })),
  misfit: optional(number),
  discrepancy: optional(shape({ inside: number, beyond: number })),
  custom: optional(custom),
};
const setting = shape({
  setting: text,
  rows: number,
  exponents: map(exponent),
  floor: estimate,
  dispersion: maybe(number),
  refused: optional(problem),
  model: optional(shape(model)),
});

const run = shape({
  id: text,
  axes: map(number),
  setting: text,
  heldOut: flag,
  seed: optional(text),
  simulated: optional(flag),
  rate: optional(number),
  low: optional(number),
  high: optional(number),
  trials: optional(number),
  loss: optional(number),
  synthesis: optional(map(shape({ real: number, synthetic: number, method: text }))),
});

const synthesis = shape({
  discount: estimate,
  criticalRatio: shape({
    estimate: maybe(number),
    low: maybe(number),
    high: maybe(number),
    shape: oneOf("cap", "broken", "peak", "saturating"),
    source: text,
    reason: optional(text),
  }),
  shapeParameter: maybe(number),
  shapes: list(shape({ shape: text, aicc: maybe(number) })),
  evidence: list(shape({ id: text, ratio: number, discount: maybe(number) })),
});

/** Every field that anything reads from a fit, with its check; the names lead error messages. */
const FIELDS: Readonly<Record<string, Check>> = {
  ...model,
  link: oneOf("identity", "log"),
  rows: number,
  settings: list(setting),
  parameters: map(shape({ estimate: number, low: number, high: number, atBound: flag })),
  exponents: map(exponent),
  floor: estimate,
  objective: number,
  starts: shape({ count: number, withinOnePercent: number }),
  selection: list(
    shape({
      law: text,
      variant: optional(text),
      parameters: number,
      weight: optional(number),
      aicc: maybe(number),
      heldOutRmse: maybe(number),
      aiccReason: optional(text),
      heldOutReason: optional(text),
    }),
  ),
  ordering,
  synthesis: map(map(synthesis)),
  warnings: list(problem),
  provenance: isRecord,
  dispersion: number,
  loss: shape({
    name: oneOf("binomial", "beta-binomial", "gaussian", "huber", "mse"),
    huberDelta: optional(number),
    rho: optional(number),
  }),
  noise: number,
  seed: number,
  response: oneOf("success", "loss"),
  priorOnly: list(text),
  reference: text,
  summary: list(
    shape({
      axis: text,
      settings: number,
      mean: estimate,
      prediction: shape({ low: number, high: number }),
      tau: number,
      heterogeneity: number,
    }),
  ),
  pairs: list(shape({ larger: text, smaller: text, probability: number })),
  worldsAndStructures: maybe(shape({ exponents: map(exponent), ordering })),
  simulated: flag,
  runs: list(run),
};

function drawsIn(fit: FitFile): number {
  const of = ({ draws: own, rivals }: Pick<FitFile, "draws" | "rivals">) =>
    rivals.reduce((sum, rival) => sum + rival.draws.count, own.count);
  return fit.settings.reduce((sum, { model: own }) => sum + (own ? of(own) : 0), of(fit));
}

/**
 * Reads a `*.fit.json` that may come from anywhere: every field is checked, and the law is opened once.
 * Codes: `fit.not-a-fit`, `fit.version`, `fit.damaged` and those of `openFit`.
 */
export function readFit(json: unknown): Result<FitFile> {
  if (!isRecord(json) || json["format"] !== FIT_FORMAT)
    return refused("fit.not-a-fit", "This is not a Scaling Lens fit.");
  if (json["version"] !== FIT_VERSION)
    return refused(
      "fit.version",
      `The fit is of version ${String(json["version"])}; this reads version ${FIT_VERSION}.`,
    );
  for (const [name, check] of Object.entries(FIELDS)) {
    if (!check(json[name]))
      return refused("fit.damaged", `The fit's "${name}" is missing or is not what it should be.`);
  }
  const fit = json as unknown as FitFile;
  const unknown = fit.axes.find((axis) => !Object.hasOwn(fit.ranges, axis));
  if (unknown !== undefined) return refused("fit.damaged", `The fit has no range for its axis ${unknown}.`);
  if (fit.rivals.length > MOST_RIVALS || fit.settings.length > MOST_SETTINGS || drawsIn(fit) > MOST_DRAWS_IN_ALL)
    return refused("fit.damaged", "The fit holds more laws, settings or draws than any fit does.");
  const opened = openFit(fit);
  return opened.ok ? ok(fit) : opened;
}
