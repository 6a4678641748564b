import type { Fact } from "../../budget/budget";
import { known, unknown } from "../../budget/budget";
import { readQuantity } from "../../syntax/quantity/expression";
import { entryOf } from "../../syntax/nodes";
import type { Span } from "../../syntax/text";
import type { ConfigDiagnostic, MapEntry, MapNode, ScalarNode, TreeNode } from "../../syntax/tree";
import { sameDimension, type Dimension } from "../../syntax/quantity/units";

export interface QuantityRules {
  /** The dimensions it may have; a plain number counts as the first. Default: a plain number only. */
  readonly dimensions?: readonly Dimension[];
  /** False: a share (`60 %`) is none of it. */
  readonly share?: boolean;
  readonly above?: number;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly whole?: boolean;
}

export interface ReadQuantity {
  readonly value: number;
  readonly dimension: Dimension;
  readonly node: ScalarNode;
  /** True for an expression, whose text is replaced as a whole by an edit. */
  readonly computed: boolean;
  /** True where no unit is written, so that the first dimension was taken. */
  readonly bare: boolean;
}

/**
 * Reads values of our own files out of a tree. What cannot be read becomes a diagnostic on its exact range, and the value stays unknown;
 * the rest is read on.
 */
export class Reader {
  readonly diagnostics: ConfigDiagnostic[] = [];

  map(node: TreeNode | undefined): MapNode | undefined {
    return node?.kind === "map" ? node : undefined;
  }

  entry(map: MapNode | undefined, key: string): MapEntry | undefined {
    return map === undefined ? undefined : entryOf(map, key);
  }

  text(map: MapNode | undefined, key: string): { readonly value: string; readonly node: ScalarNode } | undefined {
    const node = this.entry(map, key)?.value;
    if (node?.kind !== "scalar" || node.value === null || typeof node.value === "boolean") return undefined;
    return { value: String(node.value), node };
  }

  /** One of a few words; anything else is undefined (the shape check has reported it). */
  word<Word extends string>(
    map: MapNode | undefined,
    key: string,
    words: readonly Word[],
  ): { readonly value: Word; readonly node: ScalarNode } | undefined {
    const found = this.text(map, key);
    const word = words.find((candidate) => candidate === found?.value);
    return found === undefined || word === undefined ? undefined : { value: word, node: found.node };
  }

  quantity(map: MapNode | undefined, key: string, rules: QuantityRules = {}): ReadQuantity | undefined {
    const node = this.entry(map, key)?.value;
    return node === undefined ? undefined : this.quantityOf(node, rules);
  }

  quantityOf(node: TreeNode, rules: QuantityRules): ReadQuantity | undefined {
    if (node.kind !== "scalar" || node.value === null || typeof node.value === "boolean") return undefined;
    const dimensions = rules.dimensions ?? [{}];
    let read: ReadQuantity;
    if (typeof node.value === "number") {
      read = { value: node.value, dimension: dimensions[0], node, computed: false, bare: true };
    } else {
      const plainAllowed = dimensions.some((dimension) => sameDimension(dimension, {}))
        ? dimensions
        : [...dimensions, {}];
      // By custom `FLOPS` is a rate; for an amount of compute only the count can be meant.
      const rate = dimensions.some((dimension) => (dimension.hour ?? 0) < 0);
      const result = readQuantity(rate ? node.value : node.value.replace(/FLOPS\b/g, "FLOPs"), plainAllowed);
      if (!result.ok) {
        const { start, end, message } = result.problem;
        this.report(
          within(node, start, end),
          result.problem.code === "not-finite" ? "budget.value" : "config.expression",
          message,
        );
        return undefined;
      }
      if (rules.share === false && node.value.trim().endsWith("%")) {
        this.report(node.span, "config.expression", "Expected an amount, found a share: of what, it does not say.");
        return undefined;
      }
      const { quantity } = result;
      const bare = sameDimension(quantity.dimension, {});
      read = {
        value: quantity.value,
        dimension: bare ? dimensions[0] : quantity.dimension,
        node,
        computed: result.computed,
        bare,
      };
    }
    const objection = objectionTo(read.value, rules);
    if (objection !== undefined) {
      this.report(node.span, "budget.value", objection);
      return undefined;
    }
    return read;
  }

  report(span: Span, code: string, message: string, severity: ConfigDiagnostic["severity"] = "error"): void {
    this.diagnostics.push({ span, severity, code, message });
  }
}

/** The range of a part of a scalar's text. Escapes in quoted text make the parts unreliable: then the whole. */
function within(node: ScalarNode, start: number, end: number): Span {
  const quotes = node.span.end - node.span.start - node.text.length;
  if (start >= end || typeof node.value !== "string" || node.text !== node.value || (quotes !== 0 && quotes !== 2))
    return node.span;
  const from = node.span.start + quotes / 2;
  return { start: from + start, end: from + Math.max(end, start) };
}

function objectionTo(value: number, rules: QuantityRules): string | undefined {
  if (Number.isNaN(value)) return "Not a number.";
  if (!Number.isFinite(value)) return "Too large to be a number.";
  if (rules.above !== undefined && value <= rules.above)
    return rules.above === 0 ? `Must be above 0; it is ${value}.` : `Must be above ${rules.above}; it is ${value}.`;
  if (rules.atLeast !== undefined && value < rules.atLeast) return `Must be at least ${rules.atLeast}; it is ${value}.`;
  if (rules.atMost !== undefined && value > rules.atMost) return `Must be at most ${rules.atMost}; it is ${value}.`;
  if (rules.whole === true && !Number.isInteger(value)) return `Must be a whole number; it is ${value}.`;
  return undefined;
}

/** A fact from a quantity that was read, or unknown with the reason. */
export function factOf(read: ReadQuantity | undefined, reason: string): Fact<number> {
  if (read === undefined) return unknown(reason);
  const note = read.computed ? `${read.node.text} = ${read.value}` : read.node.via;
  return known(read.value, "config", { span: read.node.span, ...(note === undefined ? {} : { note }) });
}
