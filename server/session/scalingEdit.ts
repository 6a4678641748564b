import type { WorkspaceEdit } from "vscode-languageserver-types";
import { LineIndex, type TextChange } from "../syntax/text";
import { rangeOf } from "../features/model";

/**
 * Changes of a `scaling.yaml` as a workspace edit; the file is created where `text` is null. Null: nothing to do.
 * No version is named, since the file need not be open.
 */
export function scalingEdit(
  uri: string,
  text: string | null,
  changes: readonly TextChange[] | null,
): WorkspaceEdit | null {
  if (!changes || changes.length === 0) return null;
  const lines = new LineIndex(text ?? "");
  const edits = {
    textDocument: { uri, version: null },
    edits: changes.map(({ span, newText }) => ({ range: rangeOf(lines, span), newText })),
  };
  return {
    documentChanges: text === null ? [{ kind: "create", uri, options: { ignoreIfExists: true } }, edits] : [edits],
  };
}
