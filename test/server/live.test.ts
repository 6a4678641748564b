/** A config whose run is on: its lens follows the log, the fit beside it does not move, and the end is said. */
import { afterEach, describe, expect, it } from "vitest";
import { TestClient } from "./client";
import { MemoryHost } from "./memoryHost";
import { addProject, BUDGET, SCALING_WITH_LOGS } from "./runs";

const RUN_URI = "file:///w/live/grpo-7b.budget.yaml";

/** Files written now: a run that is on is told by it. */
class FreshHost extends MemoryHost {
  override async stat(uri: string) {
    const about = await super.stat(uri);
    return about && { ...about, modified: about.modified > 0 ? Date.now() - 1000 + about.modified : 0 };
  }
}

const clients: TestClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.stop();
});

const line = (step: number) =>
  `(TaskRunner pid=7) step:${step} - eval/success_rate:${(0.1 + 0.5 / (1 + (step / 90) ** -2)).toFixed(4)} - timing_s/step:${55 + (step % 15)}\n`;

async function until(what: () => Promise<boolean>, within: number): Promise<number> {
  const began = Date.now();
  while (!(await what())) {
    if (Date.now() - began > within) return Infinity;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return Date.now() - began;
}

describe("a run that is on", () => {
  it("is in the lens of its config, follows its log, and ends", async () => {
    const host = new FreshHost();
    addProject(host, "file:///w", SCALING_WITH_LOGS.replace('"runs.csv"', '"runs.csv", "live/grpo-7b"'));
    let log = "";
    for (let step = 5; step <= 60; step += 5) log += line(step);
    host.set("file:///w/live/grpo-7b/train.log", log);
    host.set("file:///w/live/grpo-7b/run.json", JSON.stringify({ steps: 150, gpus: 8, evaluation: { tasks: 500 } }));
    const client = await TestClient.start({
      host,
      settings: () => ({ fit: { bootstrap: 50, law: "multiplicative" } }),
    });
    clients.push(client);
    await client.open(RUN_URI, BUDGET);
    expect(
      await until(async () => /running · step 60 of 150/.test(await client.lensText(RUN_URI)), 20_000),
    ).toBeLessThan(20_000);
    const first = await client.lensText(RUN_URI);
    expect(first).toMatch(/heading for \d+ % \[\d+–\d+\]/);
    expect(first).toMatch(/\d \[\S+–\S+\] GPU-hours left/);
    const beside = (text: string) => /[^|\n]*% success[^|\n]*/.exec(text)?.[0];
    const fit = beside(first);

    host.set("file:///w/live/grpo-7b/train.log", (log += line(65)));
    expect(await until(async () => /running · step 65 of 150/.test(await client.lensText(RUN_URI)), 5000)).toBeLessThan(
      2500,
    );
    expect(beside(await client.lensText(RUN_URI))).toBe(fit);
    expect(client.statuses.at(-1)?.text).toMatch(/1 run live/);

    for (let step = 70; step <= 150; step += 5) log += line(step);
    host.set("file:///w/live/grpo-7b/train.log", log);
    expect(
      await until(async () => /finished · step 150 of 150 · ended at/.test(await client.lensText(RUN_URI)), 8000),
    ).toBeLessThan(4000);
  });
});
