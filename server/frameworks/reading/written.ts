import type { ScalarNode } from "../../syntax/tree";

/** What an edit is for, and what moves along with it by design. */
export function withThose(label: string, { along }: ScalarNode): string {
  return along === undefined ? label : `${label}; ${along.join(", ")} ${along.length > 1 ? "move" : "moves"} along`;
}
