import { isClaimed } from "../assessment/verdict";
import {
  CodeActionKind,
  DiagnosticSeverity,
  type CodeAction,
  type CodeActionContext,
  type Diagnostic,
} from "vscode-languageserver-types";
import { isAllocated } from "../assessment/types";
import type { Span } from "../syntax/text";
import { isKnownAxis } from "../core/axes";
import { Commands } from "../protocol";
import { DIAGNOSTIC_CODES } from "./codes";
import { axisOf, setOf } from "./fields";
import {
  experimentAt,
  overlaps,
  rangeOf,
  sitesOf,
  type DocumentModel,
  type ShownExperiment,
  type Token,
} from "./model";
import { say } from "../report/words";

/** What an action carries to its resolution, which makes the edit. */
export type ActionData = { readonly uri: string; readonly version: number; readonly experiment: string } & (
  | { readonly kind: "optimise" | "same-success" | "group-size" }
  | { readonly kind: "set"; readonly path: string; readonly start: number }
  | { readonly kind: "pin" | "unpin"; readonly axis: string }
  | { readonly kind: "fact"; readonly axis: string }
);

/** Actions for the budget at the cursor; edits are made when one is chosen. */
export function codeActions(model: DocumentModel, range: Span, context: CodeActionContext, token: Token): CodeAction[] {
  if (model.limited || token.isCancellationRequested) return [];
  const experiment = experimentAt(model, range.start);
  const silence = [...renameActions(model, range, context), ...silenceActions(model, context)];
  if (!experiment || experiment.stale) return asked(silence, context);
  const actions = [
    ...setActions(model, experiment, range),
    ...optimiseActions(model, experiment, range, context),
    ...groupSizeActions(model, experiment, range),
    ...pinActions(model, experiment, range),
    ...factActions(model, experiment, context),
    ...silence,
  ];
  return asked(actions, context);
}

function asked(actions: CodeAction[], { only }: CodeActionContext): CodeAction[] {
  return only
    ? actions.filter((action) => only.some((kind) => action.kind === kind || action.kind?.startsWith(`${kind}.`)))
    : actions;
}

/** A misspelt key gets its name; the value stays where it is. */
function renameActions(model: DocumentModel, range: Span, { diagnostics }: CodeActionContext): CodeAction[] {
  return model.diagnostics.flatMap(({ span, code, suggestion }) => {
    if (suggestion === undefined || !overlaps(span, range)) return [];
    const at = rangeOf(model.lines, span);
    const quote = /^["']/.exec(model.text.slice(span.start, span.end))?.[0] ?? "";
    return [
      {
        title: say("action.rename", suggestion),
        kind: CodeActionKind.QuickFix,
        isPreferred: true,
        diagnostics: diagnostics.filter((one) => one.code === code && one.range.start.line === at.start.line),
        edit: {
          documentChanges: [
            {
              textDocument: { uri: model.uri, version: model.version },
              edits: [{ range: at, newText: `${quote}${suggestion}${quote}` }],
            },
          ],
        },
      },
    ];
  });
}

/** Switches a kind of diagnostic off, in the settings. An error stays. */
function silenceActions(model: DocumentModel, { diagnostics }: CodeActionContext): CodeAction[] {
  const codes = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const code = DIAGNOSTIC_CODES.find((one) => one === diagnostic.code);
    if (code && diagnostic.severity !== DiagnosticSeverity.Error)
      codes.set(code, [...(codes.get(code) ?? []), diagnostic]);
  }
  return [...codes].map(([code, found]) => ({
    title: say("action.silence", code),
    kind: CodeActionKind.QuickFix,
    diagnostics: found,
    command: { title: say("action.silence", code), command: Commands.setLevel, arguments: [model.uri, code, "off"] },
  }));
}

type KindData = ActionData extends infer Data
  ? Data extends ActionData
    ? Omit<Data, "uri" | "version" | "experiment">
    : never
  : never;

function action(
  model: DocumentModel,
  experiment: ShownExperiment,
  title: string,
  kind: string,
  data: KindData,
  extra: Partial<CodeAction> = {},
): CodeAction {
  return {
    title,
    kind,
    data: { uri: model.uri, version: model.version, experiment: experiment.assessment.budget.name, ...data },
    ...extra,
  };
}

function within(diagnostics: readonly Diagnostic[], code: string, experiment: ShownExperiment): Diagnostic[] {
  return diagnostics.filter(
    (diagnostic) =>
      diagnostic.code === code &&
      ((diagnostic.data as { experiments?: readonly string[] } | undefined)?.experiments?.includes(
        experiment.assessment.budget.name,
      ) ??
        true),
  );
}

function optimiseActions(
  model: DocumentModel,
  experiment: ShownExperiment,
  range: Span,
  context: CodeActionContext,
): CodeAction[] {
  const { allocation, budget } = experiment.assessment;
  if (!isAllocated(allocation)) return [];
  const near =
    overlaps(budget.anchor, range) ||
    sitesOf(experiment).some((site) => overlaps(site.keySpan, range) || overlaps(site.valueSpan, range));
  if (!near) return [];
  const fixes = within(context.diagnostics, "allocation.suboptimal", experiment);
  const actions: CodeAction[] = [];
  if (allocation.edits.length > 0) {
    if (fixes.length > 0)
      actions.push(
        action(
          model,
          experiment,
          say("action.optimise"),
          CodeActionKind.QuickFix,
          { kind: "optimise" },
          { isPreferred: true, diagnostics: fixes },
        ),
      );
    actions.push(
      action(
        model,
        experiment,
        say("action.optimise"),
        CodeActionKind.RefactorRewrite,
        { kind: "optimise" },
        { isPreferred: true },
      ),
    );
  } else if (allocation.remainder.length > 0) {
    // Nothing can be written into this file; Explain says what to do instead.
    actions.push({
      title: say("lens.explain"),
      kind: CodeActionKind.RefactorRewrite,
      command: { title: say("lens.explain"), command: Commands.explain, arguments: [model.uri, budget.name] },
    });
  }
  actions.push(
    action(model, experiment, say("action.sameSuccess"), CodeActionKind.RefactorRewrite, { kind: "same-success" }),
  );
  return actions;
}

function setActions(model: DocumentModel, experiment: ShownExperiment, range: Span): CodeAction[] {
  return sitesOf(experiment).flatMap((site) => {
    if (!overlaps(site.valueSpan, range) && !overlaps(site.keySpan, range)) return [];
    const edit = setOf(experiment.assessment, site);
    return edit
      ? [
          action(model, experiment, say("action.set", site.path, edit.to), CodeActionKind.RefactorRewrite, {
            kind: "set",
            path: site.path,
            start: site.valueSpan.start,
          }),
        ]
      : [];
  });
}

/** The way back moves epochs or steps; moving the group size instead is only done when it is asked for by name. */
function groupSizeActions(model: DocumentModel, experiment: ShownExperiment, range: Span): CodeAction[] {
  const { allocation, verdict } = experiment.assessment;
  if (!isAllocated(allocation) || !isClaimed(verdict) || model.assessment?.document.framework === "native") return [];
  const here = sitesOf(experiment).some(
    (site) =>
      site.field === "groupSize" && site.editable && (overlaps(site.valueSpan, range) || overlaps(site.keySpan, range)),
  );
  return here
    ? [action(model, experiment, say("action.groupSize"), CodeActionKind.RefactorRewrite, { kind: "group-size" })]
    : [];
}

function pinActions(model: DocumentModel, experiment: ShownExperiment, range: Span): CodeAction[] {
  if (!model.scalingUri) return [];
  const axes = new Set<string>();
  for (const site of sitesOf(experiment)) {
    const axis = axisOf(site.field);
    if (axis && (overlaps(site.valueSpan, range) || overlaps(site.keySpan, range))) axes.add(axis);
  }
  return [...axes].map((axis) =>
    model.pins.includes(axis)
      ? action(model, experiment, say("action.unpin", axis), CodeActionKind.RefactorRewrite, { kind: "unpin", axis })
      : action(model, experiment, say("action.pin", axis), CodeActionKind.RefactorRewrite, { kind: "pin", axis }),
  );
}

function factActions(model: DocumentModel, experiment: ShownExperiment, context: CodeActionContext): CodeAction[] {
  const fixes = within(context.diagnostics, "budget.unknown", experiment);
  if (!model.scalingUri || fixes.length === 0) return [];
  // What the file says under a misspelt name is to be renamed, not said again elsewhere.
  const misspelt = new Set(model.diagnostics.map(({ suggestion }) => suggestion));
  // A fact of another name has no place in scaling.yaml.
  return experiment.assessment.missing
    .filter(({ axis }) => isKnownAxis(axis) && !misspelt.has(axis))
    .map(({ axis }) =>
      action(
        model,
        experiment,
        say("action.fact", axis),
        CodeActionKind.QuickFix,
        { kind: "fact", axis },
        { diagnostics: fixes },
      ),
    );
}
