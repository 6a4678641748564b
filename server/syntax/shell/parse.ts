import type { Span } from "../text";
import type { ConfigDiagnostic } from "../tree";
import type { Grammar, Node } from "../treeSitter";
import type { Assignment, HereDocument, Script, Statement } from "./script";

/** Deeper nesting than this is left out: no script of a person reaches it. */
const MOST_DEPTH = 200;

export function parseScript(text: string, grammar: Grammar, place: Pick<Script, "file" | "locate"> = {}): Script {
  return grammar.parse(text, (root) => {
    const diagnostics: ConfigDiagnostic[] = [];
    if (root.hasError) collectErrors(root, diagnostics);
    return { text, ...place, body: block(root, 0), diagnostics };
  });
}

function collectErrors(root: Node, into: ConfigDiagnostic[]): void {
  const pending = [root];
  for (let node = pending.pop(); node && into.length < 20; node = pending.pop()) {
    if (node.isError || node.isMissing) {
      into.push({
        span: spanOf(node),
        severity: "warning",
        code: "config.parse",
        message: node.isMissing
          ? `The shell expects \`${node.type}\` here.`
          : "This is not valid shell syntax; the rest of the script was read.",
      });
      continue;
    }
    if (node.hasError) for (const child of node.children) if (child) pending.push(child);
  }
}

function spanOf(node: Node): Span {
  return { start: node.startIndex, end: node.endIndex };
}

function block(node: Node, depth: number): Statement[] {
  if (depth > MOST_DEPTH) return [];
  return node.namedChildren.flatMap((child) => (child ? statement(child, depth + 1) : []));
}

function statement(node: Node, depth: number): Statement[] {
  const span = spanOf(node);
  switch (node.type) {
    case "comment":
      return [];
    case "command":
      return [command(node, null)];
    case "variable_assignment":
      return [{ kind: "assign", assignments: [assignment(node)], keyword: null, options: [], ...span }];
    case "variable_assignments":
      return [
        {
          kind: "assign",
          assignments: named(node, "variable_assignment").map(assignment),
          keyword: null,
          options: [],
          ...span,
        },
      ];
    case "declaration_command": {
      const words = node.namedChildren
        .filter((child) => child !== null && child.type !== "variable_assignment")
        .map((child) => spanOf(child as Node));
      return [
        {
          kind: "assign",
          assignments: named(node, "variable_assignment").map(assignment),
          keyword: node.child(0)?.text ?? "declare",
          options: words,
          ...span,
        },
      ];
    }
    case "redirected_statement":
      return redirected(node, depth);
    case "if_statement":
      return [ifStatement(node, depth)];
    case "case_statement":
      return [caseStatement(node, depth)];
    case "for_statement":
      return [forStatement(node, depth)];
    case "c_style_for_statement":
      return [countStatement(node, depth)];
    case "while_statement":
      return [whileStatement(node, depth)];
    case "function_definition": {
      const body = node.childForFieldName("body");
      return [
        {
          kind: "function",
          name: node.childForFieldName("name")?.text ?? "",
          body: body ? statement(body, depth + 1) : [],
          ...span,
        },
      ];
    }
    case "compound_statement":
    case "do_group":
    case "program":
      return [{ kind: "group", body: block(node, depth), subshell: false, ...span }];
    case "subshell":
      return [{ kind: "group", body: block(node, depth), subshell: true, ...span }];
    case "list":
      return listStatement(node, depth);
    case "pipeline":
      return [{ kind: "pipeline", stages: block(node, depth), ...span }];
    case "negated_command": {
      const inner = block(node, depth)[0];
      return inner ? [{ kind: "not", body: inner, ...span }] : [];
    }
    case "test_command":
      return [{ kind: "test", ...span }];
    case "ERROR":
      return block(node, depth);
    default:
      return [];
  }
}

function named(node: Node, type: string): Node[] {
  return node.namedChildren.filter((child): child is Node => child?.type === type);
}

/** The words of a command; pieces that the grammar cut apart without a blank between them are one word. */
function wordsOf(children: readonly Node[]): Span[] {
  const words: { start: number; end: number }[] = [];
  for (const child of children) {
    const last = words.at(-1);
    if (last && last.end === child.startIndex) last.end = child.endIndex;
    else words.push({ start: child.startIndex, end: child.endIndex });
  }
  return words;
}

const NOT_WORDS = new Set([
  "variable_assignment",
  "file_redirect",
  "heredoc_redirect",
  "herestring_redirect",
  "comment",
]);

function command(node: Node, input: HereDocument | null): Statement {
  const children = node.children.filter((child): child is Node => child !== null);
  const here = children.map(hereDocument).find((found) => found !== null) ?? null;
  return {
    kind: "command",
    words: wordsOf(children.filter((child) => !NOT_WORDS.has(child.type))),
    assignments: named(node, "variable_assignment").map(assignment),
    input: input ?? here,
    ...spanOf(node),
  };
}

function hereDocument(node: Node): HereDocument | null {
  if (node.type === "herestring_redirect") {
    const word = node.namedChildren.find((child) => child !== null);
    return word ? { form: "word", ...spanOf(word) } : null;
  }
  if (node.type !== "heredoc_redirect") return null;
  const start = named(node, "heredoc_start")[0];
  const body = named(node, "heredoc_body")[0];
  if (!start || !body) return null;
  return { form: /['"\\]/.test(start.text) ? "raw" : "expanded", ...spanOf(body) };
}

function redirected(node: Node, depth: number): Statement[] {
  const body = node.childForFieldName("body");
  if (!body) return [];
  const input =
    node.children.map((child) => (child ? hereDocument(child) : null)).find((found) => found !== null) ?? null;
  const statements = body.type === "command" ? [command(body, input)] : statement(body, depth + 1);
  // `<<EOF | tee` puts the rest of the pipeline inside the redirect.
  const rest = named(node, "heredoc_redirect").flatMap((redirect) =>
    named(redirect, "pipeline")
      .concat(named(redirect, "list"))
      .flatMap((inner) => block(inner, depth + 1)),
  );
  return [...statements, ...rest];
}

function assignment(node: Node): Assignment {
  const name = node.childForFieldName("name");
  const value = node.childForFieldName("value");
  const index = name?.type === "subscript" ? name.childForFieldName("index") : null;
  const items =
    value?.type === "array"
      ? wordsOf(
          value.children.filter(
            (child): child is Node =>
              child !== null && child.type !== "comment" && child.type !== "(" && child.type !== ")",
          ),
        )
      : null;
  return {
    name: (name?.type === "subscript" ? name.childForFieldName("name")?.text : name?.text) ?? "",
    index: index ? spanOf(index) : null,
    append: node.children.some((child) => child?.type === "+="),
    value: value && !items ? { start: value.startIndex, end: node.endIndex } : null,
    items,
    ...spanOf(node),
  };
}

function ifStatement(node: Node, depth: number): Statement {
  const arms: { test: Statement[] | null; body: Statement[] }[] = [];
  const collect = (clause: Node): void => {
    const test: Statement[] = [];
    const body: Statement[] = [];
    let inBody = clause.type === "else_clause";
    for (const child of clause.children) {
      if (!child) continue;
      if (child.type === "then") inBody = true;
      else if (child.type === "elif_clause" || child.type === "else_clause") continue;
      else if (child.isNamed) (inBody ? body : test).push(...statement(child, depth + 1));
    }
    arms.push({ test: clause.type === "else_clause" ? null : test, body });
  };
  collect(node);
  for (const child of node.namedChildren)
    if (child && (child.type === "elif_clause" || child.type === "else_clause")) collect(child);
  return { kind: "if", arms, ...spanOf(node) };
}

function caseStatement(node: Node, depth: number): Statement {
  const subject = node.childForFieldName("value");
  const arms = named(node, "case_item").map((item) => {
    const patterns: Span[] = [];
    const body: Statement[] = [];
    let inBody = false;
    for (const child of item.children) {
      if (!child) continue;
      if (child.type === ")") {
        inBody = true;
        continue;
      }
      if (!child.isNamed && (child.type === "(" || child.type === "|" || /^;/.test(child.type))) continue;
      if (inBody) body.push(...statement(child, depth + 1));
      else patterns.push(spanOf(child));
    }
    return { patterns, body };
  });
  return {
    kind: "case",
    subject: subject ? spanOf(subject) : { start: node.startIndex, end: node.startIndex },
    arms,
    ...spanOf(node),
  };
}

function forStatement(node: Node, depth: number): Statement {
  const body = node.childForFieldName("body");
  const items: Node[] = [];
  let within = false;
  for (const child of node.children) {
    if (!child) continue;
    if (child.type === "in") within = true;
    else if (child.type === ";" || child.type === "do_group" || child.type === "\n") within = false;
    else if (within && child.type !== "comment") items.push(child);
  }
  const hasIn = node.children.some((child) => child?.type === "in");
  return {
    kind: "for",
    variable: node.childForFieldName("variable")?.text ?? "",
    items: hasIn ? wordsOf(items) : null,
    body: body ? block(body, depth + 1) : [],
    ...spanOf(node),
  };
}

function countStatement(node: Node, depth: number): Statement {
  const body = node.childForFieldName("body");
  const open = node.children.find((child) => child?.type === "((");
  const close = node.children.find((child) => child?.type === "))");
  const parts: Span[] = [];
  if (open && close) {
    let start = open.endIndex;
    for (const child of node.children) {
      if (child?.type !== ";" || child.startIndex > close.startIndex) continue;
      parts.push({ start, end: child.startIndex });
      start = child.endIndex;
    }
    parts.push({ start, end: close.startIndex });
  }
  return { kind: "count", parts, body: body ? block(body, depth + 1) : [], ...spanOf(node) };
}

function whileStatement(node: Node, depth: number): Statement {
  const body = node.childForFieldName("body");
  const test: Statement[] = [];
  for (const child of node.namedChildren) {
    if (!child || child.type === "do_group") break;
    test.push(...statement(child, depth + 1));
  }
  return {
    kind: "while",
    until: node.child(0)?.type === "until",
    test,
    body: body ? block(body, depth + 1) : [],
    ...spanOf(node),
  };
}

function listStatement(node: Node, depth: number): Statement[] {
  const parts = block(node, depth);
  const operator = node.children.some((child) => child?.type === "||") ? "||" : "&&";
  if (parts.length < 2) return parts;
  return [{ kind: "list", left: parts[0], operator, right: parts[1], ...spanOf(node) }];
}
