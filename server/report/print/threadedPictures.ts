import type { Pictures } from "./pictures";
import type { FigurePayload } from "../figures";

/** A thread that draws, as far as this side needs it. */
export interface PictureThread {
  post(message: unknown): void;
  onMessage(listener: (message: PictureAnswer) => void): void;
  onEnd(listener: (reason: string) => void): void;
  /** Keeps the process alive while a picture is awaited, where that matters. */
  busy?(busy: boolean): void;
}

export interface PictureAnswer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

export interface PictureAssets {
  readonly wasm: Uint8Array;
  readonly fonts: readonly Uint8Array[];
}

// The regular Latin face first: resvg takes the first face of a family for what it does not find.
export const FONTS = ["latin-400", "latin-600", "greek-400", "greek-600"].map((name) => `inter-${name}.woff2`);

/** Pictures drawn in a thread that the first one starts, and that is started anew after it has died. What fails is a missing picture and a line in the log. */
export function threadedPictures(
  start: () => PictureThread,
  assets: () => Promise<PictureAssets>,
  warn: (message: string) => void,
): Pictures {
  let thread: PictureThread | undefined;
  let read: Promise<PictureAssets> | undefined;
  let counter = 0;
  const waiting = new Map<number, (answer: PictureAnswer) => void>();

  const settle = (answer: PictureAnswer): void => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
    if (waiting.size === 0) thread?.busy?.(false);
  };
  const started = (): PictureThread => {
    const made = start();
    made.onMessage(settle);
    made.onEnd((reason) => {
      if (thread === made) thread = undefined;
      for (const id of [...waiting.keys()]) settle({ id, error: reason });
    });
    return made;
  };
  const ask = async (kind: "png" | "vega-lite", payload: FigurePayload): Promise<unknown> => {
    read ??= assets();
    const needed = kind === "png" ? await read : undefined;
    const { value, error } = await new Promise<PictureAnswer>((resolve) => {
      const id = ++counter;
      waiting.set(id, resolve);
      thread ??= started();
      thread.busy?.(true);
      thread.post({ id, kind, payload, assets: needed });
    });
    if (error !== undefined) throw new Error(error);
    return value ?? null;
  };
  const orNull =
    (payload: FigurePayload) =>
    (error: unknown): null => {
      warn(`No picture of ${payload.template}: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    };
  return {
    png: async (payload) => {
      const value = await ask("png", payload).catch(orNull(payload));
      return value instanceof Uint8Array ? value : null;
    },
    vegaLite: (payload) => ask("vega-lite", payload).catch(orNull(payload)),
  };
}
