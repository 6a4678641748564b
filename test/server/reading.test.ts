import { describe, expect, it } from "vitest";
import { packed } from "../../server/configs/packed";
import { unreadDocument } from "../../server/configs/read";
import type { Job, JobRunner } from "../../server/operations/jobs";
import { DocumentReader, Superseded } from "../../server/operations/readDocument";
import { inPlaceRunner, serveJobs, workerRunner } from "../../server/operations/runner";
import { MemoryHost } from "./memoryHost";
import type { FromWorker, WorkerLink } from "../../server/operations/workerLink";

const textOf = (job: Job) => (job.kind === "read-document" ? job.text : "");

/** Reads by hand: each reading ends when it is told to. */
function handReader() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const jobs = {
    run: (job: Job) =>
      new Promise<unknown>((resolve) => {
        begun.push(textOf(job));
        ends.push(() => resolve(packed(unreadDocument("file:///a.yaml", textOf(job), "read"))));
      }),
  } as unknown as JobRunner;
  const reader = new DocumentReader(jobs, () => undefined);
  const read = (text: string, uri = "file:///a.yaml") => reader.read({ uri, text, scaling: null });
  return { begun, end: () => ends.shift()?.(), read };
}

const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("readings of one document", () => {
  it("are one at a time, and of those that wait the newest alone is begun", async () => {
    const { begun, end, read } = handReader();
    const first = read("1");
    const replaced = ["2", "3", "4"].map((text) => read(text).catch((error: unknown) => error));
    const last = read("5");
    expect(begun).toEqual(["1"]);
    end();
    expect((await first).text).toBe("1");
    await turns();
    expect(begun).toEqual(["1", "5"]);
    for (const one of replaced) expect(await one).toBeInstanceOf(Superseded);
    end();
    expect((await last).text).toBe("5");
    const again = read("6");
    await turns();
    end();
    expect((await again).text).toBe("6");
    expect(begun).toEqual(["1", "5", "6"]);
  });

  it("hold up no other document", async () => {
    const { begun, read } = handReader();
    void read("a1", "file:///a.yaml");
    void read("a2", "file:///a.yaml");
    void read("b1", "file:///b.yaml");
    await turns();
    expect(begun).toEqual(["a1", "b1"]);
  });
});

/** Workers in this thread, by hand: a job named `long…` ends when it is told to, any other at once. */
function pool() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  let alive = 0;
  const start = (): WorkerLink => {
    alive++;
    let listener: (message: FromWorker) => void = () => undefined;
    let dead = false;
    const service = serveJobs(
      (message) => {
        if (!dead) listener(message);
      },
      (job) => {
        const name = textOf(job);
        begun.push(name);
        return new Promise((resolve) => {
          if (name.startsWith("long")) ends.set(name, () => resolve(name));
          else resolve(name);
        });
      },
    );
    return {
      post: (message) => service.receive(message),
      onMessage: (next) => (listener = next),
      onEnd: () => undefined,
      end: () => {
        dead = true;
        alive--;
      },
    };
  };
  const runner = workerRunner(
    start,
    () => Promise.reject(new Error("no files")),
    inPlaceRunner(new MemoryHost(), () => Promise.resolve("in place")),
    () => undefined,
    { most: 3, next: "newest", quick: 30 },
  );
  const run = (text: string) =>
    runner.run({ kind: "read-document", uri: `file:///${text}`, text, scaling: null }) as Promise<unknown>;
  return { begun, ends, run, alive: () => alive };
}

describe("workers that read documents", () => {
  it("are never all held by long readings: the youngest of them gives way, and is read all the same", async () => {
    const { begun, ends, run, alive } = pool();
    const long = ["long 1", "long 2", "long 3", "long 4"].map(run);
    expect(await run("quick")).toBe("quick");
    expect(await run("quick again")).toBe("quick again");
    expect(alive()).toBe(3);
    for (let round = 0; round < 20; round++) {
      for (const end of ends.values()) end();
      await turns();
    }
    expect((await Promise.all(long)).sort()).toEqual(["long 1", "long 2", "long 3", "long 4"]);
    expect(begun.indexOf("quick")).toBeLessThan(begun.lastIndexOf("long 4"));
  });

  it("take the newest of those that wait first", async () => {
    const { begun, ends, run } = pool();
    const long = ["long 1", "long 2", "long 3"].map(run);
    const waiting = ["a", "b", "c"].map(run);
    await turns();
    for (const end of ends.values()) end();
    await Promise.all([...long, ...waiting]);
    expect(begun.slice(3)).toEqual(["c", "b", "a"]);
  });
});
