import { describe, expect, it } from "vitest";
import { openBytes } from "../../server/records/bytes";
import { maskedCrc32c } from "../../server/sources/files/readers/parts/checksums";
import { readRuns } from "../../server/sources/read";
import { memoryHost } from "./memoryHost";

/** A Zstandard frame of one raw block, which asks for a window of 2 MB as a packer does that does not know what will come. */
function frame(content: Uint8Array): Uint8Array {
  const header = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 0, 0, 0);
  new DataView(header.buffer).setUint16(6, (content.length << 3) | 1, true);
  return Uint8Array.from([...header, ...content]);
}

function event(length: number, content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + length + 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length, true);
  view.setUint32(8, maskedCrc32c(bytes, 0, 8), true);
  bytes.set(content, 12);
  view.setUint32(12 + length, maskedCrc32c(bytes, 12, 12 + length), true);
  return bytes;
}

/** `Event { step, summary { value { tag, simple_value } } }` */
function scalar(step: number, tag: string, value: number): Uint8Array {
  const name = new TextEncoder().encode(tag);
  const part = new Uint8Array(2 + name.length + 5);
  part.set([10, name.length, ...name, 21]);
  new DataView(part.buffer).setFloat32(part.length - 4, value, true);
  const content = Uint8Array.from([16, step, 42, part.length + 2, 10, part.length, ...part]);
  return event(content.length, content);
}

describe("files that hold less, or more, than they seem to", () => {
  it("Zstandard: a frame for each of five thousand lines, read whole", async () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `{"step": ${i + 1}, "success_rate": 0.5}\n`);
    const encoder = new TextEncoder();
    const host = memoryHost({
      "a.jsonl.zst": Buffer.concat(lines.map((line) => frame(encoder.encode(line)))),
    });
    let text = "";
    const decoder = new TextDecoder();
    for await (const piece of openBytes(host, host.uri("a.jsonl.zst"))) text += decoder.decode(piece, { stream: true });
    expect(text).toBe(lines.join(""));
  });

  it("TensorBoard: a picture of twenty megabytes among the scalars is passed over, and said", async () => {
    const scalars = [1, 2, 3].map((step) => scalar(step, "eval/success_rate", 0.25));
    const host = memoryHost({
      "r/events.out.tfevents.1.x": Buffer.concat([scalars[0], event(20e6, Uint8Array.of(255)), scalars[1], scalars[2]]),
    });
    const { rows, notes } = await readRuns(host, [host.uri("r")]);
    expect(rows).toMatchObject([{ outcome: { kind: "rate", rate: 0.25 } }]);
    expect(notes.map(({ code }) => code)).toContain("log.large-event");
  });

  it("zero bytes without end are left at once, and said", async () => {
    const host = memoryHost({ "r/metrics.jsonl": '{"step": 1, "success_rate": 0.25}\n' });
    const { uri } = host;
    let pieces = 0;
    const nothing = new Uint8Array(1024 * 1024);
    const endless = {
      ...host,
      async *readChunks(at: string, size = 65_536) {
        yield* host.readChunks(at, size);
        for (; pieces < 10_000; pieces++) yield nothing;
      },
    };
    const { rows, notes } = await readRuns(endless, [uri("r")]);
    expect(rows).toHaveLength(1);
    expect(notes.map(({ code }) => code)).toContain("log.zeros");
    expect(pieces).toBeLessThan(200);
  });
});
