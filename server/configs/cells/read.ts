import { checkShape } from "../schema/check";
import { docAt } from "../schema/describe";
import { Reader } from "../schema/reader";
import { entryOf } from "../../syntax/nodes";
import type { Span } from "../../syntax/text";
import type { ConfigDiagnostic, MapNode, TreeNode } from "../../syntax/tree";
import { parseYaml } from "../../syntax/yaml/yaml";
import { QUERY_KEYS, querySchemaFor, SHOWN, type Shown } from "./schema";

export interface FitQuery {
  readonly logs?: readonly string[];
  readonly file?: string;
  readonly law?: string;
  readonly by?: readonly string[];
  readonly axes?: readonly string[];
  readonly metric?: string;
  readonly final?: string;
  readonly loss?: string;
  readonly huberDelta?: number;
  readonly bootstrap?: number;
  readonly seed?: number;
}

interface LevelsQuery {
  readonly levels: Readonly<Record<string, number>>;
  readonly setting?: string;
}

interface AllocateQuery {
  readonly budget: string;
  readonly experiment?: string;
  /** An amount with its unit, as written. */
  readonly compute?: string;
  readonly sameSuccess: boolean;
  readonly pin: readonly string[];
}

interface PlanQuery {
  readonly budget: string;
  readonly experiment?: string;
  readonly runs?: number;
}

export type Command = "fit" | "predict" | "allocate" | "compare" | "measure" | "forecast" | "plan";

/** What a cell asks for. Absent: not asked for. */
export interface Query {
  readonly fit?: FitQuery;
  readonly predict?: readonly LevelsQuery[];
  readonly allocate?: AllocateQuery;
  readonly compare?: readonly string[];
  readonly measure?: readonly string[];
  readonly forecast?: readonly string[];
  readonly plan?: PlanQuery;
  /** Null when the cell does not say: then the command decides. */
  readonly show: readonly Shown[] | null;
}

export interface QueryReading {
  readonly query: Query;
  readonly diagnostics: readonly ConfigDiagnostic[];
  /** Where each command stands, for errors that only show when it runs. */
  readonly places: Readonly<Partial<Record<Command | "show", Span>>>;
  readonly root: MapNode | null;
}

const AXES = ["tasks", "environments", "worlds", "structures", "trajectories", "parameters"];

/** Reads a fit cell. Never fails: what was understood, and diagnostics with ranges. */
export function readQuery(text: string): QueryReading {
  const syntax = parseYaml(text, { dialect: "1.2" });
  const [variant, second] = syntax.variants;
  const root = variant?.root ?? null;
  const reader = new Reader();
  if (second)
    reader.report(second.anchor, "query.several", "A cell holds one query; what follows `---` is not read.", "warning");
  if (!root) return { query: { show: null }, diagnostics: [...syntax.diagnostics], places: {}, root };

  const known = (path: readonly string[]): readonly string[] =>
    (path.length === 0 ? QUERY_KEYS : (docAt(QUERY_KEYS, path)?.children ?? [])).map((doc) => doc.key);
  const shape = checkShape(
    querySchemaFor((key) => entryOf(root, key)?.value.kind === "map"),
    root,
    known,
  )
    // A cell is run: what is not understood must not be passed over.
    .map((found) => ({
      ...found,
      code: found.code.replace(/^budget\./, "query."),
      severity: found.code.endsWith("unknown") ? ("error" as const) : found.severity,
    }));
  const query: Query = {
    ...present("fit", readFit(reader, entryOf(root, "fit")?.value)),
    ...present("predict", readLevels(reader, entryOf(root, "predict")?.value)),
    ...present("allocate", readAllocate(reader, entryOf(root, "allocate")?.value)),
    ...present("compare", readTexts(entryOf(root, "compare")?.value)),
    ...present("measure", readTexts(entryOf(root, "measure")?.value)),
    ...present("forecast", readTexts(entryOf(root, "forecast")?.value)),
    ...present("plan", readPlan(reader, entryOf(root, "plan")?.value)),
    show:
      readTexts(entryOf(root, "show")?.value)?.filter((word): word is Shown =>
        (SHOWN as readonly string[]).includes(word),
      ) ?? null,
  };
  const places = Object.fromEntries(root.entries.map((entry) => [entry.key, entry.keySpan]));
  const found = reader.diagnostics.map((one) => ({ ...one, code: one.code.replace(/^budget\./, "query.") }));
  return { query, diagnostics: [...syntax.diagnostics, ...shape, ...found], places, root };
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): Partial<Record<Key, Value>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, Value>);
}

function readTexts(node: TreeNode | undefined): readonly string[] | undefined {
  if (node?.kind === "scalar" && typeof node.value === "string" && node.value !== "") return [node.value];
  if (node?.kind !== "list") return undefined;
  return node.items.flatMap((item) => (item.kind === "scalar" && typeof item.value === "string" ? [item.value] : []));
}

function readText(node: TreeNode | undefined): string | undefined {
  return node?.kind === "scalar" && typeof node.value === "string" && node.value !== "" ? node.value : undefined;
}

function readFit(reader: Reader, node: TreeNode | undefined): FitQuery | undefined {
  const short = readText(node);
  if (short !== undefined) return /\.fit\.json$/.test(short) ? { file: short } : { logs: [short] };
  const map = reader.map(node);
  if (!map) return undefined;
  const text = (key: string): string | undefined => readText(entryOf(map, key)?.value);
  const texts = (key: string): readonly string[] | undefined => readTexts(entryOf(map, key)?.value);
  const number = (key: string, whole: boolean, above: number): number | undefined =>
    reader.quantity(map, key, whole ? { whole, atLeast: above } : { above })?.value;
  if (!entryOf(map, "logs") && !entryOf(map, "file"))
    reader.report(
      map.entries[0]?.keySpan ?? map.span,
      "query.missing",
      'Say what to fit: `logs: "runs/**"`, or a saved fit with `file:`.',
    );
  const optional = {
    logs: texts("logs"),
    file: text("file"),
    law: text("law"),
    by: texts("by"),
    axes: texts("axes"),
    metric: text("metric"),
    final: text("final"),
    loss: text("loss"),
    huberDelta: number("huber_delta", false, 0),
    bootstrap: number("bootstrap", true, 0),
    seed: number("seed", true, 0),
  };
  return Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as FitQuery;
}

function readLevels(reader: Reader, node: TreeNode | undefined): readonly LevelsQuery[] | undefined {
  if (node?.kind === "list") return node.items.flatMap((item) => readLevels(reader, item) ?? []);
  const map = reader.map(node);
  if (!map) return undefined;
  const levels: Record<string, number> = {};
  for (const axis of AXES) {
    const read = reader.quantity(map, axis, { above: 0 });
    if (read) levels[axis] = read.value;
  }
  const setting = readText(entryOf(map, "setting")?.value);
  return [{ levels, ...(setting === undefined ? {} : { setting }) }];
}

function readAllocate(reader: Reader, node: TreeNode | undefined): AllocateQuery | undefined {
  const short = readText(node);
  if (short !== undefined) return { budget: short, sameSuccess: false, pin: [] };
  const map = reader.map(node);
  if (!map) return undefined;
  const budget = requiredBudget(reader, map);
  if (budget === undefined) return undefined;
  const compute = entryOf(map, "compute")?.value;
  const same = entryOf(map, "same_success")?.value;
  return {
    budget,
    ...present("experiment", readText(entryOf(map, "experiment")?.value)),
    ...present("compute", compute?.kind === "scalar" && compute.value !== null ? String(compute.text) : undefined),
    sameSuccess: same?.kind === "scalar" && same.value === true,
    pin: readTexts(entryOf(map, "pin")?.value) ?? [],
  };
}

function readPlan(reader: Reader, node: TreeNode | undefined): PlanQuery | undefined {
  const short = readText(node);
  if (short !== undefined) return { budget: short };
  const map = reader.map(node);
  if (!map) return undefined;
  const budget = requiredBudget(reader, map);
  if (budget === undefined) return undefined;
  return {
    budget,
    ...present("experiment", readText(entryOf(map, "experiment")?.value)),
    ...present("runs", reader.quantity(map, "runs", { whole: true, atLeast: 1, atMost: 200 })?.value),
  };
}

function requiredBudget(reader: Reader, map: MapNode): string | undefined {
  const budget = readText(entryOf(map, "budget")?.value);
  if (budget === undefined)
    reader.report(
      map.entries[0]?.keySpan ?? map.span,
      "query.missing",
      "Say which experiment: `budget: appworld.budget.yaml`.",
    );
  return budget;
}
