import type {
  AnnotatedTextEdit,
  ChangeAnnotation,
  TextDocumentEdit,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver-types";
import type { PlannedEdit } from "../budget/budget";
import { aligned } from "../syntax/aligned";
import { rangeOf, type DocumentModel } from "./model";
import { say } from "../report/words";

const OPEN_PREVIEW = "scaling-lens.preview";

/**
 * Planned edits as one workspace edit that opens the refactor preview with every change ticked.
 *
 * VS Code opens the preview when any change needs confirmation, but a value that needs it starts unticked. So the values
 * do not, and a creation of the same file, which exists and is therefore ignored, does; the preview does not list it. An
 * untitled document or a notebook's cell cannot be created, so it is edited directly.
 * `title` says what the changes are worth: it stands above them.
 */
export function allocationEdit(
  model: DocumentModel,
  edits: readonly PlannedEdit[],
  title: string = say("preview.open"),
): WorkspaceEdit {
  if (/^(untitled|vscode-notebook-cell):/.test(model.uri)) return plainEdit(model, edits);
  const changeAnnotations: Record<string, ChangeAnnotation> = {
    [OPEN_PREVIEW]: { label: say("preview.open"), needsConfirmation: true },
  };
  // Changes of one label stand together under it, where the preview groups by type.
  const changes: AnnotatedTextEdit[] = changesOf(model, edits).map((change, index) => {
    const annotationId = `scaling-lens.${index}`;
    changeAnnotations[annotationId] = { label: title, needsConfirmation: false };
    return { ...change, annotationId };
  });
  return {
    changeAnnotations,
    documentChanges: [
      textEdit(model, changes),
      { kind: "create", uri: model.uri, options: { ignoreIfExists: true }, annotationId: OPEN_PREVIEW },
    ],
  };
}

/** Edits without a preview: one value that was asked for by name. */
export function plainEdit(model: DocumentModel, edits: readonly PlannedEdit[]): WorkspaceEdit {
  return { documentChanges: [textEdit(model, changesOf(model, edits))] };
}

/** One a value, in the order given; comments that stand below one another still do. */
function changesOf(model: DocumentModel, edits: readonly PlannedEdit[]): TextEdit[] {
  return aligned(
    model.text,
    edits.map(({ span, to }) => ({ span, newText: to })),
  ).map(({ span, newText }) => ({ range: rangeOf(model.lines, span), newText }));
}

function textEdit(model: DocumentModel, edits: (TextEdit | AnnotatedTextEdit)[]): TextDocumentEdit {
  return { textDocument: { uri: model.uri, version: model.version }, edits };
}
