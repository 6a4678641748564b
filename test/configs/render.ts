import { isKnown, type ConfigReading, type ExperimentBudget, type Fact } from "../../server/budget/budget";
import { LineIndex, type Span } from "../../server/syntax/text";
import type { ConfigDiagnostic, MapNode, SyntaxDocument, TreeNode } from "../../server/syntax/tree";

/** Golden files show what a person would check: each value with its source and the text that it stands in. */
export function renderReading(text: string, reading: ConfigReading): string {
  const lines = [`framework: ${reading.framework ?? "none"}`];
  for (const experiment of reading.experiments) lines.push("", ...renderExperiment(text, experiment));
  lines.push("", ...renderDiagnostics(text, reading.diagnostics));
  return `${lines.join("\n").trimEnd()}\n`;
}

function renderExperiment(text: string, budget: ExperimentBudget): string[] {
  const facts: readonly (readonly [string, Fact<unknown>])[] = [
    ["model", budget.model.name],
    ["parameters", budget.model.parameters],
    ["active parameters", budget.model.activeParameters],
    ...Object.entries(budget.axes),
    ["prompts per step", budget.promptsPerStep],
    ["group size", budget.groupSize],
    ["steps", budget.steps],
    ["epochs", budget.epochs],
    ["prompt tokens", budget.maxPromptTokens],
    ["response tokens", budget.maxResponseTokens],
    ["turns", budget.maxTurns],
    ["gpus", budget.gpus],
    ["algorithm", budget.algorithm],
    ["tokens per rollout", budget.tokensPerTrajectory],
    ["domain", budget.domain],
    ["reward scheme", budget.rewardScheme],
    ["design", budget.design],
    ["coverage", budget.coverage],
  ];
  const known = facts
    .filter(([, fact]) => isKnown(fact))
    .map(
      ([name, fact]) =>
        `  ${name} = ${isKnown(fact) ? `${String(fact.value)} [${fact.source}]${at(text, fact.span, fact.file)}${fact.note === undefined ? "" : ` (${fact.note})`}` : ""}`,
    );
  const unknown = facts
    .filter(([, fact]) => !isKnown(fact))
    .map(([name, fact]) => `  ${name} ? ${isKnown(fact) ? "" : fact.reason}`);
  const synthesis = Object.entries(budget.synthesis).map(
    ([axis, plan]) =>
      `  synthesis ${axis}: ${plan?.method ?? ""}, real ${show(plan?.real)}, synthetic ${show(plan?.synthetic)}`,
  );
  return [
    `experiment ${budget.name}, at ${position(text, budget.anchor.start)}`,
    ...known,
    ...Object.entries(budget.spend).map(([key, { span: _, ...stated }]) => `  ${key} ${JSON.stringify(stated)}`),
    ...(Object.keys(budget.owned).length === 0 ? [] : [`  owned ${JSON.stringify(budget.owned)}`]),
    ...synthesis,
    ...unknown,
  ];
}

function show(fact: Fact<number> | undefined): string {
  return fact !== undefined && isKnown(fact) ? String(fact.value) : "?";
}

function at(text: string, span: Span | undefined, file: string | undefined): string {
  if (span === undefined) return "";
  if (file !== undefined) return ` in ${file}`;
  return ` \`${text.slice(span.start, span.end)}\` at ${position(text, span.start)}`;
}

export function renderDiagnostics(text: string, diagnostics: readonly ConfigDiagnostic[]): string[] {
  return [...diagnostics]
    .sort((a, b) => a.span.start - b.span.start)
    .map((one) => {
      const source = text.slice(one.span.start, one.span.end);
      return `${position(text, one.span.start)} ${one.severity} ${one.code} \`${source.replace(/\r?\n/g, "⏎")}\`: ${one.message}`;
    });
}

function position(text: string, offset: number): string {
  const { line, character } = new LineIndex(text).at(offset);
  return `${line + 1}:${character + 1}`;
}

/** The tree, each scalar with its value, its own text and what it came through. */
export function renderSyntax(text: string, document: SyntaxDocument): string {
  const lines: string[] = [];
  for (const variant of document.variants) {
    lines.push(`--- ${variant.name ?? "only"}`);
    renderMap(text, variant.root, "", lines);
    if (variant.flags.entries.length > 0) renderMap(text, variant.flags, "--", lines);
  }
  lines.push(...renderDiagnostics(text, document.diagnostics));
  return `${lines.join("\n")}\n`;
}

function renderMap(text: string, map: MapNode, prefix: string, lines: string[]): void {
  for (const entry of map.entries) renderNode(text, entry.value, `${prefix}${entry.key}`, lines);
}

function renderNode(text: string, node: TreeNode, path: string, lines: string[]): void {
  switch (node.kind) {
    case "map":
      if (node.entries.length === 0) lines.push(`${path} = {}`);
      renderMap(text, node, `${path}.`, lines);
      return;
    case "list":
      if (node.items.length === 0) lines.push(`${path} = []`);
      node.items.forEach((item, index) => renderNode(text, item, `${path}[${index}]`, lines));
      return;
    case "unknown":
      lines.push(`${path} ? ${node.reason}`);
      return;
    case "scalar": {
      const value = typeof node.value === "string" ? JSON.stringify(node.value) : String(node.value);
      const source =
        node.file === undefined ? text.slice(node.span.start, node.span.end).replace(/\r?\n/g, "⏎") : `in ${node.file}`;
      lines.push(
        `${path} = ${value}  \`${source}\`${node.editable ? "" : ` fixed: ${node.whyNot ?? ""}`}${node.via === undefined ? "" : ` via ${node.via}`}`,
      );
    }
  }
}
