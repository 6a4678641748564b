import { childOf, childrenOf, type PyNode } from "./ast";

/** One branch of an `if`: the conditions before it must fail and its own must hold. */
interface Branch {
  readonly statement: PyNode;
  /** Conditions of the whole statement, of which the first `failed` must fail. */
  readonly conditions: readonly PyNode[];
  readonly failed: number;
  readonly own: PyNode | null;
  readonly body: PyNode;
}

/** Of a branch behind more conditions than anybody writes it is not known whether it is reached. */
const MOST_CONDITIONS = 500;

/** Whether a statement is reached: `null` where that depends on what only a run knows. */
export type Truth = boolean | null;

const known = new WeakMap<PyNode, readonly Branch[]>();

/** The branches of an `if` statement, in order. */
function branchesOf(statement: PyNode): readonly Branch[] {
  const before = known.get(statement);
  if (before) return before;
  const branches: Branch[] = [];
  const conditions: PyNode[] = [];
  const add = (own: PyNode | null, body: PyNode | null): void => {
    if (body) branches.push({ statement, conditions, failed: conditions.length, own, body });
    if (own) conditions.push(own);
  };
  add(childOf(statement, "condition"), childOf(statement, "consequence"));
  for (const clause of childrenOf(statement, "alternative")) {
    if (clause.type === "elif_clause") add(childOf(clause, "condition"), childOf(clause, "consequence"));
    else add(null, childOf(clause, "body"));
  }
  known.set(statement, branches);
  return branches;
}

/** Everything conditional around `node`, up to and without `limit`, that is not also around `use`. */
function conditionsAround(node: PyNode, use: PyNode | null): { branches: PyNode[]; never: boolean; other: PyNode[] } {
  const branches: PyNode[] = [];
  const other: PyNode[] = [];
  let never = false;
  for (let at: PyNode | null = node; at; at = at.parent) {
    // What also holds the use holds for both.
    if (use && at.start <= use.start && use.end <= at.end) break;
    if (
      at.type === "block" &&
      (at.parent?.type === "if_statement" || at.parent?.type === "elif_clause" || at.parent?.type === "else_clause")
    )
      branches.push(at);
    else if (at.type === "except_clause" || at.type === "except_group_clause") never = true;
    else if (at.type === "case_clause") other.push(at);
    else if (at.type === "function_definition" || at.type === "lambda") break;
  }
  return { branches, never, other };
}

function ifOf(block: PyNode): PyNode | null {
  const parent = block.parent;
  return parent?.type === "if_statement" ? parent : parent?.parent?.type === "if_statement" ? parent.parent : null;
}

/**
 * Whether `node` is reached, seen from `use` (null: from outside). `truthOf` judges a condition, or null; `chosen` may
 * fix the branch of an `if` (a variant).
 */
export function reached(
  node: PyNode,
  use: PyNode | null,
  truthOf: (condition: PyNode) => Truth,
  chosen: (statement: PyNode) => PyNode | undefined = () => undefined,
): Truth {
  const { branches, never, other } = conditionsAround(node, use);
  if (never) return false;
  let result: Truth = other.length > 0 ? null : true;
  for (const block of branches) {
    const statement = ifOf(block);
    const branch = statement && branchesOf(statement).find((b) => b.body === block);
    if (!statement || !branch) continue;
    if (use && excludes(branch, use)) return false;
    const choice = chosen(statement);
    const truth = choice ? choice === block : branchTruth(branch, truthOf);
    if (truth === false) return false;
    if (truth === null) result = null;
  }
  return result;
}

/** True where `use` stands in another branch of the same statement. */
function excludes(branch: Branch, use: PyNode): boolean {
  return branchesOf(branch.statement).some(
    (b) => b.body !== branch.body && use.start >= b.body.start && use.end <= b.body.end,
  );
}

function branchTruth(branch: Branch, truthOf: (condition: PyNode) => Truth): Truth {
  if (branch.failed > MOST_CONDITIONS) return null;
  let result: Truth = true;
  for (const condition of branch.conditions.slice(0, branch.failed)) {
    const truth = truthOf(condition);
    if (truth === true) return false;
    if (truth === null) result = null;
  }
  if (!branch.own) return result;
  const truth = truthOf(branch.own);
  return truth === false ? false : truth === null ? null : result;
}
