import { modelSize } from "../../budget/modelName";
import type { Span } from "../../syntax/text";
import type { TreeNode } from "../../syntax/tree";
import type { Reader } from "../schema/reader";

/** A model to choose, by name or size. */
export interface ListedModel {
  readonly name: string;
  readonly parameters: number;
  /** Null where the name does not say: all of them. */
  readonly activeParameters: number | null;
}

/** Models by a name that states their size, or by the size alone. */
export function modelsOf(
  reader: Reader,
  node: TreeNode | undefined,
): readonly { readonly value: ListedModel; readonly span: Span }[] {
  const items = node?.kind === "list" ? node.items : node === undefined ? [] : [node];
  return items.flatMap((item) => {
    if (item.kind !== "scalar" || item.value === null || typeof item.value === "boolean") return [];
    const name = String(item.value);
    if (typeof item.value === "number") {
      const read = reader.quantityOf(item, { above: 0 });
      return read ? [{ value: { name, parameters: read.value, activeParameters: null }, span: item.span }] : [];
    }
    const { parameters, activeParameters } = modelSize(name);
    if (parameters.value !== null)
      return [
        { value: { name, parameters: parameters.value, activeParameters: activeParameters.value }, span: item.span },
      ];
    reader.report(
      item.span,
      "budget.value",
      `The size of this model is not known: ${parameters.reason}. Write \`8B\`.`,
    );
    return [];
  });
}
