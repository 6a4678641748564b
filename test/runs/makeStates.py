#!/usr/bin/env python3
"""Writes test/fixtures/logs/<format>-that-<state>/: one small run in each format and each state, with what it must give.

The plan of 60 steps stands in run.json. A run that is no console text crashes in the console text beside it.
Run from the repository root: python3 test/runs/makeStates.py
"""
import json, os, pprint, shutil, struct, sys

sys.path.insert(0, os.path.dirname(__file__))
import makeFixtures as made

ROOT = os.path.join(os.path.dirname(__file__), "..", "fixtures", "logs")
VALUES = [0.12, 0.21, 0.28, 0.34, 0.38, 0.41]
TRACE = "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\ntorch.OutOfMemoryError: CUDA out of memory.\n"


def verl(points):
    lines = ["(TaskRunner pid=7) {'trainer': 'starting'}"]
    for step in range(1, (points[-1][0] if points else 0) + 1):
        held = "".join(f" - val-core/maze/acc/mean@1:{v}" for s, v in points if s == step)
        lines.append(f"\x1b[36m(TaskRunner pid=7)\x1b[0m step:{step} - actor/pg_loss:0.01{held} - timing_s/step:61.5")
    return "\n".join(lines if points else lines[:1]) + "\n"


def trl(points):
    return "loading\n" + "".join(f"{{'loss': 0.1, 'eval_rewards/accuracy/mean': {v}, 'step': {s}, 'epoch': {s / 60:.2f}}}\n" for s, v in points)


def state(points):
    rows = [{"step": s, "eval_rewards/accuracy/mean": v, "loss": 0.1} for s, v in points]
    return json.dumps({"global_step": points[-1][0] if points else 0, "log_history": rows, "max_steps": 60}, indent=1)


def wide(points):
    return made.csv_text([["Step", "exp - val/success_rate"]] + [[s, v] for s, v in points])


def events(points, wall=1.7e9):
    version = made.tfrecord(made.field(1, 1, struct.pack("<d", 1.7e9)) + made.message(3, b"brain.Event:2"))
    return version + b"".join(made.tfrecord(made.event(s, made.simple("val/success_rate", v), wall=wall)) for s, v in points)


def wandb(points):
    run = made.message(17, made.message(1, b"abc123") + made.message(3, b"demo") + made.message(8, b"calm-river-1"))
    records = [made.field(1, 0, made.varint(1)) + made.message(21, b""), made.field(1, 0, made.varint(2)) + run]
    for i, (s, v) in enumerate(points):
        records.append(made.field(1, 0, made.varint(3 + i)) + made.history(s, {"val/success_rate": v}, True))
    return made.leveldb(records)


FORMATS = {
    "verl-console": ("train.log", verl),
    "trl-console": ("train.log", trl),
    "verl-file": ("exp.jsonl", lambda points: made.jsonl({"step": s, "data": {"val-core/maze/acc/mean@1": v, "actor/pg_loss": 0.1}} for s, v in points)),
    "metrics-jsonl": ("metrics.jsonl", lambda points: made.jsonl({"step": s, "success_rate": v} for s, v in points)),
    "metrics-csv": ("metrics.csv", lambda points: made.csv_text([["step", "success_rate"]] + [[s, v] for s, v in points])),
    "counts-jsonl": ("metrics.jsonl", lambda points: made.jsonl({"step": s, "successes": round(v * 100), "trials": 100} for s, v in points)),
    "trainer-state": ("checkpoint-60/trainer_state.json", state),
    "wandb-wide": ("chart.csv", wide),
    "wandb-offline": ("wandb/offline-run-20260101_120000-abc123/run-abc123.wandb", wandb),
    "tensorboard": ("events.out.tfevents.1700000000.host.1.0", events),
    "mlflow": (None, None),
}
STATES = {"finished": 6, "is-running": 3, "stopped": 3, "crashed": 3, "is-planned": 0}


def write(folder, name, content):
    full = os.path.join(folder, name)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "wb") as f:
        f.write(content if isinstance(content, bytes) else content.encode())


for kind, (name, text) in FORMATS.items():
    for said, count in STATES.items():
        case = os.path.join(ROOT, f"{kind}-that-{said}")
        shutil.rmtree(case, ignore_errors=True)
        points = [(10 * (i + 1), v) for i, v in enumerate(VALUES[:count])]
        run = "run"
        if kind == "mlflow":
            run = "mlruns/1/0a1b"
            write(case, f"{run}/meta.yaml", "lifecycle_stage: active\nrun_id: 0a1b\nrun_name: exp\nstatus: 1\n")
            write(case, f"{run}/params/seed", "1")
            if points:
                write(case, f"{run}/metrics/val/success_rate", "".join(f"{1700000000000 + s} {v} {s}\n" for s, v in points))
        else:
            # Events state their time; one that is still to come leaves it to the file when it was written.
            log = events(points, 4e9) if kind == "tensorboard" and said == "is-running" else text(points)
            if said == "crashed" and name == "train.log":
                log += TRACE
            write(case, f"{run}/{name}", log)
        if said == "crashed" and name != "train.log":
            write(case, f"{run}/console.log", "INFO rolling out\n" + TRACE)
        write(case, f"{run}/run.json", json.dumps({"tasks": 50, "environments": 4, "trajectories": 12, "steps": 60}) + "\n")
        state_name = said.replace("is-", "")
        want = {"minutes": 1 if said == "is-running" else 60 * 24}
        if points:
            last = VALUES[count - 3:count]
            want["rows"] = {run: {
                "state": state_name,
                "percent": round(100 * sum(last) / 3, 3),
                "steps": points[-1][0],
                "plannedSteps": 60,
                "points": count,
                "on": "evaluation",
                # What was not rolled out is not counted.
                "axes": {"tasks": 50, "environments": 4, "trajectories": 12 if state_name == "finished" else 6},
            }}
            if state_name in ("running", "crashed"):
                want["settings"], want["fitNotes"] = {}, ["run.not-a-result"]
            else:
                want["settings"] = {"": 1}
        else:
            want["rows"] = {}
            want["unmeasured"] = {run: {"state": "planned", "axes": {"tasks": 50, "environments": 4, "trajectories": 12}}}
        write(case, "want.json", json.dumps(want, indent=1) + "\n")
