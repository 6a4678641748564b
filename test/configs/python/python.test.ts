import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { entryOf } from "../../../server/syntax/nodes";
import { parsePython } from "../../../server/syntax/python";
import type { MapNode, ScalarNode, TreeNode } from "../../../server/syntax/tree";
import type { Grammar } from "../../../server/syntax/treeSitter";
import { grammars } from "../grammars";

let grammar: Grammar;
beforeAll(async () => {
  grammar = await grammars.load("python");
});

function root(text: string): MapNode {
  const document = parsePython(text, grammar);
  expect(document.variants).toHaveLength(1);
  return document.variants[0].root;
}

/** The node at a path; of calls with the same name the last, or the one at `#N`. */
function at(node: TreeNode | undefined, path: string): TreeNode | undefined {
  for (const step of path.split(".")) {
    if (node?.kind === "list") node = node.items[Number(step)];
    else if (node?.kind === "map") {
      const [name, index] = step.split("#");
      node =
        index === undefined
          ? entryOf(node, name)?.value
          : node.entries.filter((entry) => entry.key === name)[Number(index)]?.value;
    } else return undefined;
  }
  return node;
}

function value(text: string, path: string): unknown {
  const node = at(root(text), path);
  return node?.kind === "scalar" ? node.value : node?.kind === "unknown" ? `? ${node.reason}` : node?.kind;
}

describe("constants are what Python makes of them", () => {
  const cases = JSON.parse(
    readFileSync(new URL("../../fixtures/configs/python/constants.json", import.meta.url), "utf8"),
  ) as { expression: string; value: unknown }[];
  test.each(cases)("$expression", ({ expression, value: expected }) => {
    const found = value(`x = ${expression}\n`, "names.x");
    if (typeof expected === "number")
      expect(found === true ? 1 : found === false ? 0 : found).toBeCloseTo(expected, 12);
    else expect(found).toEqual(expected);
  });

  test.each([
    "open('x').read()",
    "x.y",
    "undefined",
    "1 / 0",
    "10 ** 400",
    "f'{a!r}'",
    "f'{3:>5}'",
    "b'x'",
    "1j",
    "[1, 2][5]",
    "{'a': 1}['b']",
    "eval('3')",
    "__import__('os').cpu_count()",
    "len(open('x'))",
    "[x for x in range(9) if x % 2]",
    "range(3)['a']",
    "'abc'[1]",
    "-'a'",
    "'a' < 1",
    "(yield)",
    "99999999999999999999",
  ])("%s would have to be executed", (expression) => {
    const node = at(root(`x = ${expression}\n`), "names.x");
    expect(
      node?.kind === "unknown" ||
        node?.kind === "map" ||
        (node?.kind === "scalar" && node.value === null && expression.includes("get")),
    ).toBe(true);
    if (node?.kind === "unknown") expect(node.reason.length).toBeGreaterThan(3);
  });
});

describe("arguments of calls", () => {
  test("keywords and positions, each at its exact place", () => {
    const text = "trainer = lib.Trainer(\n    'model',  # the policy\n    args=Config(n=8, k = 1_024,), other=None)\n";
    const call = at(root(text), "calls.Trainer") as MapNode;
    expect(call.callee).toBe("lib.Trainer");
    const k = at(call, "args.k") as ScalarNode;
    expect(text.slice(k.span.start, k.span.end)).toBe("1_024");
    expect([k.value, k.text, k.editable]).toEqual([1024, "1_024", true]);
    const model = at(call, "0") as ScalarNode;
    expect([model.value, text.slice(model.span.start, model.span.end), model.text]).toEqual([
      "model",
      "'model'",
      "model",
    ]);
    expect(at(root(text), "calls.Config.n")).toMatchObject({ value: 8 });
  });

  test("**common is laid in; what **kwargs holds is said to be unknown", () => {
    expect(value("common = dict(a=1, b=2)\nc = Config(**common, b=3)\n", "calls.Config.b")).toBe(3);
    expect(value("common = {'a': 1}\nc = Config(b=3, **common)\n", "calls.Config.a")).toBe(1);
    expect(value("c = Config(b=3, **settings.get('more', {}))\n", "calls.Config.**")).toMatch(/only known in a run/);
    expect(value("class A:\n    n: int = 2\nc = Config(**asdict(A()))\n", "calls.Config.n")).toBe(2);
    expect(
      value(
        "p = argparse.ArgumentParser()\np.add_argument('--n', default=2)\nargs = p.parse_args()\nc = Config(**vars(args))\n",
        "calls.Config.n",
      ),
    ).toBe(2);
    expect(
      value(
        "p = argparse.ArgumentParser()\np.add_argument('--n', default=2)\nargs = p.parse_args()\nc = Config(**args.__dict__)\n",
        "calls.Config.n",
      ),
    ).toBe(2);
    expect(value("def f(**kw):\n    return Config(b=3, **kw)\n", "calls.Config.**")).toMatch(/only known in a run/);
  });

  test("a call of a class of this file has its defaults under its arguments", () => {
    const text =
      "@dataclass\nclass Base:\n    a: int = 1\n    b: int = 2\n@dataclass\nclass Config(Base):\n    c: int = 3\n    d: int = field(default=4)\n    e: list = field(default_factory=lambda: [5])\n    f: int\nx = Config(10, c=30)\n";
    expect(["a", "b", "c", "d", "e.0"].map((name) => value(text, `calls.Config.${name}`))).toEqual([10, 2, 30, 4, 5]);
    expect(value(text, "calls.Config.f")).toMatch(/no default/);
    expect(value(text, "classes.Config.d")).toBe(4);
    expect((at(root(text), "classes.Config.class.0") as ScalarNode).value).toBe("Base");
  });

  test("what is assigned into an object afterwards belongs to it", () => {
    const text =
      "c = Config(a=1, deep=dict(x=1))\nc.a = 2\nc.deep['x'] = 3\nc.deep.update(y=4)\nc.update({'z': 5})\nuse(c)\n";
    expect(["a", "deep.x", "deep.y", "z"].map((name) => value(text, `calls.Config.${name}`))).toEqual([2, 3, 4, 5]);
    expect(value("c = Config(a=1)\nif unknown():\n    c.a = 2\n", "calls.Config.a")).toMatch(/condition/);
    expect(value("c = Config(a=1)\nif False:\n    c.a = 2\n", "calls.Config.a")).toBe(1);
    expect(value("c = Config(a=1)\nc[key] = 2\n", "calls.Config.**")).toMatch(/filled by code/);
    expect(value("rows = []\nfor x in y:\n    rows.append(x)\nf(n=len(rows))\n", "calls.f.n")).toMatch(/filled/);
    expect(value("rows = []\ndef load():\n    rows.append(1)\nf(n=len(rows))\n", "calls.f.n")).toMatch(
      /another function/,
    );
  });

  test("a copy has its own changes", () => {
    const text =
      "import copy\na = Model(base='x', n=1)\nb = copy.deepcopy(a)\nb.n = 2\nc = b.model_copy(update={'base': 'y'})\nd = dataclasses.replace(c, n=7)\nuse(a, b, c, d)\n";
    expect(["a.n", "b.n", "c.n", "c.base", "d.n", "d.base"].map((name) => value(text, `names.${name}`))).toEqual([
      1,
      2,
      2,
      "y",
      7,
      "y",
    ]);
  });

  test("groups and their sizes: comprehensions, repeated lists, slices that move along", () => {
    const text =
      "s = 4\nfor i in range(go(), 100):\n    train(gather(Group(f(x) for _ in range(48)) for x in rows[i * s : (i + 1) * s]))\n";
    const groups = at(root(text), "calls.gather.0");
    expect(groups).toMatchObject({ kind: "list", count: 4 });
    expect(at(groups, "0.0")).toMatchObject({ kind: "list", count: 48 });
    expect(at(root(text), "calls.train.for.0")).toMatchObject({ callee: "range" });
    expect(at(root("x = [[1]] * 500\n"), "names.x")).toMatchObject({ count: 500, items: [{ kind: "list" }] });
    expect(at(root("f(rows[:20])\n"), "calls.f.0")).toMatchObject({ count: 20 });
    expect(value("f(rows[i : i * 2])\n", "calls.f.0")).toMatch(/slice/);
  });
});

describe("names", () => {
  test("a value that comes through names keeps the place where it is written", () => {
    const text = "N = 8\nM = N\nconfig = Config(n=M, twice=2 * N)\n";
    const n = at(root(text), "calls.Config.n") as ScalarNode;
    // What `twice` takes too is not moved for `n` alone.
    expect([n.value, n.span.start, n.editable]).toEqual([8, 4, false]);
    expect(n.whyNot).toContain("also feeds `twice`");
    const alone = at(root("N = 8\nM = N\nconfig = Config(n=M)\n"), "calls.Config.n") as ScalarNode;
    expect([alone.value, alone.span.start, alone.editable]).toEqual([8, 4, true]);
    const twice = at(root(text), "calls.Config.twice") as ScalarNode;
    expect([twice.value, twice.editable]).toEqual([16, false]);
  });

  test("the last binding before the use counts, and inner functions see the outer scope whole", () => {
    expect(value("n = 1\nf(n)\nn = 2\n", "calls.f.0")).toBe(1);
    expect(value("def g():\n    f(n)\nn = 1\nn = 2\n", "calls.f.0")).toBe(2);
    expect(value("n = 1\ndef g():\n    n = 5\n    f(n)\n", "calls.f.0")).toBe(5);
    expect(value("class A:\n    n = 3\n    def g(self):\n        f(n)\n", "calls.f.0")).toMatch(/not defined/);
    expect(value("n = 3\nn += 4\nf(n)\n", "calls.f.0")).toBe(7);
    expect(value("for i in x:\n    n += 1\nf(n)\n", "calls.f.0")).toMatch(/^\? /);
    expect(value("a, (b, c) = 1, (2, 3)\nf(a)\n", "calls.f.0")).toBe(1);
  });

  test.each([
    ["if True:\n    n = 1\nelse:\n    n = 2\nf(n)\n", 1],
    ["m = 'b'\nif m == 'a':\n    n = 1\nelif m == 'b':\n    n = 2\nelse:\n    n = 3\nf(n)\n", 2],
    ["n = 1\ntry:\n    n = 2\nexcept E:\n    n = 3\nf(n)\n", 2],
    ["if x():\n    n = 1\nelse:\n    n = 1\nf(n)\n", 1],
    ["if __name__ == '__main__':\n    n = 4\n    f(n)\n", 4],
    ["import os\nif os.environ.get('X'):\n    n = 1\nelse:\n    n = 2\nf(n)\n", 2],
    ["n = None\nn = n or 9\nf(n)\n", 9],
    [
      "from pathlib import Path\nROOT = Path('runs')\nn = str(ROOT / 'models' / 'Tiny-1B')\nf(n)\n",
      "runs/models/Tiny-1B",
    ],
    [
      "from pathlib import Path\nROOT = Path(__file__).resolve().parent\nf(ROOT / 'models' / 'Tiny-1B')\n",
      "models/Tiny-1B",
    ],
  ])("branches that are decided: %j", (text, expected) => {
    expect(value(text, "calls.f.0")).toBe(expected);
  });

  test("branches that only a run decides", () => {
    expect(value("if x():\n    n = 1\nelse:\n    n = 2\nf(n)\n", "calls.f.0")).toMatch(/condition/);
    expect(value("match x:\n    case 1:\n        n = 1\n    case _:\n        n = 2\nf(n)\n", "calls.f.0")).toMatch(
      /^\? /,
    );
    expect(value("n = 1 if x() else 2\nf(n)\n", "calls.f.0")).toMatch(/condition/);
  });

  test("calls in branches that are never taken are left out", () => {
    expect(at(root("if False:\n    Config(n=1)\nelse:\n    Config(n=2)\n"), "calls.Config#1")).toBeUndefined();
  });

  test("parameters take what the calls of this file pass", () => {
    expect(value("def g(n, m=3):\n    f(n + m)\ng(4)\n", "calls.f.0")).toBe(7);
    expect(value("def g(n):\n    f(n)\ng(n=5)\ng(5)\n", "calls.f.0")).toBe(5);
    expect(value("def g(n):\n    f(n)\ng(1)\ng(2)\n", "calls.f.0")).toMatch(/several values/);
    expect(value("def g(n=8):\n    f(n)\n", "calls.f.0")).toBe(8);
    expect(value("def g(n):\n    f(n)\n", "calls.f.0")).toMatch(/whoever calls/);
    expect(value("def g(n):\n    return {'n': n}\nf(g(6)['n'])\n", "calls.f.0")).toBe(6);
    expect(value("def g(x):\n    if x == 'a':\n        return 1\n    return 2\nf(g('a'))\n", "calls.f.0")).toBe(1);
  });
});

describe("the command line, when nothing is given", () => {
  test("argparse", () => {
    const text = [
      "import argparse",
      "p = argparse.ArgumentParser()",
      "g = p.add_argument_group()",
      "p.add_argument('-n', '--num-tasks', type=int, default=8)",
      "g.add_argument('--quoted', type=int, default='16')",
      "p.add_argument('--flag', action='store_true')",
      "p.add_argument('--off', action='store_false')",
      "p.add_argument('--none')",
      "p.add_argument('--must', required=True)",
      "p.add_argument('file')",
      "p.add_argument('--x', dest='renamed', default=1)",
      "args, rest = p.parse_known_args()",
      "use(args.num_tasks, args.quoted, args.flag, args.off, args.none, args.must, args.file, args.renamed)",
      "",
    ].join("\n");
    expect([0, 1, 2, 3, 4, 7].map((i) => value(text, `calls.use.${i}`))).toEqual([8, 16, false, true, null, 1]);
    expect(value(text, "calls.use.5")).toMatch(/must be given/);
    expect(value(text, "calls.use.6")).toMatch(/must be given/);
    const tasks = at(root(text), "calls.use.0") as ScalarNode;
    expect(text.slice(tasks.span.start, tasks.span.end)).toBe("8");
    expect(tasks.editable).toBe(true);
    expect(value(text, "arguments.renamed")).toBe(1);
  });

  test.each([
    ["tyro", "import tyro\n@dataclass\nclass C:\n    n: int = 8\nc = tyro.cli(C)\nuse(c.n)\n"],
    [
      "chz",
      "@chz.chz\nclass C:\n    n: int = 8\ndef main(c: C):\n    use(c.n)\nif __name__ == '__main__':\n    main(chz.entrypoint(C))\n",
    ],
    ["an annotated parameter", "class C:\n    n: int = 8\ndef main(c: C | None):\n    use(c.n)\n"],
    ["click", "@click.command()\n@click.option('--n', default=8)\ndef main(n):\n    use(n)\n"],
    ["typer", "def main(n: int = typer.Option(8, help='x')):\n    use(n)\n"],
    ["pydantic", "class C(BaseModel):\n    n: int = Field(8, ge=1)\nuse(C().n)\n"],
    [
      "HfArgumentParser",
      "@dataclass\nclass C:\n    n: int = 8\nparser = HfArgumentParser((C, GRPOConfig))\nc, t = parser.parse_args_into_dataclasses()\nuse(c.n)\n",
    ],
    ["environment", "import os\nuse(int(os.environ.get('N', '8')))\n"],
    ["getenv", "import os\nuse(os.getenv('N', 8))\n"],
  ])("%s", (_, text) => {
    const node = at(root(text), "calls.use.0") as ScalarNode;
    expect(node).toMatchObject({ kind: "scalar", value: 8, editable: true });
    expect(text.slice(node.span.start, node.span.end)).toMatch(/^'?8'?$/);
  });
});

describe("sweeps", () => {
  test("a loop over values that a config takes makes a variant each", () => {
    const text = "for n in [4, 8, 16]:\n    train(GRPOConfig(num_generations=n))\n";
    const document = parsePython(text, grammar);
    expect(document.variants.map((one) => one.name)).toEqual(["n=4", "n=8", "n=16"]);
    expect(
      document.variants.map((one) => (at(one.root, "calls.GRPOConfig.num_generations") as ScalarNode).value),
    ).toEqual([4, 8, 16]);
  });

  test("through a function, and over pairs", () => {
    const document = parsePython(
      "def run(m, n):\n    GRPOConfig(model=m, num_generations=n)\nfor m, n in (('a', 2), ('b', 4)):\n    run(m, n)\n",
      grammar,
    );
    expect(document.variants.map((one) => (at(one.root, "calls.GRPOConfig.model") as ScalarNode).value)).toEqual([
      "a",
      "b",
    ]);
  });

  test("other loops do not", () => {
    expect(
      parsePython("for split in ['train', 'test']:\n    load(split)\nGRPOConfig(n=1)\n", grammar).variants,
    ).toHaveLength(1);
  });
});
