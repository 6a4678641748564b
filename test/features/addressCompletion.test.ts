import { expect, test } from "vitest";
import { completions } from "../../server/features/completion";

/** What is offered at the bar, and the text once the first is taken. */
function at(text: string, kind: "scaling" | "budget" = "scaling") {
  const offset = text.indexOf("|");
  const bare = text.replace("|", "");
  const items = completions(kind, "yaml", bare, offset);
  return items.map(({ label, textEdit }) => {
    if (!textEdit || !("range" in textEdit)) return [label, null];
    const lines = bare.split("\n");
    const { start, end } = textEdit.range;
    const line = lines[start.line];
    lines[start.line] = line.slice(0, start.character) + label + line.slice(end.character);
    return [label, lines.join("\n")];
  });
}

test.each([
  ["logs: |", "logs: sqlite:mlflow.db"],
  ["logs: [|]", "logs: [sqlite:mlflow.db]"],
  ['logs: ["runs/**", sq|]', 'logs: ["runs/**", sqlite:mlflow.db]'],
  ["logs:\n  - runs/**\n  - sqlite:ml|\nmetric: acc\n", "logs:\n  - runs/**\n  - sqlite:mlflow.db\nmetric: acc\n"],
  ["law: auto\nlogs:\n- |", "law: auto\nlogs:\n- sqlite:mlflow.db"],
])("an address is offered in %j", (text, taken) => {
  const found = at(text);
  expect(found.map(([label]) => String(label).split(":")[0])).toEqual([
    "sqlite",
    "postgres",
    "clickhouse",
    "s3",
    "https",
  ]);
  expect(found[0][1]).toBe(taken);
});

test.each(["metric: |", "facts:\n  - |", "logs: [runs] |", "# logs: |"])("and none in %j", (text) => {
  expect(at(text).filter(([label]) => String(label).startsWith("sqlite"))).toEqual([]);
});

test("nor in a budget", () => {
  expect(at("logs: |", "budget")).toEqual([]);
});
