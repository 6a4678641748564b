import { describe, expect, it, vi } from "vitest";
import type { Job, JobRunner } from "../../server/operations/jobs";
import { inPlaceRunner, JobCancelled, serveJobs, workerRunner } from "../../server/operations/runner";
import { MemoryHost } from "./memoryHost";
import type { FromWorker, ToWorker, WorkerLink } from "../../server/operations/workerLink";

const JOB: Job = { kind: "read-runs", folderUri: "file:///w", sources: ["runs"] };

const sourceOf = (job: Job) => ("sources" in job ? job.sources[0] : "");

/** A worker in this thread; messages arrive a turn later and are cloned, as they are between threads. */
class FakeWorker implements WorkerLink {
  static alive = 0;
  #listener: (message: FromWorker) => void = () => undefined;
  #ended: (reason: string) => void = () => undefined;
  #dead = false;
  readonly #receive: (message: ToWorker) => void;

  constructor(
    run: (
      job: Job,
      ask: (method: string, params: unknown) => Promise<unknown>,
      progress: (share: number) => void,
    ) => Promise<unknown>,
  ) {
    FakeWorker.alive++;
    const service = serveJobs(
      (message) =>
        setTimeout(() => {
          if (!this.#dead) this.#listener(structuredClone(message));
        }),
      (job, onProgress) => run(job, service.ask, (share) => onProgress({ label: "x", share })),
    );
    this.#receive = (message) => service.receive(message);
  }

  post(message: ToWorker): void {
    setTimeout(() => {
      if (!this.#dead) this.#receive(structuredClone(message));
    });
  }
  onMessage(listener: (message: FromWorker) => void): void {
    this.#listener = listener;
  }
  onEnd(listener: (reason: string) => void): void {
    this.#ended = listener;
  }
  end(): void {
    this.#dead = true;
    FakeWorker.alive--;
  }

  die(reason: string): void {
    this.end();
    this.#ended(reason);
  }
}

const inPlace = (answer: unknown): JobRunner => inPlaceRunner(new MemoryHost(), () => Promise.resolve(answer));
const noFiles = () => Promise.reject(new Error("no files"));

describe("jobs in a worker", () => {
  it("give progress and a result, one after another", async () => {
    const order: string[] = [];
    const runner = workerRunner(
      () =>
        new FakeWorker(async (job, _, progress) => {
          const name = sourceOf(job);
          order.push(`start ${name}`);
          progress(0.5);
          await new Promise((resolve) => setTimeout(resolve, 20));
          order.push(`end ${name}`);
          return name;
        }),
      noFiles,
      inPlace("never"),
      () => undefined,
    );
    const shares: number[] = [];
    const results = await Promise.all([
      runner.run({ ...JOB, sources: ["a"] } as Job, ({ share }) => shares.push(share)),
      runner.run({ ...JOB, sources: ["b"] } as Job),
    ]);
    expect(results).toEqual(["a", "b"]);
    expect(order).toEqual(["start a", "end a", "start b", "end b"]);
    expect(shares).toEqual([0.5]);
  });

  it("are cancelled by ending the worker; the next job gets another one", async () => {
    let started = 0;
    const runner = workerRunner(
      () => {
        started++;
        return new FakeWorker((job) =>
          sourceOf(job) === "forever" ? new Promise(() => undefined) : Promise.resolve("done"),
        );
      },
      noFiles,
      inPlace("never"),
      () => undefined,
    );
    const controller = new AbortController();
    const endless = runner.run({ ...JOB, sources: ["forever"] } as Job, undefined, controller.signal);
    const next = runner.run(JOB);
    setTimeout(() => controller.abort(), 20);
    await expect(endless).rejects.toBeInstanceOf(JobCancelled);
    expect(await next).toBe("done");
    expect(started).toBe(2);
  });

  it("that were cancelled before their turn never start", async () => {
    let ran = 0;
    const runner = workerRunner(
      () => new FakeWorker(() => Promise.resolve(++ran)),
      noFiles,
      inPlace("never"),
      () => undefined,
    );
    const controller = new AbortController();
    controller.abort();
    await expect(runner.run(JOB, undefined, controller.signal)).rejects.toBeInstanceOf(JobCancelled);
    expect(ran).toBe(0);
  });

  it("reach files through the worker's owner", async () => {
    const asked: unknown[] = [];
    const runner = workerRunner(
      () => new FakeWorker((_, ask) => ask("scalingLens/fs/read", { uri: "vscode-vfs://x/a" })),
      (method, params) => {
        asked.push([method, params]);
        return Promise.resolve({ base64: "eA==" });
      },
      inPlace("never"),
      () => undefined,
    );
    expect(await runner.run(JOB)).toEqual({ base64: "eA==" });
    expect(asked).toEqual([["scalingLens/fs/read", { uri: "vscode-vfs://x/a" }]]);
  });

  it("fail alone: a worker that throws or dies is told, and the next job works", async () => {
    let workers: FakeWorker[] = [];
    const runner = workerRunner(
      () => {
        const worker = new FakeWorker((job, _, progress) => {
          const name = sourceOf(job);
          if (name === "throws") return Promise.reject(new Error("bad file"));
          if (name === "dies") {
            progress(0.1);
            setTimeout(() => worker.die("out of memory"), 20);
            return new Promise(() => undefined);
          }
          return Promise.resolve("fine");
        });
        workers.push(worker);
        return worker;
      },
      noFiles,
      inPlace("in place"),
      () => undefined,
    );
    await expect(runner.run({ ...JOB, sources: ["throws"] } as Job)).rejects.toThrow("bad file");
    await expect(runner.run({ ...JOB, sources: ["dies"] } as Job)).rejects.toThrow("out of memory");
    expect(await runner.run(JOB)).toBe("fine");
    expect(workers.length).toBe(2);
    workers = [];
  });

  it("are stopped for the processor's time that they took, not for the clock of a busy machine", async () => {
    vi.useFakeTimers();
    try {
      let spent = 0;
      let ended = 0;
      const silent: WorkerLink = {
        post: () => undefined,
        onMessage: () => undefined,
        onEnd: () => undefined,
        end: () => void ended++,
      };
      const nowhere: JobRunner = { run: () => Promise.reject(new Error("not here")) };
      const none = () => Promise.reject(new Error("no file"));
      const runner = workerRunner(
        () => silent,
        none,
        nowhere,
        () => undefined,
        { silence: 1000, spent: () => spent },
      );
      const stopped = expect(runner.run(JOB)).rejects.toThrow(/took longer than 1\.0 s/);
      await vi.advanceTimersByTimeAsync(1);
      // Another program has most of that second.
      spent = 300;
      await vi.advanceTimersByTimeAsync(1000);
      expect(ended).toBe(0);
      spent = 980;
      await vi.advanceTimersByTimeAsync(700);
      await stopped;
      expect(ended).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("run in place where no worker can be started, or where it could not be loaded", async () => {
    const reasons: string[] = [];
    const none = workerRunner(
      () => {
        throw new Error("forbidden");
      },
      noFiles,
      inPlace("in place"),
      (reason) => reasons.push(reason),
    );
    expect(await none.run(JOB)).toBe("in place");
    const unloaded = workerRunner(
      () => {
        const worker = new FakeWorker(() => Promise.resolve());
        // Nothing reaches what could not be loaded, and it says nothing.
        worker.post = () => undefined;
        setTimeout(() => worker.die("404"), 10);
        return worker;
      },
      noFiles,
      inPlace("in place"),
      (reason) => reasons.push(reason),
    );
    expect(await unloaded.run(JOB)).toBe("in place");
    expect(reasons).toEqual(["Error: forbidden", "404"]);
  });
});
