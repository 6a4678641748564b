import type { Span } from "./text";

/** The one ranged tree that every syntax gives. Spans are offsets in `file` (the document itself when absent). */
export type TreeNode = ScalarNode | MapNode | ListNode | UnknownNode;

interface Placed {
  /** The value as it stands in the text, quotes included. */
  readonly span: Span;
  /** URI of another file, when the value was followed into one (a base config, a sourced script). */
  readonly file?: string;
}

export interface ScalarNode extends Placed {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  /** The source text of the value, without quotes; what an edit keeps the style of (`1_024`, `1e3`). */
  readonly text: string;
  /** How the value came to be, when it is more than its own text: `data.n = 8 through ${data.n}`, `default of ${N:-8}`. */
  readonly via?: string;
  /** False where replacing `span` would not do what was asked (an interpolation, an arithmetic result). */
  readonly editable: boolean;
  /** What else moves with it by design, as a person would name it: another way to start the script, the same quantity under another key. */
  readonly along?: readonly string[];
  /** Other literals that the value was computed from (`$((N * 4))`): editing one of them changes it too. */
  readonly from?: readonly Span[];
  /** True where `${…}` in the text is not an interpolation (an unset variable of a shell script). */
  readonly literal?: true;
  /** Why it cannot be edited here, one sentence for the user. */
  readonly whyNot?: string;
}

export interface MapEntry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: TreeNode;
}

export interface MapNode extends Placed {
  readonly kind: "map";
  /** In the order of the text; a key that stands twice appears twice, and the last one counts. */
  readonly entries: readonly MapEntry[];
  /** Python: the name that was called to make this value (`trl.GRPOConfig`); its arguments are the entries. */
  readonly callee?: string;
}

export interface ListNode extends Placed {
  readonly kind: "list";
  readonly items: readonly TreeNode[];
  /** Number of items, where it is known and more than are listed (`[x] * 500`, a comprehension over `range(48)`). */
  readonly count?: number;
  /** The value that alone says the count (`range(500)`). */
  readonly counted?: ScalarNode;
}

/** A value that cannot be known from text: an unset variable, a call that would have to be executed. */
export interface UnknownNode extends Placed {
  readonly kind: "unknown";
  readonly reason: string;
}

export interface ConfigDiagnostic {
  readonly span: Span;
  readonly severity: "error" | "warning" | "information" | "hint";
  /** Stable and dotted: `config.parse`, `config.expression`, `batch.indivisible`, … */
  readonly code: string;
  readonly message: string;
  /** What is meant to stand at the span, where that is clear: the key of a misspelt one. */
  readonly suggestion?: string;
}

/** The command that a launch script runs. */
interface LaunchCommand {
  /** `python3`, `torchrun`, `uv`, … */
  readonly program: string;
  /** Script or module that is started: `verl.trainer.main_ppo`, `examples/train.py`. */
  readonly target: string | null;
  /** Arguments that are neither flags nor `key=value`. */
  readonly positional: readonly string[];
  readonly span: Span;
}

/** One experiment of a document: a branch, a sweep value, a YAML document, or the only one. */
export interface ConfigVariant {
  /** Null when the file holds a single experiment. */
  readonly name: string | null;
  /** Nested keys: YAML, TOML and JSON as they are; Hydra overrides by their dotted path; Python see `python.ts`. */
  readonly root: MapNode;
  /** `--flag value` arguments by name without dashes, `_` written as `-`. Empty for data files. */
  readonly flags: MapNode;
  readonly command: LaunchCommand | null;
  /** Where this experiment begins in the text, for the lens. */
  readonly anchor: Span;
  /** True for what a script starts only where something from outside is given (`METHOD=SPO`). */
  readonly otherwise?: true;
  /** Base configs that it, or a base of it, names and that are not in the workspace. Absent: none. */
  readonly missingBases?: readonly string[];
}

export interface SyntaxDocument {
  readonly syntax: "yaml" | "toml" | "json" | "shell" | "python";
  readonly variants: readonly ConfigVariant[];
  readonly diagnostics: readonly ConfigDiagnostic[];
}
