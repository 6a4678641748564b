import { toCsv } from "./csv";
import { FIGURE_FORMAT, PAYLOAD_VERSION, type FigureAction, type FigurePayload, type FigureRow, type FigureShape } from "./payload";

/** What figures of one cell have in common. */
export interface FigureOptions {
  /** The same for all figures of one fit. */
  readonly link: string;
  /** Files of each run by its id, relative to the notebook; absent where they are not known. */
  readonly files?: Readonly<Record<string, readonly string[]>>;
  readonly actions?: readonly FigureAction[];
}

type Words = Pick<FigurePayload, "title" | "text" | "notes" | "simulated" | "values">;

/** Puts a payload together. */
export function figure(shape: FigureShape, rows: readonly FigureRow[], words: Words, { link, actions }: FigureOptions): FigurePayload {
  return {
    format: FIGURE_FORMAT, version: PAYLOAD_VERSION, template: shape.template, templateVersion: shape.templateVersion,
    ...words, link, data: { rows: toCsv(shape.columns, rows) }, ...(actions && actions.length > 0 ? { actions } : {}),
  };
}
