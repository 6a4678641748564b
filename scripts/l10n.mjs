// The texts of the extension that go through vscode.l10n, for l10n/bundle.l10n.json, the table that translations start from.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "./setup.mjs";

/** The first argument of every `l10n.t(…)`, which must be a literal. */
function textsOf(file) {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const texts = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && /(^|\.)l10n\.t$/.test(node.expression.getText(source))) {
      const [first] = node.arguments;
      if (!first || !ts.isStringLiteralLike(first))
        throw new Error(`${file}: l10n.t wants a literal, not ${first?.getText(source)}`);
      texts.push(first.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

export function bundle() {
  const files = readdirSync(join(root, "extension"), { recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(root, "extension", name));
  const texts = [...new Set(files.flatMap(textsOf))].sort();
  return `${JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])), null, 2)}\n`;
}
