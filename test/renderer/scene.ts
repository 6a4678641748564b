import type { FigurePayload } from "../../server/report/figures";
import { figureOf, prepare } from "../../renderer/figure";
import type { ChartView } from "../../renderer/dataflow";
import { panelsOf, type DrawnPanel } from "../../renderer/zoom";

export interface Mark {
  readonly x: number;
  readonly y: number;
  readonly x2?: number;
  readonly y2?: number;
  readonly width?: number;
  readonly text?: string;
  readonly fill?: string;
  readonly stroke?: string;
  readonly strokeDash?: readonly number[];
  readonly datum: Readonly<Record<string, unknown>>;
}

interface SceneNode {
  readonly name?: string;
  readonly marktype?: string;
  readonly role?: string;
  readonly items?: readonly SceneNode[];
}

/** A figure that has been drawn, to be read back. */
export interface Scene {
  readonly view: ChartView;
  /** Items of every data mark of a type (`symbol`, `line`, `area`, `rule`, `text`, `rect`). */
  marks(type: string): readonly Mark[];
  /** The value behind a pixel of a scale. */
  value(scale: string, pixel: number): number;
  /** The panels in which a drag looks closer. */
  readonly panels: readonly DrawnPanel[];
}

export async function sceneOf(
  payload: FigurePayload,
  extra: Readonly<Record<string, unknown>> = {},
  width = 760,
): Promise<Scene> {
  const figure = figureOf(payload);
  if (!figure) throw new Error("No such chart.");
  const view = await prepare(figure, width, extra);
  await view.runAsync();
  return {
    view,
    marks(type) {
      const found: Mark[] = [];
      const visit = (node: SceneNode): void => {
        if (node.marktype === type && node.role === "mark") found.push(...(node.items as unknown as readonly Mark[]));
        else node.items?.forEach(visit);
      };
      visit((view.scenegraph() as unknown as { root: SceneNode }).root);
      return found;
    },
    panels: panelsOf(view, figure.template.zoom ?? []),
    value: (scale, pixel) => (view.scale(scale) as unknown as { invert(pixel: number): number }).invert(pixel),
  };
}
