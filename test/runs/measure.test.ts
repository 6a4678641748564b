import { describe, expect, it } from "vitest";
import { measureRollouts } from "../../server/sources/read";
import { structureOf } from "../../server/rollouts/signature";
import { memoryHost } from "./memoryHost";

const tool = (description: string, extra = {}) => ({
  type: "function",
  function: {
    name: "search",
    description,
    parameters: {
      type: "object",
      properties: { query: { type: "string", description, ...extra } },
      required: ["query"],
    },
  },
});

/** 6 tasks (two of them one text in two spellings) × 2 worlds × 4 rollouts; the verifier and tools are the same everywhere. */
function rows(): object[] {
  const tasks = [
    "Book a table for two at the harbour restaurant",
    "book a  table for two at the Harbour restaurant",
    "Find the cheapest flight from Oslo to Rome",
    "Cancel my last order and ask for a refund",
    "Summarise the unread mail of this week",
    "Rename every invoice by its date",
  ];
  return tasks.flatMap((task, t) =>
    ["shop", "bank"].flatMap((world, w) =>
      [0, 1, 2, 3].map((i) => ({
        step: 1,
        uid: `${t}-${w}`,
        task_id: `t${t}`,
        instruction: task,
        world,
        tools: [tool(`words ${t}`)],
        verifier: { name: "exact", expected: `answer ${t}` },
        reward: t === 3 ? 0 : t === 4 ? 1 : i % 2,
        num_turns: 5,
        task_synthetic: t >= 4,
        task_method: "self-instruct",
      })),
    ),
  );
}

const jsonl = (all: readonly object[]) => all.map((row) => `${JSON.stringify(row)}\n`).join("");

describe("a set of rollouts is measured in the model's terms", () => {
  it("counts tasks, environments, cells and reward density", async () => {
    const host = memoryHost({ "dump/1.jsonl": jsonl(rows()) });
    const measure = await measureRollouts(host, [host.uri("dump")]);
    expect(measure).toMatchObject({
      rollouts: 48,
      tasks: 5,
      environments: 2,
      worlds: 2,
      structures: 1,
      coveredCells: 10,
      coverage: 1,
      trajectories: 4.8,
      rewardDensity: 0.2,
    });
    expect(measure.duplicates).toMatchObject({
      rule: "char-tfidf",
      threshold: 0.15,
      pairs: 1,
      complete: true,
      exact: true,
    });
    expect(measure.synthesis.tasks).toEqual({ real: 3, synthetic: 2, methods: { "self-instruct": 2 } });
    expect(measure.neverSolved.tasks).toEqual(["t3"]);
    expect(measure.alwaysSolved.tasks).toEqual(["t4"]);
    // 12 groups of 4; those of two tasks hold one reward only.
    expect(measure.passRates).toMatchObject({
      groups: 12,
      withoutSignal: 4,
      shareWithoutSignal: 4 / 12,
      meanGroupSize: 4,
    });
    expect(measure.passRates?.histogram.reduce((sum, { tasks }) => sum + tasks, 0)).toBe(5);
    expect(measure.passRates?.histogram.find(({ from, to }) => from === 0.4 && to === 0.5)?.tasks).toBe(3);
    expect(measure.reasons).toEqual({});
  });

  it("says why an amount is unknown, never 0", async () => {
    const host = memoryHost({
      "5.jsonl": jsonl([
        { input: "a question", output: "x", score: 1 },
        { input: "quite another thing", output: "y", score: 0 },
      ]),
    });
    const measure = await measureRollouts(host, [host.uri("5.jsonl")]);
    expect(measure).toMatchObject({
      rollouts: 2,
      tasks: 2,
      environments: null,
      worlds: null,
      structures: null,
      coverage: null,
      rewardDensity: null,
      trajectories: 1,
      coveredCells: 2,
    });
    expect(measure.reasons.environments).toBe("no rollout states its environment");
    expect(measure.reasons.rewardDensity).toMatch(/number of steps/);
  });

  it("counts a partly covered grid", async () => {
    const cells = [
      ["a", "e1"],
      ["a", "e2"],
      ["b", "e1"],
    ];
    const host = memoryHost({
      "r.jsonl": jsonl(
        cells.flatMap(([task_id, env_id]) =>
          [1, 2].map((reward) => ({
            task_id,
            env_id,
            reward,
            messages: [
              { role: "user", content: `do ${task_id}` },
              { role: "assistant", content: "x" },
              { role: "assistant", content: "y" },
            ],
          })),
        ),
      ),
    });
    const measure = await measureRollouts(host, [host.uri("r.jsonl")], { duplicates: "exact" });
    expect(measure).toMatchObject({
      tasks: 2,
      environments: 2,
      coveredCells: 3,
      coverage: 0.75,
      trajectories: 2,
      rewardDensity: 0.5,
    });
  });

  it.each<[string, string, object[], object]>([
    [
      "verl's dumps, the step in the file's name",
      "7.jsonl",
      ["u1", "u1", "u2", "u2"].map((uid, i) => ({
        input: `user Question ${uid === "u1" ? "about the sea" : "of the mountains"}? assistant`,
        output: "…",
        gts: "1",
        score: i % 2,
        uid,
      })),
      { tasks: 2, rollouts: 4, trajectories: 2 },
    ],
    [
      "SkyRL's evaluation dumps",
      "gsm8k.jsonl",
      [1, 2].map((i) => ({
        input_prompt: `Add ${i} apples to the basket of pears`,
        output_response: "x",
        score: [0, 0, 1],
        stop_reason: "stop",
        env_class: "gsm8k",
        data_source: "gsm8k",
      })),
      { environments: 1, rollouts: 2 },
    ],
    [
      "prime-rl's traces",
      "traces.jsonl",
      [0, 0, 1].map((example_id, i) => ({
        example_id,
        task: "wordle",
        prompt: [
          { role: "system", content: "Play." },
          { role: "user", content: `Guess the word number ${example_id} of the long list` },
        ],
        completion: [
          { role: "assistant", content: "a" },
          { role: "user", content: "no" },
          { role: "assistant", content: "b" },
        ],
        reward: i / 2,
        trajectory: [{ reward: null }, { reward: null }],
      })),
      { tasks: 2, environments: 1, rollouts: 3, rewardDensity: 0.5 },
    ],
    [
      "tinker's summaries",
      "train_rollout_summaries.jsonl",
      [0, 1].map((traj_idx) => ({
        group_idx: 0,
        traj_idx,
        iteration: 0,
        total_reward: traj_idx,
        steps: [
          { step_idx: 0, reward: 0 },
          { step_idx: 1, reward: traj_idx },
        ],
      })),
      { tasks: null, rollouts: 2, rewardDensity: 0.5 },
    ],
    [
      "TRL's completions",
      "completions_00001.jsonl",
      ["a", "a"].map((_, i) => ({
        step: 1,
        prompt: "Name a colour",
        completion: "red",
        accuracy_reward: i,
        format_reward: 1,
        advantage: 0.1,
      })),
      { tasks: 1, rollouts: 2, trajectories: 2 },
    ],
  ])("reads %s", async (_, name, all, expected) => {
    const host = memoryHost({ [`dump/${name}`]: jsonl(all) });
    const measure = await measureRollouts(host, [host.uri("dump")]);
    expect(measure).toMatchObject(expected);
    expect(measure.passRates).not.toBeNull();
  });

  it("takes given embeddings as the rule", async () => {
    const host = memoryHost({
      "r.jsonl": jsonl(
        [
          [1, 0],
          [0.99, 0.1],
          [0, 1],
        ].map((vec, i) => ({ task_id: i, task_text: `text ${i}`, vec, reward: 1 })),
      ),
    });
    const measure = await measureRollouts(host, [host.uri("r.jsonl")], {
      duplicates: "embedding",
      columns: { embedding: "vec" },
    });
    expect(measure).toMatchObject({ tasks: 2, duplicates: { rule: "embedding", pairs: 1 } });
  });

  it("stops when asked", async () => {
    const host = memoryHost({ "r.jsonl": jsonl(rows()) });
    await expect(
      measureRollouts(host, [host.uri("r.jsonl")], { signal: AbortSignal.abort(new Error("enough")) }),
    ).rejects.toThrow("enough");
  });
});

describe("the structural signature", () => {
  const base = structureOf({
    tools: [tool("a"), { name: "stop", input_schema: { type: "object", properties: {} } }],
    state: { cart: [{ id: 1, price: 2.5 }], user: "x" },
    verifier: { name: "exact" },
  });

  it("is not changed by content or order", () => {
    expect(
      structureOf({
        verifier: { name: "exact" },
        state: {
          user: "somebody else",
          cart: [
            { price: 9, id: 7 },
            { id: 1, price: 1 },
          ],
        },
        tools: [
          { input_schema: { properties: {}, type: "object" }, name: "stop", description: "halts" },
          tool("other words", { default: "cats", examples: ["x"] }),
        ],
      }),
    ).toBe(base);
  });

  it("is changed by a tool's type, a tool's name, a field of the state and the verifier", () => {
    const parts = {
      tools: [tool("a"), { name: "stop", input_schema: { type: "object", properties: {} } }],
      state: { cart: [{ id: 1, price: 2.5 }], user: "x" },
      verifier: { name: "exact" },
    };
    expect(structureOf({ ...parts, tools: [tool("a", { type: "number" }), parts.tools[1]] })).not.toBe(base);
    expect(
      structureOf({ ...parts, tools: [tool("a"), { name: "halt", input_schema: { type: "object", properties: {} } }] }),
    ).not.toBe(base);
    expect(structureOf({ ...parts, state: { cart: [{ id: "1", price: 2.5 }], user: "x" } })).not.toBe(base);
    expect(structureOf({ ...parts, verifier: { name: "contains" } })).not.toBe(base);
  });

  it("is unknown where nothing is stated", () => {
    expect(structureOf({ tools: [], state: "", verifier: null })).toBeUndefined();
  });
});

it("a folder of plain rows of rollouts is measured, by our own names or mapped ones; metrics beside them are not", async () => {
  const rows = (task: string, reward: string) =>
    Array.from(
      { length: 12 },
      (_, i) => `${JSON.stringify({ [task]: `t${i % 3}`, environment: `e${i % 2}`, [reward]: i % 2 })}\n`,
    ).join("");
  const host = memoryHost({
    "w/a/part-0.jsonl": rows("task", "score"),
    "w/a/part-1.jsonl": rows("task", "score"),
    "w/a/metrics.jsonl": '{"step":1,"score":0.5}\n',
    "w/b/part-0.jsonl": rows("riddle", "points"),
  });
  const plain = await measureRollouts(host, [host.uri("w/a")]);
  expect(plain).toMatchObject({ rollouts: 24, tasks: 3, environments: 2 });
  expect((await measureRollouts(host, [host.uri("w/b")])).notes).toMatchObject([{ code: "rollouts.none" }]);
  const mapped = await measureRollouts(host, [host.uri("w/b")], { columns: { task: "riddle", reward: "points" } });
  expect(mapped).toMatchObject({ rollouts: 12, tasks: 3 });
});
