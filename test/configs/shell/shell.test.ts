import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseShell } from "../../../server/syntax/shell";
import type { ConfigVariant, MapNode, SyntaxDocument, TreeNode } from "../../../server/syntax/tree";
import { grammars } from "../grammars";
import { cpuTime } from "../../cpu";

const bash = await grammars.load("bash");
const parse = (text: string, files: Record<string, string> = {}): Promise<SyntaxDocument> =>
  parseShell(text, bash, {
    uri: "file:///project/run/train.sh",
    readText: async (uri) => files[uri.replace("file:///project/", "")],
  });

function plain(node: TreeNode): unknown {
  switch (node.kind) {
    case "map":
      return Object.fromEntries(node.entries.map((entry) => [entry.key, plain(entry.value)]));
    case "list":
      return node.items.map(plain);
    case "unknown":
      return { unknown: node.reason };
    case "scalar":
      return node.value;
  }
}

/** What a script's first command gets, as flags and overrides together. */
async function args(text: string, files: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const [variant] = (await parse(text, files)).variants;
  if (!variant) return {};
  return {
    ...(plain(variant.root) as object),
    ...Object.fromEntries(
      variant.flags.entries
        .filter((entry) => !/^(env|sbatch|launcher)\./.test(entry.key))
        .map((entry) => [`--${entry.key}`, plain(entry.value)]),
    ),
  };
}

const run = (body: string): string => `${body.includes("python") ? body : `${body}\npython t.py a=$x`}\n`;

describe("what only a run decides chooses no value before it", () => {
  const open = { unknown: "it depends on a condition that only a run decides" };
  test.each<readonly [string, unknown]>([
    ["g=$(nvidia-smi -L | wc -l); if [ $g -eq 8 ]; then x=512; else x=128; fi", open],
    ["g=$(nvidia-smi -L | wc -l); if [ $g -ge 8 ]; then x=8; elif [ $g -ge 4 ]; then x=4; else x=2; fi", open],
    ['x=4; if [[ "$(hostname)" == gpu* ]]; then x=8; fi', open],
    ['case "$(hostname)" in *h100*) x=8;; *) x=4;; esac', open],
    ['x=4; [[ "$(hostname)" == gpu* ]] && x=8', open],
    ['[ "$(uname -m)" = x86_64 ] && x=8 || x=4', open],
    // What is on the machine, and how a command ends.
    ["if [ -d /data ]; then x=512; else x=128; fi", open],
    ["x=4; if [[ -f /opt/big ]]; then x=8; fi", open],
    ["x=4; [ -e /opt/big ] && x=8", open],
    ["if nvidia-smi > /dev/null; then x=8; else x=1; fi", open],
    ["x=4; if ! grep -q H100 /etc/machine; then x=2; fi", open],
    ["x=/data/Qwen3-8B; if [ ! -d /data/Qwen3-8B ]; then x=Qwen/Qwen3-8B; fi", "Qwen/Qwen3-8B"],
    ["x=4; if [ -f env.sh ]; then y=3; fi", 4],
    // The same either way, decided otherwise, or a guard.
    ['if [ "$(hostname)" = a ]; then x=4; else x=4; fi', 4],
    ['M=1; x=4; if [ $M = 2 ] && [ "$(hostname)" = a ]; then x=8; fi', 4],
    ["x=4; if [ $(nvidia-smi -L | wc -l) -eq 0 ]; then x=0; exit 1; fi", 4],
    ['if [ -z "$N" ]; then x=4; else x=8; fi', 4],
  ])("%s", async (text, expected) => {
    expect(await args(run(text))).toEqual({ a: expected });
  });
});

describe("expansion, as bash does it", () => {
  test.each<readonly [string, Record<string, unknown>]>([
    ["x=8", { a: 8 }],
    ["x=${N:-8}", { a: 8 }],
    [": ${x:=16}", { a: 16 }],
    ["N=3; x=$((N * 4 + 2 ** 3))", { a: 20 }],
    ["x=$(( 64*250 ))", { a: 16000 }],
    ["N=3; x=$[$N * 64]", { a: 192 }],
    ["N=3; x=$[ N + (2 * 4) ]", { a: 11 }],
    ['x=4; if [[ "$x" != 5 ]]; then echo bad; exit 2; fi', { a: 4 }],
    [
      "ready=0; while ((SECONDS < 9)); do if curl -s up; then ready=1; break; fi; done; [[ $ready == 1 ]] || exit 1; x=3",
      { a: 3 },
    ],
    ["N=5; x=${N:+7}", { a: 7 }],
    ["p=/m/Qwen3-8B.tar; x=${p##*/}; x=${x%.tar}", { a: "Qwen3-8B" }],
    ["p=a_b_c; x=${p//_/-}", { a: "a-b-c" }],
    ["p=Qwen; x=${p,,}", { a: "qwen" }],
    ["p=run-12-b; x=${p//[0-9]/_}", { a: "run-__-b" }],
    ["p=a.b.c; x=${p/b*/z}", { a: "a.z" }],
    ["case run7 in run[!0-9]) x=1;; run[0-9]) x=2;; esac", { a: 2 }],
    ["L=(4 8 16); x=${L[1]}", { a: 8 }],
    ["L=(4 8 16); x=${#L[@]}", { a: 3 }],
    ["declare -A M; M[big]=70; M[small]=7; k=big; x=${M[$k]}", { a: 70 }],
    ["declare -A M=([big]=70 [small]=7); x=${M[small]}", { a: 7 }],
    ["n=y; y=5; x=${!n}", { a: 5 }],
    ["x=$(basename /a/b/Qwen3-4B)", { a: "Qwen3-4B" }],
    ['x=$(echo "8 * 4" | bc)', { a: 32 }],
    ["f() { echo $1; }; x=$(f 12)", { a: 12 }],
    ["f() { local n=$1; python t.py a=$n; }; f 6", { a: 6 }],
    ["if [ 1 -lt 2 ] && [[ abc == a* ]]; then x=1; else x=2; fi", { a: 1 }],
    ["M=big; case $M in small) x=1;; b*|c) x=2;; *) x=3;; esac", { a: 2 }],
    ["x=0; for i in 1 2 3; do x=$((x + i)); done", { a: 6 }],
    ["x=0; while [ $x -lt 5 ]; do x=$((x+1)); done", { a: 5 }],
    ["x=0; for ((i=0; i<4; i++)); do x=$i; done", { a: 3 }],
    ['IFS=, read -r x y <<< "7,9"', { a: 7 }],
    ["IFS=',' read -ra L <<< \"1,2,3\"; x=${L[2]}", { a: 3 }],
    ["set -- 1 2; x=${1:-4}", { a: 1 }],
    ["set -e; x=${1:-4}", { a: 4 }],
    ['pair="8 3"; set -- $pair; x=$2', { a: 3 }],
    ["set -- 7 8; shift; x=$1", { a: 8 }],
    // A function's exit status is that of its last command, or what it returns.
    ["S=big; big() { [ $S = big ]; }; x=1; big && x=2", { a: 2 }],
    ["no() { return 1; }; x=1; no && x=2", { a: 1 }],
    ["no() { return 1; }; x=1; no || x=2", { a: 2 }],
    ["no() { return 1; }; if no; then x=1; else x=3; fi", { a: 3 }],
    ["x=1; { [ 1 = 1 ] && [ 2 = 3 ]; } || x=5", { a: 5 }],
    ["x=1; ( [ 1 = 2 ] ) && x=5", { a: 1 }],
    // What a function branches on is not known, so neither is how it ends.
    ["f() { if nvidia-smi; then return 0; fi; return 1; }; x=1; f && x=2", { a: 2 }],
    ["x='it''s'", { a: "its" }],
    ["A=(a=1 'b=x y'); python t.py \"${A[@]}\"", { a: 1, b: "x y" }],
    ["A=(a=1\n # c=3\n b=2); A+=(c=4); python t.py ${A[@]}", { a: 1, b: 2, c: 4 }],
    ['A="a=1 b=2"; python t.py $A', { a: 1, b: 2 }],
    ['CMD="python t.py a=1"; $CMD b=2', { a: 1, b: 2 }],
    ['CMD="python t.py a=1"; eval "$CMD b=2"', { a: 1, b: 2 }],
    ["python t.py a=1 \\\n  `# ---- knobs (of this) ----` \\\n  b=2 \\\n  `# more` c=3", { a: 1, b: 2, c: 3 }],
    ['bash -c "python t.py a=3 \\\n b=4"', { a: 3, b: 4 }],
    ["x=5; srun bash -lc 'python t.py a=$x'", { a: 5 }],
    ["bash <<EOF\npython t.py a=9\nEOF", { a: 9 }],
    ["python t.py a.b=1 +a.c=2 ++a.d=3 ~a.e", { a: { b: 1, c: 2, d: 3, e: null } }],
    ["python t.py l=[1,x,'y z'] \"m={k: 1, n: [2]}\" q='\"s\"'", { l: [1, "x", "y z"], m: { k: 1, n: [2] }, q: "s" }],
    [
      "python t.py --lr 1e-5 --flag --names a b --k=v --neg -1",
      { "--lr": 1e-5, "--flag": true, "--names": ["a", "b"], "--k": "v", "--neg": -1 },
    ],
    ["python t.py --debug trainer.n=2", { "--debug": true, trainer: { n: 2 } }],
    ["python t.py --under_score 1", { "--under-score": 1 }],
    ["uv run --extra fsdp -m a.b --x 1 c=2", { "--x": 1, c: 2 }],
    ["torchrun --nproc_per_node 8 t.py --x 1", { "--x": 1 }],
    ["ray job submit --address=http://h -- python3 t.py --x 1", { "--x": 1 }],
    ["python mason.py --gpus 8 -- source env.sh \\&\\& python t.py --x 1", { "--x": 1 }],
  ])("%s", async (script, expected) => {
    expect(
      await args(run(script.startsWith("python mason") ? script.replace("source env.sh \\&\\& ", "") : script)),
    ).toEqual(expected);
  });

  test("what is not set is unknown and says so; paths below it keep their name", async () => {
    const [variant] = (await parse("python t.py n=$GROUP model=${ROOT}/Qwen3-8B home=$HOME/x")).variants;
    expect(plain(variant.root)).toEqual({
      n: { unknown: "`GROUP` is not set in this script" },
      model: "${ROOT}/Qwen3-8B",
      home: "$HOME/x",
    });
  });

  test("launchers, environment and Slurm have places of their own", async () => {
    const [variant] = (
      await parse(
        "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gres=gpu:8\nexport A=1\nNPROC_PER_NODE=6 accelerate launch --num_processes 7 t.py --x $SLURM_NNODES --g ${SLURM_GPUS_ON_NODE:-2}\n",
      )
    ).variants;
    const flags = Object.fromEntries(variant.flags.entries.map((entry) => [entry.key, plain(entry.value)]));
    expect(flags).toMatchObject({
      "env.A": 1,
      "env.NPROC_PER_NODE": 6,
      "launcher.num-processes": 7,
      x: 4,
      g: 8,
      "sbatch.nodes": 4,
    });
    expect(variant.command).toMatchObject({ program: "accelerate", target: "t.py" });
  });
});

test("a command in which the grammar loses its way is marked, so that no defaults are taken for what it may state", async () => {
  const flags = async (text: string): Promise<string[]> =>
    (await parse(text)).variants[0]?.flags.entries.map((entry) => entry.key) ?? [];
  expect(await flags("python t.py a=1 `never closed \\\n b=2\n")).toContain("shell.cut-off");
  expect(await flags("python t.py a=1 \\\n b=2\n")).not.toContain("shell.cut-off");
});

describe("scripts of scripts", () => {
  test("sourced files are read, and what stands in them is not edited here", async () => {
    const [variant] = (
      await parse('source "$(dirname "$0")/common.sh"\npython t.py n=$N m=$M\n', {
        "run/common.sh": "N=8\nM=${M:-4}\n",
      })
    ).variants;
    expect(plain(variant.root)).toEqual({ n: 8, m: 4 });
    expect(variant.root.entries[0].value).toMatchObject({ file: "file:///project/run/common.sh", editable: false });
  });
  test("a script that calls another passes its arguments", async () => {
    expect(await args('bash run/base.sh a=2 "$@"', { "run/base.sh": 'python t.py a=1 b=1 "$@"' })).toEqual({
      a: 2,
      b: 1,
    });
  });
  test("what is set in front of the call holds in the other script only", async () => {
    const base = "python t.py a=${A:-1} b=${B:-1}\n";
    expect(await args("A=2 \\\nB=3 bash run/base.sh", { "run/base.sh": base })).toEqual({ a: 2, b: 3 });
    expect(await args("N=3\nA=2 B=$((N + 1)) bash run/base.sh", { "run/base.sh": base })).toEqual({ a: 2, b: 4 });
    expect(await args("A=2 bash run/none.sh\npython t.py a=${A:-7}")).toEqual({ a: 7 });
  });
  test("what the job system sets reaches the other script", async () => {
    expect(
      await args("#SBATCH --nodes=3\nOWN=1\nbash run/base.sh", {
        "run/base.sh": "python t.py nodes=$SLURM_NNODES own=${OWN:-0}",
      }),
    ).toEqual({ nodes: 3, own: 0 });
  });
  test("an absolute path names the author's checkout: its end is looked for here", async () => {
    expect(
      await args('ROOT=${ROOT:-/home/me/project}\nbash "$ROOT/run/base.sh" n=4', {
        "run/base.sh": 'python t.py a=1 "$@"',
      }),
    ).toEqual({ a: 1, n: 4 });
    expect((await parse("bash /home/me/base.sh", { "base.sh": "python t.py a=1" })).variants).toHaveLength(0);
  });
  test("what another script starts is anchored where it is called", async () => {
    const text = "# start\nsource ./lib.sh\n";
    const document = await parse(text, { "run/lib.sh": `${"# long\n".repeat(50)}python t.py a=1\n` });
    expect(text.slice(document.variants[0].anchor.start, document.variants[0].anchor.end)).toBe("source ./lib.sh");
    check(document, text.length);
  });
  test("a script that sources itself ends", async () => {
    expect((await parse(". ./train.sh\npython t.py a=1", { "run/train.sh": ". ./train.sh\n" })).variants).toHaveLength(
      1,
    );
  });
});

describe("where an edit lands", () => {
  const landing = async (script: string, key: string): Promise<string> => {
    const [variant] = (await parse(script)).variants;
    const node = variant.root.entries.find((entry) => entry.key === key)?.value;
    if (node?.kind !== "scalar") return "no scalar";
    return node.editable
      ? script.slice(0, node.span.start) +
          "[" +
          script.slice(node.span.start, node.span.end) +
          "]" +
          script.slice(node.span.end)
      : `no: ${node.whyNot}`;
  };
  test.each<readonly [string, string, string]>([
    ["python t.py n=8", "n", "python t.py n=[8]"],
    ['python t.py n="8"', "n", 'python t.py n="[8]"'],
    ["N=${N:-8}\npython t.py n=$N", "n", "N=${N:-[8]}\npython t.py n=$N"],
    ["N='8' # rollouts\npython t.py n=${N}", "n", "N='[8]' # rollouts\npython t.py n=${N}"],
    ['A=(n=8)\npython t.py "${A[@]}"', "n", 'A=(n=[8])\npython t.py "${A[@]}"'],
    ['C="python t.py n=8 m=1"\n$C', "n", 'C="python t.py n=[8] m=1"\n$C'],
    ["bash -c 'python t.py n=8'", "n", "bash -c 'python t.py n=[8]'"],
    ["N=4\npython t.py n=$((N*2))", "n", "no: it is computed: $((N*2)) = 8"],
    [
      "N=8\npython t.py n=$N m=$N",
      "n",
      "no: the same value also feeds `m`; write a number in its place to change this alone",
    ],
    ["N=8\npython t.py n=$N name=run-$N", "n", "N=[8]\npython t.py n=$N name=run-$N"],
    ["python t.py n=1$X", "n", "no scalar"],
  ])("%s", async (script, key, expected) => expect(await landing(script, key)).toBe(expected));
});

describe("variants", () => {
  const names = async (script: string): Promise<(string | null)[]> =>
    (await parse(script)).variants.map((variant) => variant.name);
  test("a sweep gives one for each round, also nested", async () => {
    expect(await names("for n in 4 8; do for m in 1 2; do python t.py n=$n m=$m; done; done")).toEqual([
      "n=4, m=1",
      "n=4, m=2",
      "n=8, m=1",
      "n=8, m=2",
    ]);
  });
  test("a comparison with something from outside is another way to start", async () => {
    expect(
      await names("M=${M:-a}\nif [ $M = b ]; then N=2; elif [ $M = c ]; then N=3; else N=1; fi\npython t.py n=$N"),
    ).toEqual([null, "M=b", "M=c"]);
  });
  test("a branch on what the script itself fixed is none", async () => {
    expect(await names("M=a\nif [ $M = b ]; then N=2; else N=1; fi\npython t.py n=$N")).toEqual([null]);
  });
  test("switches that change nothing are no ways to start, however many there are", async () => {
    const noise = Array.from(
      { length: 60 },
      (_, index) => `S${index}=\${S${index}:-0}\nif [ "$S${index}" = 1 ]; then echo on; U${index}=1; fi`,
    ).join("\n");
    expect(
      await names(`${noise}\nM=\${M:-a}\nif [ "$M" = b ]; then K=2; else K=1; fi\nN=$((K * 4))\npython t.py n=$N`),
    ).toEqual([null, "M=b"]);
  });
  test("guards do not end the reading", async () => {
    expect(
      await args(
        'if [ -z "$KEY" ]; then echo no; exit 1; fi\n[ $# -lt 1 ] && exit 2\ncommand -v uv || exit 3\npython t.py n=1',
      ),
    ).toEqual({ n: 1 });
  });
  test("the rank that launches is the one that counts", async () => {
    expect(await args('if [ "$NODE_RANK" == "0" ]; then\n python t.py n=1\nelse\n sleep 100\nfi')).toEqual({ n: 1 });
  });
});

describe("a lost backslash", () => {
  test("arguments after it are not taken for set, and it is said", async () => {
    const document = await parse("python t.py \\\n a.b=1\n a.c=2 \\\n a.d=3\n");
    expect(document.variants.map((variant) => plain(variant.root))).toEqual([{ a: { b: 1 } }]);
    expect(document.diagnostics.map((one) => one.code)).toEqual(["config.parse"]);
  });
  test("a comment inside the continuation ends it too", async () => {
    expect(await args("python t.py \\\n a.b=1 \\\n # a.x=9 \\\n a.c=2\n")).toMatchObject({ a: { b: 1 } });
  });
});

function check(document: SyntaxDocument, length: number): void {
  const inside = (span: { start: number; end: number }): void => {
    if (!(span.start >= 0 && span.end >= span.start && span.end <= length))
      throw new Error(`span ${span.start}–${span.end} outside 0–${length}`);
  };
  const visit = (node: TreeNode): void => {
    if (node.file === undefined) inside(node.span);
    if (node.kind === "map") node.entries.forEach((entry) => visit(entry.value));
    if (node.kind === "list") node.items.forEach(visit);
  };
  for (const variant of document.variants) {
    visit(variant.root);
    visit(variant.flags as MapNode);
    inside((variant as ConfigVariant).anchor);
  }
  document.diagnostics.forEach((one) => inside(one.span));
}

const root = new URL("../../fixtures/configs/", import.meta.url);
const fixtures = (readdirSync(root, { recursive: true }) as string[])
  .filter((name) => name.endsWith(".sh"))
  .map((name) => readFileSync(new URL(name, root), "utf8"));

describe("nothing throws, hangs or leaves the text", () => {
  test("mutations of the fixtures", async () => {
    const junk = fc.constantFrom(
      "",
      '"',
      "'",
      "`",
      "$(",
      "${",
      "))",
      "((",
      "{",
      "}",
      "\\",
      "\\\n",
      "\n",
      "\r\n",
      ";;",
      "esac",
      "fi",
      "done",
      "do ",
      "then ",
      "<<EOF\n",
      "$",
      "|",
      "&&",
      "(",
      ")",
      "[[",
      "]]",
      "\t",
      "\u0000",
      "é",
      "\u{1F600}",
      "${a[",
      "$((1/0))",
      "${x:?}",
      "${!x}",
      "!",
      "*",
      "while :; do ",
      "f() { f; }; f\n",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fixtures),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(6), junk), { minLength: 1, maxLength: 4 }),
        async (text, changes) => {
          let mutated = text;
          for (const [where, cut, insert] of changes) {
            const at = Math.floor(where * mutated.length);
            mutated = mutated.slice(0, at) + insert + mutated.slice(at + cut);
          }
          check(await parse(mutated), mutated.length);
        },
      ),
      { numRuns: 150 },
    );
  }, 60_000);

  test.each<readonly [string, string]>([
    ["an endless loop", "while true; do x=$((x+1)); done\npython t.py n=8\n"],
    ["an endless loop with a test that never fails", "i=0\nwhile [ $i -lt 10 ]; do :; done\npython t.py n=8\n"],
    ["a function that calls itself", "f() { f; f; }\nf\npython t.py n=8\n"],
    ["functions that call each other", "f() { g; g; }\ng() { f; f; }\nf\npython t.py n=8\n"],
    ["loops in loops in loops", `${"for i in {1..60}; do ".repeat(5)}x=$i${"; done".repeat(5)}\npython t.py n=8\n`],
    ["a for loop over nothing but itself", "for ((;;)); do :; done\npython t.py n=8\n"],
    [
      "a pattern full of stars",
      `x=${"a".repeat(150)}\nfor i in {1..50}; do case $x in *a*a*a*a*a*a*a*a*b) y=1;; esac; y=\${x//*a*a*a*b/z}; z=\${x##*a*a*a*a*b}; done\npython t.py n=8\n`,
    ],
    [
      "a regular expression that backtracks",
      `x=${"a".repeat(180)}\nif [[ $x =~ ^(a|a)*b$ ]]; then y=1; fi\nif [[ $x =~ ^(a+)+$ ]]; then y=1; fi\npython t.py n=8\n`,
    ],
    ["a string that doubles", "x=aaaaaaaaaa\nfor i in {1..60}; do x=$x$x; done\npython t.py n=8\n"],
  ])("%s", async (_, script) => {
    const started = cpuTime();
    const document = await parse(script);
    expect(cpuTime() - started).toBeLessThan(5_000);
    check(document, script.length);
  });

  test("work is bounded, and it is said", async () => {
    const script = `${"for i in {1..60}; do ".repeat(4)}x=$i${"; done".repeat(4)}\npython t.py n=8\n`;
    expect((await parse(script)).diagnostics.some((one) => one.code === "config.too-large")).toBe(true);
  });

  test("CRLF and a BOM change no value, and spans hold in the text as it is", async () => {
    const script = "\uFEFFN=${N:-8}\r\npython t.py \\\r\n  n=$N \\\r\n  model=Qwen/Qwen3-8B\r\n";
    const [variant] = (await parse(script)).variants;
    expect(plain(variant.root)).toEqual({ n: 8, model: "Qwen/Qwen3-8B" });
    expect(variant.root.entries.map((entry) => script.slice(entry.value.span.start, entry.value.span.end))).toEqual([
      "8",
      "Qwen/Qwen3-8B",
    ]);
  });

  test("5,000 lines, and 2 MB", async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `V${index}=$(( ${index} + 1 ))`).join("\n");
    const document = await parse(`${lines}\npython t.py n=$V4999\n`);
    expect(document.variants.map((variant) => plain(variant.root))).toEqual([{ n: 5_000 }]);
    const large = `# ${"x".repeat(200)}\n`.repeat(10_000) + "python t.py n=8\n";
    expect((await parse(large)).variants).toHaveLength(1);
  }, 30_000);
});
