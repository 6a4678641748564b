import type { WorkspaceEdit } from "vscode-languageserver-types";
import { LineIndex, type TextChange } from "../syntax/text";
import { rangeOf } from "../features/model";
import { readText } from "../host";
import type { Session } from "./session";

/** A `scaling.yaml` as it is to be edited: the open document with its version, or what the disk has; null where there is none. */
export interface ScalingText {
  readonly text: string | null;
  readonly version: number | null;
}

/**
 * A project's `scaling.yaml` as it stands now. What is open wins: offsets from the disk would land anywhere in a buffer that is
 * not saved. The disk is asked again: no watcher may have told yet of what another program wrote.
 */
export async function scalingNow(session: Session, uri: string): Promise<ScalingText> {
  const onDisk = await readText(session.host, uri);
  const open = session.openDocument(uri);
  return open ? { text: open.getText(), version: open.version } : { text: onDisk ?? null, version: null };
}

/**
 * Changes of a `scaling.yaml` as a workspace edit; the file is created where `text` is null. Null: nothing to do. The version is named where the
 * file is open: an edit of another one is then refused by the editor.
 */
export function scalingEdit(
  uri: string,
  { text, version }: ScalingText,
  changes: readonly TextChange[] | null,
): WorkspaceEdit | null {
  if (!changes || changes.length === 0) return null;
  const lines = new LineIndex(text ?? "");
  const edits = {
    textDocument: { uri, version },
    edits: changes.map(({ span, newText }) => ({ range: rangeOf(lines, span), newText })),
  };
  return {
    documentChanges: text === null ? [{ kind: "create", uri, options: { ignoreIfExists: true } }, edits] : [edits],
  };
}
