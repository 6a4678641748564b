import type {
  AnnotatedTextEdit,
  ChangeAnnotation,
  TextDocumentEdit,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver-types";
import type { PlannedEdit } from "../budget/budget";
import { rangeOf, type DocumentModel } from "./model";
import { say } from "../report/words";

const OPEN_PREVIEW = "scaling-lens.preview";

/**
 * Planned edits as one workspace edit that opens the refactor preview with every change ticked.
 *
 * VS Code opens the preview when any change needs confirmation, but a value that needs it starts unticked. So the values
 * do not, and a creation of the same file, which exists and is therefore ignored, does; the preview does not list it. An
 * untitled document cannot be created, so it is edited directly.
 */
export function allocationEdit(model: DocumentModel, edits: readonly PlannedEdit[]): WorkspaceEdit {
  if (model.uri.startsWith("untitled:")) {
    return {
      documentChanges: [
        textEdit(
          model,
          edits.map((edit) => ({ range: rangeOf(model.lines, edit.span), newText: edit.to })),
        ),
      ],
    };
  }
  const changeAnnotations: Record<string, ChangeAnnotation> = {
    [OPEN_PREVIEW]: { label: say("preview.open"), needsConfirmation: true },
  };
  const changes: AnnotatedTextEdit[] = edits.map((edit, index) => {
    const annotationId = `scaling-lens.${index}`;
    changeAnnotations[annotationId] = {
      label: `${edit.path}: ${edit.from} → ${edit.to}`,
      description: edit.label,
      needsConfirmation: false,
    };
    return { range: rangeOf(model.lines, edit.span), newText: edit.to, annotationId };
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
  return {
    documentChanges: [
      textEdit(
        model,
        edits.map((edit) => ({ range: rangeOf(model.lines, edit.span), newText: edit.to })),
      ),
    ],
  };
}

function textEdit(model: DocumentModel, edits: (TextEdit | AnnotatedTextEdit)[]): TextDocumentEdit {
  return { textDocument: { uri: model.uri, version: model.version }, edits };
}
