#!/usr/bin/env python3
"""Writes test/fixtures/runs/: logs of every format, and truth.json with what each must give.

Standard library (and PyYAML, for what ART writes with it) only, so that checksums (zlib), gzip, json (bare NaN) and csv come from programs other than the readers
under test. The binary formats follow their published descriptions: TFRecord with masked CRC-32C and TensorBoard's Event
message; LevelDB log blocks with W&B's seeded CRC-32 and its Record message.
Run from the repository root: python3 test/runs/makeFixtures.py
"""
import csv, gzip, io, json, os, pprint, random, shutil, struct, zlib

ROOT = os.path.join(os.path.dirname(__file__), "..", "fixtures", "runs")
TRUTH = {}


def path(*parts):
    full = os.path.join(ROOT, *parts)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    return full


def text(content, *parts):
    with open(path(*parts), "w", encoding="utf-8", newline="") as f:
        f.write(content)


def binary(content, *parts):
    with open(path(*parts), "wb") as f:
        f.write(content)


def jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def curve(top, count=8, every=10):
    """A rising success rate at steps every, 2·every, …; values with few digits."""
    return [((i + 1) * every, round(top * (1 - 0.8 ** (i + 1)), 4)) for i in range(count)]


def last3(values):
    return sum(values[-3:]) / len(values[-3:])


def truth(case, **rows):
    """rows: id → {rate, …}"""
    TRUTH[case] = rows


class Shown:
    """A value that prints as NumPy's scalars do."""

    def __init__(self, shown):
        self.shown = shown

    def __repr__(self):
        return self.shown


def prefixed(prefix, printed):
    return [f"{prefix} {line}" for line in printed.splitlines()]


def skyrl_console():
    """SkyRL's console logger: a header with the step, then `pprint.pformat` of the metrics, floats as texts of four digits."""
    points, out = curve(0.6), []
    worker, other = "\x1b[36m(skyrl_entrypoint pid=3184)\x1b[0m", "(AsyncVLLMInferenceEngine pid=3301)"
    for step in range(1, 81):
        train = {"trainer/global_step": step, "trainer/epoch": 0, "reward/avg_raw_reward": "0.9000", "generate/avg_num_tokens": "512.0000", "timing/step": "30.5000", "policy/policy_loss": "nan", "note": "it's {odd"}
        rows = [train] + [{"eval/all/avg_score": f"{v:.4f}", "eval/all/pass_at_4": "0.9500", "eval/openai_gsm8k/avg_score": f"{v:.4f}", "eval/openai_gsm8k/mean_positive_reward": "0.9000"} for s, v in points if s == step]
        for row in rows:
            lines = prefixed(worker, f"2026-01-01 12:00:{step % 60:02d}.123 | INFO     | skyrl.train.utils.tracking:log:189 - Step {step}: ")
            lines += prefixed(worker, pprint.pformat(row))
            # Lines of other workers come between.
            lines.insert(3, f"{other} INFO 01-01 12:00:00 engine.py:310] Avg prompt throughput: 100.1 tokens/s, Running: 4 reqs {{'a': 1,")
            out += lines
    text("\n".join(out) + "\n", "skyrl-console", "exp", "train.log")
    truth("skyrl-console", exp={"rate": last3([v for _, v in points]), "tokensPerTrajectory": 512, "steps": 80})


def verl_printed():
    """verl with `logger: [wandb]`: on the console stand only its config and, through `pprint` of a text, two evaluations."""
    worker = "(TaskRunner pid=816970)"
    config = {"actor_rollout_ref": {"actor": {"strategy": "fsdp", "ppo_mini_batch_size": 64, "optim": {"lr": 1e-06, "betas": (0.9, 0.999)}}, "hybrid_engine": True, "model": {"path": "Qwen/Qwen3-8B", "use_shm": False, "custom": Shown("<class 'object'>")}, "rollout": {"n": 8, "name": "vllm", "temperature": 1.0, "val_kwargs": {"n": 1, "top_k": -1}}},
              "algorithm": {"adv_estimator": "grpo", "gamma": 1.0, "kl_ctrl": {"horizon": 10000, "target_kl": 0.1}},
              "data": {"train_batch_size": 256, "train_files": ["~/data/gsm8k/train.parquet"], "val_files": "~/data/gsm8k/test.parquet", "note": "it's"},
              "trainer": {"n_gpus_per_node": 8, "nnodes": 1, "total_epochs": 15, "logger": ["wandb"], "project_name": "demo", "default_local_dir": None}}
    metrics = lambda v: {"val-aux/openai/gsm8k/reward/mean@1": Shown(f"np.float64({v - 0.01})"), "val-core/openai/gsm8k/acc/mean@1": Shown(f"np.float64({v})"), "val-aux/num_turns/min": Shown("np.int32(2)"), "val-aux/num_turns/mean": Shown("np.float64(2.0)")}
    out = prefixed(worker, pprint.pformat(config)) + ["Training Progress:   0%|          | 0/140 [00:00<?, ?it/s]"]
    out += prefixed(worker, pprint.pformat(f"Initial validation metrics: {metrics(0.3125)}"))
    out += [f"Training Progress:  {100 * s // 140}%|█ | {s}/140 [01:{s % 60:02d}<09:00, 90.0s/it]" for s in range(1, 141)]
    out += prefixed(worker, pprint.pformat(f"Final validation metrics: {metrics(0.71875)}"))
    text("\n".join(out) + "\n", "verl-printed", "exp", "nohup.out")
    truth("verl-printed", exp={"rate": 0.71875, "steps": 140})
    # Logged as well: what is printed besides is the same evaluation.
    logged = prefixed(worker, pprint.pformat("Initial validation metrics: {'val/test_score/openai/gsm8k': 0.13874147081122062}")) + [f"{worker} step:0 - val/test_score/openai/gsm8k:0.139", f"{worker} step:10 - val/test_score/openai/gsm8k:0.5", f"{worker} step:20 - val/test_score/openai/gsm8k:0.75"]
    logged += prefixed(worker, pprint.pformat("Final validation metrics: {'val/test_score/openai/gsm8k': 0.75}")) + [f"{worker} \"Final validation metrics: {{'val/test_score/x': 0.9}}\""]
    text("\n".join(logged) + "\n", "verl-printed", "logged", "train.log")
    TRUTH["verl-printed"]["logged"] = {"rate": (0.5 + 0.75) / 2, "steps": 20}


def printed_values():
    """Values of all kinds, as pprint shows them at several widths, beside what they are in JSON."""
    draw = random.Random(7)
    words = ["a", "val/acc@1", "it's", 'say "x"', "both ' and \"", "back\\slash", "line\nend", "tab\t", "été €", "\u200b", "\U0001F600", "{", "}", "a: 1, 'b'", ""]

    def value(depth):
        kind = draw.randrange(9 if depth > 0 else 6)
        if kind == 0:
            return draw.choice([True, False, None])
        if kind == 1:
            return draw.randrange(-10**6, 10**6)
        if kind == 2:
            return draw.choice([0.1, -2.5e-07, 1e16, 3.0, -0.0, 1.5e300, draw.random()])
        if kind in (3, 4, 5):
            return draw.choice(words) * draw.randrange(1, 4)
        if kind == 6:
            return [value(depth - 1) for _ in range(draw.randrange(4))]
        return {draw.choice(words) + str(i): value(depth - 1) for i in range(draw.randrange(5))}

    cases = []
    for _ in range(150):
        one = value(4)
        cases += [{"value": one, "shown": pprint.pformat(one, width=draw.choice([1, 20, 80, 200])), "inText": pprint.pformat(f"Metrics: {[one]}", width=draw.choice([20, 80]))}]
    text(json.dumps(cases, ensure_ascii=False) + "\n", "printed.json")


# --- plain layout -----------------------------------------------------------------------------------------------------
def run_json(**extra):
    base = {
        "axes": {"tasks": 400, "environments": 8, "trajectories": 16, "parameters": 8.2e9},
        "model": "Qwen3-8B", "algorithm": "grpo", "domain": "tool-use", "seed": 1,
        "evaluation": {"tasks": 600}, "reward_scheme": "terminal", "reward_density": 0.05,
        "synthesis": {"environments": {"method": "genenv", "real": 6, "synthetic": 2}},
        "tokens_per_trajectory": 12000, "simulated": {"law": "multiplicative", "note": "made for tests"},
    }
    base.update(extra)
    return json.dumps(base, indent=2) + "\n"


def plain():
    points = curve(0.6)
    text(run_json(), "plain", "a", "run.json")
    text(jsonl({"step": s, "success_rate": v} for s, v in points), "plain", "a", "metrics.jsonl")
    text(run_json(seed=2), "plain", "b", "run.json")
    rows = [(s, round(v * 600), 600) for s, v in points]
    text("step,successes,trials\n" + "".join(f"{s},{k},{n}\n" for s, k, n in rows), "plain", "b", "metrics.csv")
    truth("plain", a={"rate": last3([v for _, v in points]), "trials": 600, "tasks": 400},
          b={"rate": last3([k / n for _, k, n in rows]), "trials": 600, "tasks": 400})


# --- verl -------------------------------------------------------------------------------------------------------------
def verl_rows(top, steps=24, every=3):
    rows = []
    for step in range(1, steps + 1):
        row = {"training/global_step": step, "critic/score/mean": round(top * step / (step + 6), 6), "actor/grad_norm": 0.25,
               "response_length/mean": 812.5, "prompt_length/mean": 187.5, "perf/total_num_tokens": 512000, "timing_s/step": 90.0}
        if step % every == 0:
            row["val-core/openai/gsm8k/acc/mean@1"] = round(top * step / (step + 4), 6)
            row["val-core/openai/gsm8k/acc/best@4/mean"] = 0.95
        rows.append((step, row))
    return rows


def verl_console():
    rows = verl_rows(0.7)
    out = ["\x1b[36m(TaskRunner pid=4711)\x1b[0m {'actor_rollout_ref': {'actor': {'strategy': 'fsdp'}}}",
           "Training Progress:   0%|          | 0/24 [00:00<?, ?it/s]"]
    for step, row in rows:
        parts = []
        for i, (key, value) in enumerate(row.items()):
            shown = f"np.float64({value})" if i % 3 == 1 else f"np.int64({value})" if isinstance(value, int) and i % 2 else f"{value}"
            parts.append(f"{key}:{shown}")
        out.append(f"Training Progress:  {step * 4}%|█▎ | {step}/24 [01:{step:02d}<09:00, 90.0s/it]\r\x1b[36m(TaskRunner pid=4711)\x1b[0m step:{step} - " + " - ".join(parts))
        if step % 4 == 0:
            out.append("(WorkerDict pid=4712) WARNING: cache is full: step: none - ignored")
    text("\n".join(out) + "\n", "verl-console", "exp1", "train.log")
    values = [r["val-core/openai/gsm8k/acc/mean@1"] for _, r in rows if "val-core/openai/gsm8k/acc/mean@1" in r]
    truth("verl-console", exp1={"rate": last3(values), "tokens": 512000 * 24, "tokensPerTrajectory": 1000, "steps": 24})


def verl_file():
    rows = verl_rows(0.5)
    text(jsonl({"step": s, "data": r} for s, r in rows), "verl-file", "project", "exp-a.jsonl")
    text(jsonl({"step": s, "data": r} for s, r in verl_rows(0.4)), "verl-file", "project", "exp-b.jsonl")
    value = lambda top: last3([r["val-core/openai/gsm8k/acc/mean@1"] for _, r in verl_rows(top) if "val-core/openai/gsm8k/acc/mean@1" in r])
    truth("verl-file", **{"project/exp-a.jsonl": {"rate": value(0.5)}, "project/exp-b.jsonl": {"rate": value(0.4)}})


# --- other JSON logs --------------------------------------------------------------------------------------------------
def prime_rl():
    points = curve(0.55)
    rows = []
    for i, (s, v) in enumerate(points):
        rows.append({"step": s, "train/agg/all/agent/reward/mean": v + 0.1, "progress/total_tokens": s * 1000, "time/step": 5.5})
        rows.append({"step": s, "eval/math/test/agent/avg@4": v, "eval/math/test/agent/pass@4": min(1, v + 0.2)})
    text(jsonl(rows), "prime-rl", "run", "metrics.jsonl")
    truth("prime-rl", run={"rate": last3([v for _, v in points]), "tokens": 80000})


def tinker():
    points = curve(0.45)
    rows = [{"step": s, "progress/batch": s, "env/all/correct": v + 0.05, "env/all/reward/total": v * 2, "test/env/all/correct": v, "lr": float("nan") if s == 30 else 1e-4} for s, v in points]
    text(jsonl(rows), "tinker", "run", "metrics.jsonl")
    text(json.dumps({"model_name": "Qwen/Qwen3-8B", "group_size": 16, "groups_per_batch": 32}), "tinker", "run", "config.json")
    truth("tinker", run={"rate": last3([v for _, v in points])})


def trl():
    points = curve(0.5)
    history = []
    for s, v in points:
        history.append({"epoch": s / 100, "step": s, "loss": 0.1, "reward": v + 0.05, "frac_reward_zero_std": 0.25, "num_tokens": s * 4096.0, "completions/mean_length": 256.5})
        history.append({"epoch": s / 100, "step": s, "eval_reward": v, "eval_loss": float("nan") if s == 20 else 0.1})
    state = lambda h: json.dumps({"best_metric": None, "epoch": 0.8, "global_step": h[-1]["step"], "log_history": h}, indent=2)
    text(state(history[:8]), "trl", "out", "checkpoint-40", "trainer_state.json")
    text(state(history), "trl", "out", "checkpoint-80", "trainer_state.json")
    truth("trl", out={"rate": last3([v for _, v in points]), "tokens": 80 * 4096})


def art():
    points = curve(0.35)
    text(jsonl({"step": s, "recorded_at": "2026-01-01T00:00:00", "val/reward": v, "train/reward": v + 0.1} for s, v in points), "art", "models", "agent-1", "history.jsonl")
    truth("art", **{"models/agent-1": {"rate": last3([v for _, v in points])}})


def mlflow():
    run = ("mlflow", "mlruns", "123", "0a1b2c3d4e5f60718293a4b5c6d7e8f9")
    text("artifact_uri: mlflow-artifacts:/123\nlifecycle_stage: active\nrun_id: 0a1b2c3d4e5f60718293a4b5c6d7e8f9\nrun_name: exp-1\nstatus: 3\n", *run, "meta.yaml")
    points = curve(0.65)
    text("".join(f"{1700000000000 + s} {v!r} {s}\n" for s, v in points), *run, "metrics", "val-core", "gsm8k", "acc", "mean_at_1")
    text("".join(f"{1700000000000 + s} 0.25 {s}\n" for s, _ in points), *run, "metrics", "actor", "grad_norm")
    for key, value in {"data.train_batch_size": "256", "actor_rollout_ref.rollout.n": "8", "trainer.total_epochs": "15"}.items():
        text(value, *run, "params", key)
    text("exp-1", *run, "tags", "mlflow.runName")
    text("artifact_location: x\nexperiment_id: '123'\nname: demo\n", "mlflow", "mlruns", "123", "meta.yaml")
    truth("mlflow", **{"mlruns/123/0a1b2c3d4e5f60718293a4b5c6d7e8f9": {"rate": last3([v for _, v in points])}})


# --- CSV --------------------------------------------------------------------------------------------------------------
def csv_text(rows, **options):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", **options).writerows(rows)
    return out.getvalue()


def wandb_csv():
    a, b = curve(0.6), curve(0.4)
    header = ["Step"]
    for run in ("exp - one", "exp-2"):
        name = f"{run} - val/success_rate"
        header += [name, name + "__MIN", name + "__MAX"]
    rows = [header] + [[s, v, v, v, w, w, w] if i % 2 == 0 else [s, v, v, v, "", "", ""] for i, ((s, v), (_, w)) in enumerate(zip(a, b))]
    text(csv_text(rows, quoting=csv.QUOTE_ALL), "wandb-wide", "chart.csv")
    truth("wandb-wide", **{"chart.csv#exp - one": {"rate": last3([v for _, v in a])}, "chart.csv#exp-2": {"rate": last3([w for i, (_, w) in enumerate(b) if i % 2 == 0])}})
    long = [["run_name", "_step", "tasks", "environments", "seed", "val/success_rate", "note"]]
    for s, v in a:
        long.append(["one", s, 100, 4, 7, v, "a, b"])
        long.append(["two", s, 200, 4, 8, round(v / 2, 4), 'said "hi"\nthere'])
    text(csv_text(long), "wandb-long", "history.csv")
    truth("wandb-long", **{"history.csv#one": {"rate": last3([v for _, v in a]), "tasks": 100}, "history.csv#two": {"rate": last3([round(v / 2, 4) for _, v in a]), "tasks": 200}})


def tables():
    rows = []
    for i, (tasks, environments, trajectories) in enumerate([(100, 4, 8), (200, 4, 8), (400, 8, 8), (800, 8, 16)]):
        rows.append({"tasks": tasks, "environments": environments, "trajectories": trajectories, "parameters": 8e9, "reward_density": 0.1, "successes": 100 + 50 * i, "trials": 600,
                     "setting": "demo", "seed": i, "tasks_real": tasks // 2, "tasks_synthetic": tasks // 2, "tasks_method": "self-instruct"})
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    text("\ufeff" + out.getvalue(), "table", "runs.csv")
    text(jsonl(rows), "table-jsonl", "runs.jsonl")
    with open(path("table-gz", "runs.jsonl.gz"), "wb") as f, gzip.GzipFile("", "wb", 9, f, 0) as z:
        z.write(jsonl(rows).encode())
    for case, name, first in (("table", "runs.csv", 2), ("table-jsonl", "runs.jsonl", 1), ("table-gz", "runs.jsonl.gz", 1)):
        truth(case, **{f"{name}:{i + first}": {"rate": r["successes"] / 600, "trials": 600, "tasks": r["tasks"]} for i, r in enumerate(rows)})
    text("parameters,tokens,loss,who\n1e8,2e9,3.5,a\n2e8,4e9,3.2,b\n4e8,8e9,2.9,c\n", "table-loss", "loss.csv")
    truth("table-loss", **{f"loss.csv:{i + 2}": {"loss": x} for i, x in enumerate([3.5, 3.2, 2.9])})
    bad = "tasks,environments,successes,trials,reward_density,seed\n100,4,60,600,0.1,1\nmany,4,60,600,0.1,2\n200,4,700,600,0.1,3\n200,4,70,600,7,4\n300,4\n400,4,,,0.1,5\n500,4,90,600,0.1,6\n"
    text(bad, "table-bad", "runs.csv")
    truth("table-bad", **{"runs.csv:2": {"rate": 0.1}, "runs.csv:5": {"rate": 70 / 600}, "runs.csv:8": {"rate": 0.15}})


# --- dirty input ------------------------------------------------------------------------------------------------------
def dirty():
    p = curve(0.6)
    rate = last3([v for _, v in p])
    lines = jsonl({"step": s, "success_rate": v} for s, v in p)
    text(lines + '{"step": 90, "success_ra', "dirty-truncated", "a", "metrics.jsonl")
    truth("dirty-truncated", a={"rate": rate})
    with open(path("dirty-gzip-cut", "a", "metrics.jsonl.gz"), "wb") as f:
        f.write(gzip.compress(jsonl({"step": s, "success_rate": v} for s, v in curve(0.6, 400)).encode(), 9, mtime=0)[:-9])
    truth("dirty-gzip-cut", a={"rate": 0.6})
    restart = [{"step": s, "success_rate": v} for s, v in p[:6]] + [{"step": s, "success_rate": round(v + 0.01, 4)} for s, v in p[3:]]
    text(jsonl(restart), "dirty-restart", "a", "metrics.jsonl")
    truth("dirty-restart", a={"rate": last3([round(v + 0.01, 4) for _, v in p])})
    two = [{"step": s, "success_rate": v} for s, v in p] + [{"step": s, "success_rate": round(v / 2, 4)} for s, v in p]
    text(jsonl(two), "dirty-two-runs", "a", "metrics.jsonl")
    truth("dirty-two-runs", **{"a": {"rate": rate}, "a (2)": {"rate": last3([round(v / 2, 4) for _, v in p])}})
    nan = [{"step": s, "success_rate": float("nan") if s == 80 else float("inf") if s == 10 else v} for s, v in p]
    text(jsonl(nan), "dirty-nan", "a", "metrics.jsonl")
    truth("dirty-nan", a={"rate": last3([v for s, v in p if s not in (10, 80)])})
    text("\ufeff" + lines.replace("\n", "\r\n"), "dirty-crlf-bom", "a", "metrics.jsonl")
    truth("dirty-crlf-bom", a={"rate": rate})
    binary(lines.encode("utf-16"), "dirty-utf16", "a", "metrics.jsonl")
    truth("dirty-utf16", a={"rate": rate})
    with open(path("dirty-gzip", "a", "metrics.jsonl.gz"), "wb") as f:
        f.write(gzip.compress(lines.encode(), 9, mtime=0))
    truth("dirty-gzip", a={"rate": rate})
    mixed = lines.split("\n")
    mixed.insert(3, "Traceback (most recent call last):")
    mixed.insert(5, '{"step": "ten", "success_rate": 0.5}')
    mixed.insert(6, '{"step": 45, "success_rate": "good"}')
    text("\n".join(mixed), "dirty-mixed", "a", "metrics.jsonl")
    truth("dirty-mixed", a={"rate": rate})
    text("", "dirty-mixed", "empty", "metrics.jsonl")
    text(jsonl({"step": s, "loss/policy": 0.1, "kl": 0.2} for s, _ in p), "dirty-mixed", "no-metric", "metrics.jsonl")


# --- TensorBoard ------------------------------------------------------------------------------------------------------
def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283


def masked(data):
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def varint(n):
    if n < 0:
        n += 1 << 64
    out = b""
    while True:
        out += bytes([(n & 0x7F) | (0x80 if n > 0x7F else 0)])
        n >>= 7
        if not n:
            return out


def field(number, wire, payload):
    return varint(number << 3 | wire) + payload


def message(number, payload):
    return field(number, 2, varint(len(payload)) + payload)


def tfrecord(event):
    head = struct.pack("<Q", len(event))
    return head + struct.pack("<I", masked(head)) + event + struct.pack("<I", masked(event))


def event(step, *values, wall=1.7e9):
    body = field(1, 1, struct.pack("<d", wall + step)) + field(2, 0, varint(step))
    return body + message(5, b"".join(message(1, v) for v in values))


def simple(tag, value):
    return message(1, tag.encode()) + field(2, 5, struct.pack("<f", value))


def tensor(tag, value):
    """TensorFlow 2's scalar: a float tensor with packed content, and plugin metadata."""
    proto = field(1, 0, varint(1)) + message(2, b"") + message(4, struct.pack("<f", value))
    return message(1, tag.encode()) + message(9, message(1, message(1, b"scalars"))) + message(8, proto)


def as_float(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def tensorboard():
    points = curve(0.6)
    version = tfrecord(field(1, 1, struct.pack("<d", 1.7e9)) + message(3, b"brain.Event:2"))
    first = version + b"".join(tfrecord(event(s, simple("critic/score/mean", v), simple("val/success_rate", v))) for s, v in points[:5])
    # The restarted process writes a file of its own and repeats steps, with TensorFlow 2's tensors.
    second = version + b"".join(tfrecord(event(s, tensor("val/success_rate", v))) for s, v in points[3:])
    binary(first, "tensorboard", "exp", "events.out.tfevents.1700000000.host.1.0")
    binary(second, "tensorboard", "exp", "events.out.tfevents.1700000500.host.2.0")
    truth("tensorboard", exp={"rate": last3([as_float(v) for _, v in points]), "steps": 80})
    records = [version] + [tfrecord(event(s, simple("val/success_rate", v))) for s, v in points]
    broken = bytearray(b"".join(records))
    at = len(b"".join(records[:3])) + 14
    broken[at] ^= 0xFF  # data of the event at step 30
    binary(bytes(broken) + records[1][:20], "tensorboard-damaged", "exp", "events.out.tfevents.1700000000.host.1.0")
    truth("tensorboard-damaged", exp={"rate": last3([as_float(v) for _, v in points])})


# --- Weights & Biases -------------------------------------------------------------------------------------------------
BLOCK = 32768


def leveldb(records):
    out = bytearray(b":W&B" + struct.pack("<HB", 0xBEE1, 0))

    def write(kind, data):
        crc = zlib.crc32(data, zlib.crc32(bytes([kind]))) & 0xFFFFFFFF
        out.extend(struct.pack("<IHB", crc, len(data), kind) + data)

    for record in records:
        left = BLOCK - len(out) % BLOCK
        if left < 7:
            out.extend(b"\0" * left)
            left = BLOCK
        if len(record) + 7 <= left:
            write(1, record)
            continue
        write(2, record[: left - 7])
        rest = record[left - 7:]
        while len(rest) > BLOCK - 7:
            write(3, rest[: BLOCK - 7])
            rest = rest[BLOCK - 7:]
        write(4, rest)
    return bytes(out)


def item(key, value, nested=None):
    body = message(1, key.encode()) if nested is None else b"".join(message(2, k.encode()) for k in nested)
    return message(1, body + message(16, json.dumps(value).encode()))


def history(step, values, explicit):
    items = b"".join(item(k, v) for k, v in values.items())
    if explicit:
        items += item("_step", step)
    return message(2, items + message(2, field(1, 0, varint(step))))


def wandb_records(points, filler=0):
    config = message(1, message(1, b"data") + message(16, json.dumps({"train_batch_size": 256}).encode()))
    config += message(1, b"".join(message(2, k) for k in (b"actor_rollout_ref", b"rollout", b"n")) + message(16, b"8"))
    run = message(17, message(1, b"abc123") + message(3, b"demo") + message(4, config) + message(8, b"calm-river-1"))
    records = [field(1, 0, varint(1)) + message(21, b""), field(1, 0, varint(2)) + run]
    for i, (s, v) in enumerate(points):
        values = {"val/success_rate": v, "actor/entropy": float("nan") if i == 2 else 0.5, "_runtime": 1.5}
        if filler:
            values["text"] = "x" * filler
        records.append(field(1, 0, varint(3 + i)) + history(s, values, i % 2 == 0))
    records.append(field(1, 0, varint(99)) + message(3, message(1, message(1, b"val/success_rate") + message(16, b"0.99"))))
    return records


def wandb():
    points = curve(0.6)
    # 9,000 bytes of text in each row make records cross the blocks' ends.
    big = leveldb(wandb_records(points, 9000))
    binary(big, "wandb", "wandb", "offline-run-20260101_120000-abc123", "run-abc123.wandb")
    config_yaml = "_wandb:\n    value:\n        cli_version: 0.19.0\nactor_rollout_ref:\n    value:\n        rollout:\n            n: 8\ndata:\n    value:\n        train_batch_size: 256\n"
    text(config_yaml, "wandb", "wandb", "offline-run-20260101_120000-abc123", "files", "config.yaml")
    truth("wandb", **{"wandb/offline-run-20260101_120000-abc123": {"rate": last3([v for _, v in points])}})
    broken = bytearray(big)
    broken[500] ^= 0x01  # in the first block: its rest is lost, the other blocks are read
    binary(bytes(broken[:-5]), "wandb-damaged", "offline-run-20260101_120000-abc123", "run-abc123.wandb")
    truth("wandb-damaged", **{"offline-run-20260101_120000-abc123": {"rate": last3([v for _, v in points])}})
    text(config_yaml, "wandb-folder", "run-20260101_120000-abc123", "files", "config.yaml")
    text(json.dumps({"_step": 80, "_runtime": 3.5, "val/success_rate": 0.5, "actor/entropy": 0.25}), "wandb-folder", "run-20260101_120000-abc123", "files", "wandb-summary.json")
    truth("wandb-folder", **{"run-20260101_120000-abc123": {"rate": 0.5, "steps": 80}})


def rollouts():
    """Dumps for the damage test; what they measure is tested with rows made there."""
    rows = [{"step": 1, "uid": f"u{i // 4}", "input": f"user Find item {i // 4} in the shop", "output": "ok", "score": i % 2, "world": "shop", "num_turns": 3,
             "tools": [{"name": "search", "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}}], "verifier": {"name": "exact"}} for i in range(16)]
    text(jsonl(rows), "rollouts", "1.jsonl")
    text(csv_text([["task_id", "env_id", "reward"]] + [[f"t{i % 3}", f"e{i % 2}", i % 2] for i in range(12)]), "rollouts", "cells.csv")


def art_dumps():
    """ART's trajectories of two steps, as YAML and as JSON lines of a group each (as Parquet: makeParquet.mjs)."""
    import yaml

    system = {"role": "system", "content": "You are an agent.\nUse the tools: be brief."}
    tools = [{"type": "function", "function": {"name": "search", "description": "Finds mail", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}}}]
    for step in (0, 10):
        groups = []
        for task in range(4):
            trajectories = []
            for i in range(4):
                # Task 0 is never solved, task 3 always.
                solved = task == 3 or (task > 0 and i % 2 == 0)
                turns = []
                for turn in range(3):
                    turns += [{"finish_reason": "stop", "index": 0, "message": {"role": "assistant", "content": f"step {turn}: 'quoted' \u00e9 \u2014 {turn}", "tool_calls": None}}, {"role": "tool", "tool_call_id": f"c{turn}", "content": "line one\n\n  line three: {x}\n"}]
                trajectories.append({"reward": 1.0 if solved else 0.25 if i == 1 else 0.0, "metrics": {"correct": solved, "num_turns": 3}, "metadata": {"scenario": task}, "messages_and_choices": [system, {"role": "user", "content": f"Find the mail number {task} of the {['red', 'green', 'blue', 'last'][task]} folder and tell who wrote it"}] + turns[:-1], "tools": tools, "logs": []})
            groups.append({"trajectories": trajectories, "metadata": {"task_id": f"mail-{task}"}})
        text(yaml.dump(groups), "art-dumps", "yaml", "trajectories", "train", f"{step:04d}.yaml")
        text("\n".join(json.dumps(group) for group in groups), "art-dumps", "jsonl", "trajectories", "train", f"{step:04d}.jsonl")


def main():
    for entry in os.listdir(ROOT) if os.path.isdir(ROOT) else []:
        if entry not in ("table-parquet", "parquet-metrics", "notes.golden.json"):
            full = os.path.join(ROOT, entry)
            shutil.rmtree(full) if os.path.isdir(full) else os.remove(full)
    for make in (plain, verl_console, skyrl_console, verl_printed, printed_values, verl_file, prime_rl, tinker, trl, art, art_dumps, mlflow, wandb_csv, tables, dirty, tensorboard, wandb, rollouts):
        make()
    text(json.dumps(TRUTH, indent=1) + "\n", "truth.json")


if __name__ == "__main__":
    main()
