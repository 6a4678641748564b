import {
  FIGURE_FORMAT,
  PAYLOAD_VERSION,
  type FigureAction,
  type FigurePayload,
  type FigureValue,
} from "../server/core/figures/payload";

/** What could be read of an output: a figure, or a sentence about why there is none. The words are always plain text. */
export interface Reading {
  readonly payload: FigurePayload | null;
  /** Shown where nothing can be drawn. */
  readonly sentence: string;
  /** Why nothing can be drawn; null when it can. */
  readonly problem: string | null;
  /** Data to show as a table, whatever its template. */
  readonly data: Readonly<Record<string, string>>;
}

const LONGEST_TEXT = 4000;
const LONGEST_DATA = 8_000_000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === "string" ? value.slice(0, LONGEST_TEXT) : "");

/** Reads whatever stands in a notebook file. Never throws: a file may be truncated, newer than this build, or hostile. */
export function readPayload(source: string): Reading {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return {
      payload: null,
      sentence: "",
      problem: "The figure's data are cut off or damaged. Run the cell again.",
      data: {},
    };
  }
  if (!isObject(value))
    return { payload: null, sentence: "", problem: "This output holds no figure. Run the cell again.", data: {} };
  const sentence = text(value.text);
  const data = strings(value.data);
  const refuse = (problem: string): Reading => ({ payload: null, sentence, problem, data });
  if (value.format !== FIGURE_FORMAT) return refuse("This output is not a Scaling Lens figure.");
  if (
    typeof value.version !== "number" ||
    typeof value.template !== "string" ||
    typeof value.templateVersion !== "number"
  ) {
    return refuse("The figure's data are incomplete. Run the cell again.");
  }
  if (value.version > PAYLOAD_VERSION)
    return refuse("This figure was made by a newer version of Scaling Lens. Update the extension to draw it.");
  return {
    payload: {
      format: FIGURE_FORMAT,
      version: value.version,
      template: value.template,
      templateVersion: value.templateVersion,
      title: text(value.title),
      text: sentence,
      notes: Array.isArray(value.notes) ? value.notes.map(text).filter(Boolean).slice(0, 20) : [],
      simulated: value.simulated === true,
      link: text(value.link),
      data,
      values: values(value.values),
      actions: actions(value.actions),
    },
    sentence,
    problem: null,
    data,
  };
}

function strings(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1].length <= LONGEST_DATA,
    ),
  );
}

function values(value: unknown): Record<string, FigureValue> {
  if (!isObject(value)) return {};
  const plain = (item: unknown): boolean => item === null || ["string", "number", "boolean"].includes(typeof item);
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, FigureValue] => plain(entry[1]) || (Array.isArray(entry[1]) && entry[1].every(plain)),
    ),
  );
}

function actions(value: unknown): FigureAction[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isObject)
    .filter((action) => action.kind === "apply-optimum")
    .map((action) => ({
      kind: "apply-optimum",
      label: text(action.label),
      uri: text(action.uri),
      experiment: text(action.experiment),
    }));
}
