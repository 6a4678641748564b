// Collects the texts of the extension that go through vscode.l10n into l10n/bundle.l10n.json, the table that translations
// start from. `--check` only compares.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "./setup.mjs";

const target = join(root, "l10n", "bundle.l10n.json");

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

if (process.argv[1]?.endsWith("l10n.mjs")) {
  const fresh = bundle();
  if (process.argv.includes("--check")) {
    if (readFileSync(target, "utf8") !== fresh) {
      console.error("l10n/bundle.l10n.json is out of date: node scripts/l10n.mjs");
      process.exit(1);
    }
  } else writeFileSync(target, fresh);
}
