import { describe, expect, it } from "vitest";
import { endingOf, stateOf } from "../../server/runs/state";

describe("what a line says of a run's end", () => {
  it("an error that a worker logs is no crash of the run", () => {
    const worker = "CursorLoopWorker pid=57714";
    expect(endingOf("ERROR:2026-03-26 21:59:41,526:Traceback (most recent call last):", 1, worker)).toBeUndefined();
    expect(endingOf("TypeError: cannot unpack non-iterable NoneType object", 2, worker)).toBeUndefined();
  });

  it("the driver's is, and so is what no process survives", () => {
    for (const writer of ["", "TaskRunner pid=4711", "main_task pid=12, ip=10.0.0.1"])
      expect(endingOf("Traceback (most recent call last):", 1, writer)?.kind).toBe("crashed");
    expect(endingOf("torch.OutOfMemoryError: CUDA out of memory.", 1, "WorkerDict pid=7")?.kind).toBe("crashed");
    expect(endingOf("Training finished", 1, "WorkerDict pid=7")?.kind).toBe("finished");
  });
});

describe("a run without a plan", () => {
  const now = Date.UTC(2026, 0, 2);

  it("may be on while its log is written, and is finished later", () => {
    const grown = { lastStep: 100, modified: now - 5000, created: now - 600_000 };
    expect(stateOf(grown, now)).toMatchObject({ state: "finished", unplanned: "growing" });
    expect(stateOf({ ...grown, modified: now - 3_600_000, created: now - 9_000_000 }, now).unplanned).toBe("still");
    // A copy or a checkout is written at once, and the log's own times are older than the file.
    expect(stateOf({ ...grown, created: now - 5001 }, now).unplanned).toBe("still");
    expect(stateOf({ ...grown, lastTime: now - 86_400_000 }, now).unplanned).toBe("still");
    // Not every file system tells when a file was made.
    expect(stateOf({ lastStep: 100, modified: now }, now).unplanned).toBe("still");
    // What is planned or closed is not assumed.
    expect(stateOf({ ...grown, plannedSteps: 300 }, now).unplanned).toBeUndefined();
  });

  it("whose record is missing its end was killed, or is still on", () => {
    const open = { kind: "open", text: "no exit", line: 0 } as const;
    const old = { lastStep: 100, modified: now - 86_400_000, ending: open };
    expect(stateOf(old, now)).toMatchObject({ state: "stopped", reason: "step 100; no exit" });
    expect(stateOf({ ...old, modified: now - 5000 }, now).state).toBe("running");
    // A plan says more.
    expect(stateOf({ ...old, plannedSteps: 100 }, now).state).toBe("finished");
  });
});
