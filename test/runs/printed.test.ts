import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../server/configs/read";
import { createNodeHost, toUri } from "../../server/node/host";
import { readRuns } from "../../server/sources/read";
import { PrintedBlocks, unprefixed } from "../../server/sources/files/readers/parts/printedBlocks";
import { printedRow } from "../../server/sources/files/readers/parts/printedRow";
import { pythonValue } from "../../server/sources/files/readers/parts/pythonValue";
import { memoryHost } from "./memoryHost";
import { cpuTime } from "../cpu";

const ROOT = join(__dirname, "../fixtures/runs");
const printed = JSON.parse(readFileSync(join(ROOT, "printed.json"), "utf8")) as {
  value: unknown;
  shown: string;
  inText: string;
}[];

describe("values as Python prints them", () => {
  it(`are what they were (${printed.length} of pprint's)`, () => {
    for (const { value, shown, inText } of printed) {
      expect(pythonValue(shown), shown).toEqual({ value, end: shown.length });
      const said = pythonValue(inText)?.value as string;
      expect(said.slice(0, 9), inText).toBe("Metrics: ");
      expect(pythonValue(said, 9)?.value, inText).toEqual([value]);
    }
  });

  it.each<[string, unknown]>([
    ["{'a': np.float64(0.5), 'b': tensor(0.25, device='cuda:0'), 'c': np.int32(-3)}", { a: 0.5, b: 0.25, c: -3 }],
    ["{'a': nan, 'b': -inf, 'c': float('nan')}", { a: NaN, b: -Infinity, c: "nan" }],
    [
      "{'path': PosixPath('/a b'), 'role': <Role.Actor: 1>, 'of': <class 'float'>}",
      { path: "/a b", role: null, of: null },
    ],
    ["OrderedDict({'a': 1})", { a: 1 }],
    ["defaultdict(<class 'list'>, {'a': [1, 2]})", { a: [1, 2] }],
    ["(1,)", [1]],
    ["()", []],
    ["{1, 2}", [1, 2]],
    ["{1: 'x', (1, 2): 'y'}", { "1": "x", "[1,2]": "y" }],
    ["array([0.5, 1. ], dtype=float32)", [0.5, 1]],
    ["b'x' 'y'", "xy"],
    [`{"a": true, "b": null}`, { a: true, b: null }],
    ["1_000", 1000],
    ["r'\\n'", "\\n"],
  ])("%s", (text, value) => {
    expect(pythonValue(text)).toEqual({ value, end: text.length });
  });

  it.each([
    "",
    "{",
    "{'a'",
    "{'a': ",
    "{'a': 1",
    "'abc",
    "(",
    "[1, 2",
    "{'a' 1}",
    "{,}",
    "<class",
    "f(",
    "{'a': 1 'b': 2}",
    "]",
    "[".repeat(10_000),
    "{'a':".repeat(10_000),
    "(".repeat(10_000),
    "f(".repeat(10_000),
  ])("nothing in %j", (text) => {
    expect(pythonValue(text)).toBeUndefined();
  });

  it("cannot reach a prototype, and text of any kind neither throws nor hangs", () => {
    expect(Object.getPrototypeOf(pythonValue("{'__proto__': {'x': 1}}")?.value)).toBe(Object.prototype);
    const start = cpuTime();
    const pieces = fc
      .array(
        fc.constantFrom(
          "{",
          "}",
          "[",
          "]",
          "(",
          ")",
          "'",
          '"',
          ":",
          ",",
          " ",
          "\n",
          "\\",
          "<",
          ">",
          "a",
          "np.float64(",
          "1",
          "-",
          "e",
          ".",
          "nan",
          "u'",
          "x=",
          "€",
        ),
        { maxLength: 60 },
      )
      .map((all) => all.join(""));
    fc.assert(
      fc.property(pieces, (text) => {
        printedRow({ lead: "", text });
      }),
      { numRuns: 3000 },
    );
    for (const text of [
      `{${"'a': 1, ".repeat(50_000)}`,
      `${"'a' ".repeat(100_000)}`,
      `{'a': "${"\\".repeat(200_001)}`,
      `${"<".repeat(200_000)}`,
      `{${" ".repeat(200_000)}`,
    ])
      printedRow({ lead: "", text });
    expect(cpuTime() - start).toBeLessThan(10_000);
  });
});

describe("blocks over several lines", () => {
  const blocksOf = (lines: readonly string[]) => {
    const blocks = new PrintedBlocks();
    const found: string[] = [];
    const others: string[] = [];
    for (const [at, line] of lines.entries()) {
      const { writer, text } = unprefixed(line);
      const block = blocks.take(writer, text, at + 1);
      if (block === undefined) others.push(line);
      else if (block !== true) found.push(`${block.line}: ${block.text.replaceAll("\n", "⏎")}`);
    }
    return { found, others, unfinished: blocks.unfinished.map(({ line }) => line) };
  };

  it("are put together for each writer by itself, whatever stands between", () => {
    expect(
      blocksOf([
        "(A pid=1) {'a': 1,",
        "(B pid=2, ip=10.0.0.1) {'x': [1,",
        "(A pid=1)  'b': '}',",
        "12:00 INFO something else",
        "(B pid=2, ip=10.0.0.1)        2],",
        "  7%|▋ | 3/40 [00:01<00:10]",
        " step:3 - a:1",
        "(A pid=1)  'c': 2} [repeated 2x across cluster]",
        "(B pid=2, ip=10.0.0.1)  'y': 2}",
        "{",
        '  "z": 1',
        "}",
        "plain {'one': 1}",
      ]),
    ).toEqual({
      found: ["1: {'a': 1,⏎ 'b': '}',⏎ 'c': 2}", "2: {'x': [1,⏎       2],⏎ 'y': 2}", '10: {⏎  "z": 1⏎}'],
      others: ["12:00 INFO something else", "  7%|▋ | 3/40 [00:01<00:10]", " step:3 - a:1", "plain {'one': 1}"],
      unfinished: [],
    });
  });

  it("that never end are given up, and cost no line of others", () => {
    const rows = Array.from({ length: 500 }, (_, i) => `step:${i} - a:1`);
    expect(blocksOf(["model says {'name': 'f', 'arguments':", ...rows])).toEqual({
      found: [],
      others: rows,
      unfinished: [],
    });
    expect(blocksOf(["{'a': 1,", " 'b': 2,"]).unfinished).toEqual([1]);
    expect(
      blocksOf(["{'a': [", ...Array.from({ length: 6000 }, () => ` ${"1, ".repeat(40)}`), "step:1 - a:1"]).others.at(
        -1,
      ),
    ).toBe("step:1 - a:1");
  });
});

describe("consoles with printed dicts", () => {
  const read = async (text: string) => {
    const host = memoryHost({ "run/train.log": text });
    return readRuns(host, [host.uri("run")], { final: "last" });
  };

  it("take the step that the line before announces, also where the dict fits on one line", async () => {
    const { rows } = await read(
      "x - Step 5: \n{'eval/all/avg_score': '0.2500'}\nx - Step 10: \n{'eval/all/avg_score': '0.5000',\n 'other': 1}\nStep 15: {'eval/all/avg_score': 0.75}\n",
    );
    expect(rows[0].curve).toEqual([
      { step: 5, rate: 0.25 },
      { step: 10, rate: 0.5 },
      { step: 15, rate: 0.75 },
    ]);
  });

  it("say where the last one is cut short, and do not use it", async () => {
    const { rows, notes } = await read(
      "Step 5: \n{'eval/all/avg_score': '0.2500',\n 'a': 1}\nStep 6: \n{'eval/all/avg_score': '0.7500',\n 'b':",
    );
    expect(rows[0].outcome).toEqual({ kind: "rate", rate: 0.25 });
    expect(notes.find(({ code }) => code === "log.truncated")).toMatchObject({ line: 5 });
  });

  it("take verl's asynchronous trainer by its parameter version", async () => {
    const { rows } = await read(
      `('[FullyAsyncTrainer] parameter version: 12 Validation metrics: '\n "{'val-core/x/acc/mean@1': np.float64(0.5)}, timing_param_sync: 1.5")\n`,
    );
    expect(rows[0]).toMatchObject({ steps: 12, outcome: { rate: 0.5 } });
  });

  it("find the run's config where the trainer printed it", async () => {
    const folder = toUri(join(ROOT, "verl-printed", "exp"));
    const { rows, notes } = await readRuns(createNodeHost(), [folder], {
      config: (uri, text) =>
        readConfig({ uri: `${uri}.json`, text: text ?? "", readText: () => Promise.resolve(undefined) }),
    });
    expect(rows[0]).toMatchObject({
      axes: { trajectories: 8 * 15, parameters: 8e9 },
      model: "Qwen/Qwen3-8B",
      algorithm: "grpo",
    });
    expect(notes.map(({ code }) => code)).toContain("log.printed");
  });
});

describe("what is printed into a file of another name", () => {
  const startup = Array.from(
    { length: 3000 },
    (_, i) => `INFO 12-01 10:00:${i % 60} loading part ${i} of the model`,
  ).join("\n");
  const steps =
    "\nstep:1 - val-core/x/acc/mean@1:0.25\nstep:2 - val-core/x/acc/mean@1:0.25\nstep:3 - val-core/x/acc/mean@1:0.25\n";

  it.each(["nohup.out", "slurm-4711.out", "job.err", "train.txt", "stdout"])(
    "%s whose first step comes after a long start is a run",
    async (name) => {
      const host = memoryHost({ [`r/${name}`]: startup + steps });
      expect((await readRuns(host, [host.uri("r")])).rows).toMatchObject([{ outcome: { kind: "rate", rate: 0.25 } }]);
    },
  );

  it.each([
    ["nohup.out", "nohup: ignoring input\nstarting\n"],
    ["slurm-1.out", "srun: job 1 queued\n"],
    ["train.txt", "2026-01-01 10:00:00 INFO starting\nTraining Progress:   0%|"],
    ["stderr", "x"],
  ])("%s without a step is told of", async (name, text) => {
    const host = memoryHost({ [`r/${name}`]: text });
    const { rows, notes } = await readRuns(host, [host.uri("r")]);
    expect(rows).toEqual([]);
    expect(notes.map(({ code, file }) => [code, file])).toContainEqual(["log.no-metrics", host.uri(`r/${name}`)]);
  });

  it("a text of something else is none of ours", async () => {
    const host = memoryHost({ "r/prompts.txt": "Write a poem.\nAnd another.\n", "r/requirements.txt": "torch==2.4\n" });
    expect((await readRuns(host, [host.uri("r")])).notes.map(({ code }) => code)).not.toContain("log.no-metrics");
  });
});

describe("steps that only a progress bar tells", () => {
  const bar = (at: number, of = 60) =>
    `\r ${Math.round((100 * at) / of)}%|##    | ${at}/${of} [00:0${at % 10}<01:00,  1.00s/it]`;
  const row = (reward: number) => `\n{'loss': 0.1, 'reward': ${reward}, 'epoch': 0.1}\n`;
  const read = async (text: string) => {
    const host = memoryHost({ "r/train.log": text });
    const { rows, notes } = await readRuns(host, [host.uri("r")]);
    return { row: rows[0], codes: notes.map(({ code }) => code) };
  };
  const bars = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => bar(from + i)).join("");

  it("are the rows', and the bar's end is the run's", async () => {
    const text = `Map: 100%|##| 9/9 [00:01<00:00]\n${bar(0)}${[1, 2, 3, 4, 5, 6].map((k) => bars(10 * k - 9, 10 * k) + row(k / 10)).join("")}`;
    const { row: found, codes } = await read(text);
    expect(found).toMatchObject({ state: "finished", steps: 60 });
    expect(found.curve?.map(({ step }) => step)).toEqual([10, 20, 30, 40, 50, 60]);
    expect(codes).not.toContain("log.no-step");
    const cut = await read(text.slice(0, text.indexOf("41/60")));
    expect(cut.row).toMatchObject({ state: "stopped", steps: 40 });
    expect(cut.row.stateReason).toContain("step 40 of 60");
  });

  it("rows that were printed together are spread over the steps before, and that is said", async () => {
    const { row: found, codes } = await read(
      `${bar(0)}${bars(1, 30)}${row(0.1)}${row(0.2)}${row(0.3)}${bars(31, 60)}${row(0.4)}${row(0.5)}${row(0.6)}`,
    );
    expect(found.curve?.map(({ step }) => step)).toEqual([10, 20, 30, 40, 50, 60]);
    expect(codes).toContain("log.bar-steps");
  });

  it("are not, where rows come faster than the bar: the lines are counted", async () => {
    const { row: found, codes } = await read(`${bar(0)}${bar(1)}${row(0.1)}${row(0.2)}${row(0.3)}`);
    expect(found.curve?.map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(codes).toContain("log.no-step");
  });
});
