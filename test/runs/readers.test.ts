import { describe, expect, it } from "vitest";
import { parseJson, toNumber } from "../../server/records/json";
import { readLines } from "../../server/records/lines";
import { crc32, crc32c, maskedCrc32c } from "../../server/sources/files/readers/parts/checksums";
import { consoleRow, scalarOf, withoutColours } from "../../server/sources/files/readers/parts/consoleText";
import { type Field, walkFields } from "../../server/sources/files/readers/parts/protobuf";
import { mergeRestarts, startsOver } from "../../server/runs/series";
import { familyOf, settingOf } from "../../server/runs/setting";
import { cpuTime } from "../cpu";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("checksums", () => {
  it("have the published check values", () => {
    expect(crc32(bytes("123456789"))).toBe(0xcbf43926);
    expect(crc32c(bytes("123456789"))).toBe(0xe3069283);
    // RFC 3720, B.4: 32 bytes of zeros.
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    const crc = 0x8a9136aa;
    expect(maskedCrc32c(new Uint8Array(32), 0, 32)).toBe((((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0);
  });
});

describe("protocol buffers", () => {
  const fieldsOf = (...data: number[]) => {
    const found: Field[] = [];
    const whole = walkFields(Uint8Array.from(data), 0, data.length, (field) => found.push(field));
    return { whole, found };
  };

  it("reads varints, a negative int64 among them", () => {
    expect(fieldsOf(0x08, 0x96, 0x01).found[0]).toMatchObject({ number: 1, value: 150 });
    expect(fieldsOf(0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01).found[0]).toMatchObject({
      number: 2,
      value: -1,
    });
  });

  it("says when bytes are no message, or end within one", () => {
    expect(fieldsOf(0x08).whole).toBe(false);
    expect(fieldsOf(0x12, 0x05, 0x01).whole).toBe(false);
    expect(fieldsOf(0x0b).whole).toBe(false);
    expect(fieldsOf(0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80).whole).toBe(false);
  });
});

describe("console text", () => {
  it.each([
    ["0.818", 0.818],
    ["np.float64(0.1)", 0.1],
    ["np.int64(3)", 3],
    ["tensor(0.5, device='cuda:0')", 0.5],
    ["1e-06", 1e-6],
    ["nan", NaN],
    ["-inf", -Infinity],
    ["True", 1],
    ["fsdp", undefined],
    ["", undefined],
  ])("reads %s", (text, value) => {
    expect(scalarOf(text)).toBe(value);
  });

  it("finds a step behind Ray's prefix, a progress bar and colours", () => {
    const line =
      "\u001b[36m(TaskRunner pid=1)\u001b[0m Training: 10%|█ | step:31 - critic/score/mean:0.5 - a:b/c:np.float64(0.25) [repeated 2x across cluster]";
    expect(consoleRow(line, true)).toEqual({ step: 31, values: { "critic/score/mean": 0.5, "a:b/c": 0.25 } });
    expect(withoutColours("\u001b]8;;x\u0007link\u001b[1;31mred\u001b[0m")).toBe("linkred");
    expect(consoleRow("global step: 31 done", true)).toBeUndefined();
  });

  it("reads dicts and JSON within a line", () => {
    expect(consoleRow('[2026-01-01] metrics: {"step": 2, "val/score/mean": 0.3}', true)?.values).toEqual({
      step: 2,
      "val/score/mean": 0.3,
    });
    expect(consoleRow("{'loss': 0.1, 'reward': np.float64(0.5), 'name': 'x'}", true)?.values).toEqual({
      loss: 0.1,
      reward: 0.5,
    });
  });

  it("is not slowed down by hostile lines", () => {
    const start = cpuTime();
    for (const line of [
      `{${"'a':".repeat(50_000)}`,
      `{"a": 1${"'".repeat(190_000)}}`,
      `{'a': 1, ${"{'".repeat(90_000)}}`,
      `step:1 - ${"- ".repeat(100_000)}`,
      "\u001b[".repeat(100_000),
    ])
      consoleRow(line, true);
    expect(cpuTime() - start).toBeLessThan(5000);
  });
});

describe("numbers and JSON from Python", () => {
  it.each([
    ["1_000", 1000],
    [" 0.5 ", 0.5],
    ["1e5", 1e5],
    ["NaN", NaN],
    ["inf", Infinity],
    ["-Infinity", -Infinity],
    ["1,000", undefined],
    ["0x10", undefined],
    ["1.2.3", undefined],
    [".", undefined],
  ])("%s", (text, value) => {
    expect(toNumber(text)).toBe(value);
  });

  it("accepts bare NaN and Infinity, and leaves texts alone", () => {
    expect(parseJson(`{"a": NaN, "b": [-Infinity, "NaN, \\" Infinity"], "Infinity": 1}`)).toEqual({
      a: NaN,
      b: [-Infinity, `NaN, " Infinity`],
      Infinity: 1,
    });
    expect(parseJson("{NaN}")).toBeUndefined();
    expect(parseJson("NaNcy")).toBeUndefined();
  });
});

describe("lines", () => {
  it("are the same however the bytes are cut", async () => {
    const text = "\uFEFFä\r\n\n€uro\u{1F600}\nlast";
    for (const size of [1, 2, 3, 5, 100]) {
      const found: [string, number, boolean][] = [];
      async function* cut() {
        const all = bytes(text);
        for (let i = 0; i < all.length; i += size) yield all.subarray(i, i + size);
      }
      await readLines(cut(), { line: (...each) => found.push(each) });
      expect(found).toEqual([
        ["ä", 1, true],
        ["", 2, true],
        ["€uro\u{1F600}", 3, true],
        ["last", 4, false],
      ]);
    }
  });
});

describe("restarts", () => {
  it("replace what the abandoned branch had measured from there on", () => {
    const merged = mergeRestarts({
      steps: [1, 2, 3, 4, 3, 4, 4],
      values: [1, 2, 3, 4, 30, 40, 41],
      lines: [1, 2, 3, 4, 5, 6, 7],
    });
    expect(merged).toMatchObject({
      steps: [1, 2, 3, 4],
      values: [1, 2, 30, 41],
      restarts: [{ from: 4, to: 3, line: 5 }],
    });
    expect(startsOver({ steps: [1, 2, 3, 2, 3, 1, 2], values: [], lines: [] })).toEqual([0, 5]);
  });
});

describe("settings", () => {
  it.each([
    ["Qwen/Qwen3-8B-Base", "Qwen3"],
    ["meta-llama/Llama-3.1-70B-Instruct", "Llama-3.1"],
    ["gpt-oss-120b", "gpt-oss"],
    ["mymodel", "mymodel"],
    ["7B", "7B"],
    ["/data/models/Qwen2.5-0.5B/", "Qwen2.5"],
  ])("%s is of the family %s", (model, family) => {
    expect(familyOf(model)).toBe(family);
  });

  it("joins what is known", () => {
    expect(settingOf("Qwen3-8B", undefined, "web")).toBe("Qwen3 · web");
    expect(settingOf(undefined, undefined, undefined)).toBe("");
  });
});
