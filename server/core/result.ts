/**
 * What core returns instead of throwing. `code` is stable and dotted (`axis.one-level`, `table.too-few-runs`);
 * `message` is one sentence for a person.
 */
export interface Problem<Code extends string = string> {
  readonly code: Code;
  readonly message: string;
}

export type Result<Value, Code extends string = string> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problem: Problem<Code> };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function refused<Code extends string>(
  code: Code,
  message: string,
): { readonly ok: false; readonly problem: Problem<Code> } {
  return { ok: false, problem: { code, message } };
}
