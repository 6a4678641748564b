import { describe, expect, it } from "vitest";
import type { FigurePayload } from "../../server/report/figures";
import { threadedPictures, type PictureAnswer, type PictureThread } from "../../server/report/print/threadedPictures";

const payload = { template: "split" } as unknown as FigurePayload;

function threads(answer: (message: { id: number; kind: string }) => PictureAnswer | "die") {
  let started = 0;
  const busy: boolean[] = [];
  const start = (): PictureThread => {
    started++;
    let listener: (message: PictureAnswer) => void = () => undefined;
    let end: (reason: string) => void = () => undefined;
    return {
      post: (message) =>
        queueMicrotask(() => {
          const reply = answer(message as { id: number; kind: string });
          if (reply === "die") end("it died");
          else listener(reply);
        }),
      onMessage: (given) => {
        listener = given;
      },
      onEnd: (given) => {
        end = given;
      },
      busy: (value) => busy.push(value),
    };
  };
  return { start, busy, started: () => started };
}

const assets = () => Promise.resolve({ wasm: new Uint8Array(), fonts: [] });

describe("pictures in a thread", () => {
  it("share one thread, which is idle between them", async () => {
    const made = threads(({ id }) => ({ id, value: new Uint8Array([id]) }));
    const pictures = threadedPictures(made.start, assets, () => undefined);
    expect(made.started()).toBe(0);
    expect(await Promise.all([pictures.png(payload), pictures.png(payload)])).toEqual([
      new Uint8Array([1]),
      new Uint8Array([2]),
    ]);
    expect(made.started()).toBe(1);
    expect(made.busy[made.busy.length - 1]).toBe(false);
  });

  it("that fail are missing pictures with a line in the log; a dead thread is started anew", async () => {
    const said: string[] = [];
    let calls = 0;
    const made = threads(({ id }) =>
      ++calls === 1 ? { id, error: "no font" } : calls === 2 ? "die" : { id, value: new Uint8Array([9]) },
    );
    const pictures = threadedPictures(made.start, assets, (message) => said.push(message));
    expect(await pictures.png(payload)).toBeNull();
    expect(await pictures.png(payload)).toBeNull();
    expect(await pictures.png(payload)).toEqual(new Uint8Array([9]));
    expect(said).toEqual(["No picture of split: no font", "No picture of split: it died"]);
    expect(made.started()).toBe(2);
  });

  it("need no assets for Vega-Lite, and none at all is no failure", async () => {
    const made = threads(({ id, kind }) => ({ id, value: kind === "vega-lite" ? { spec: 1 } : null }));
    const pictures = threadedPictures(
      made.start,
      () => Promise.reject(new Error("no assets")),
      () => undefined,
    );
    expect(await pictures.vegaLite(payload)).toEqual({ spec: 1 });
    expect(await pictures.png(payload)).toBeNull();
  });
});
