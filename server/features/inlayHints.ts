import { InlayHintKind, type InlayHint, type InlayHintLabelPart } from "vscode-languageserver-types";
import { isAllocated, type AllocationView } from "../assessment/types";
import type { FieldSite } from "../budget/budget";
import type { Span } from "../syntax/text";
import { Commands } from "../protocol";
import { aimOf, axisOf, editOf, isLevel, recommendation, setOf } from "./fields";
import { count } from "../report/numbers";
import { capital, code, escape } from "../report/print/markdown";
import { overlaps, rangeOf, sitesOf, type DocumentModel, type ShownExperiment, type Token } from "./model";
import { verdictLine } from "../report/headline";
import { isClaimed } from "../assessment/verdict";
import { type Verdict } from "../assessment/verdictTypes";
import { basis } from "../report/asked";
import { say } from "../report/words";

/** The longest a hint may be, in characters. */
const LONGEST = 20;

/** A value that is an amount, or computed from numbers: a file name or a list that implies an amount gets no hint. */
const NUMBER = /^["']?[\d(][\d\s_.,eE+*^()/-]*[kKMGBT]?["']?$/;

/** What a hint carries to its resolution. */
export interface HintData {
  readonly uri: string;
  readonly version: number;
  readonly path: string;
  readonly experiment: string;
  readonly start: number;
}

/** The optimal value beside each budget value of the range, or a tick. */
export function inlayHints(model: DocumentModel, range: Span, token: Token): InlayHint[] {
  const hints: InlayHint[] = [];
  const taken = contested(model, range);
  for (const experiment of model.experiments) {
    for (const site of sitesOf(experiment)) {
      if (token.isCancellationRequested) return [];
      // A value may feed several fields, and experiments may share it: it has one hint.
      if (!overlaps(site.valueSpan, range) || taken.has(site.valueSpan.end)) continue;
      if (!NUMBER.test(model.text.slice(site.valueSpan.start, site.valueSpan.end))) continue;
      const text = hintText(experiment, site);
      if (text === null) continue;
      taken.add(site.valueSpan.end);
      const data: HintData = {
        uri: model.uri,
        version: model.version,
        path: site.path,
        experiment: experiment.assessment.budget.name,
        start: site.valueSpan.start,
      };
      hints.push({
        position: rangeOf(model.lines, site.valueSpan).end,
        label: text,
        kind: InlayHintKind.Parameter,
        data,
      });
    }
  }
  return hints;
}

/** Values that experiments share and would have otherwise: the best of one of them is not the best of it. By the end of the value. */
function contested({ experiments }: DocumentModel, range: Span): Set<number> {
  const wanted = new Map<number, Set<string | null>>();
  if (experiments.length > 1)
    for (const experiment of experiments) {
      const own = new Map<number, string | null>();
      for (const site of sitesOf(experiment))
        if (overlaps(site.valueSpan, range))
          own.set(site.valueSpan.end, own.get(site.valueSpan.end) ?? hintText(experiment, site));
      for (const [end, text] of own) wanted.set(end, (wanted.get(end) ?? new Set()).add(text));
    }
  return new Set([...wanted].flatMap(([end, texts]) => (texts.size > 1 ? [end] : [])));
}

/** ` → 9.2k`, ` → 9.2k ?`, ` ✓`, or null where nothing is known or there is nothing to compare with. */
function hintText(experiment: ShownExperiment, site: FieldSite): string | null {
  const { allocation } = experiment.assessment;
  if (!isAllocated(allocation)) return null;
  const edit = editOf(experiment.assessment, site);
  const axis = axisOf(site.field);
  if (!edit && (axis === null || !(axis in recommendation(allocation)))) return null;
  // A field that only moves an axis (epochs, the group size) has an optimum of its own only where it is edited.
  if (!edit && !isLevel(site.field)) return null;
  const { verdict } = experiment.assessment;
  if (verdict.kind === "not-known") return null;
  if (!isClaimed(verdict)) return " ✓";
  const target = edit ? compact(edit.to) : optimumOf(experiment, site);
  if (target === null) return " ✓";
  const text = ` → ${target}${verdict.kind === "likely-better" ? " ?" : ""}`;
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

/** A value as the editor would write it, in few characters: `16_384` as `16.4k`. */
function compact(text: string): string {
  const value = Number(text.replace(/_/g, ""));
  return text.trim() === "" || !Number.isFinite(value) ? text : count(value);
}

function optimumOf(experiment: ShownExperiment, site: FieldSite): string | null {
  const { allocation } = experiment.assessment;
  const axis = axisOf(site.field);
  if (!isAllocated(allocation) || axis === null) return null;
  const to = aimOf(allocation, axis);
  const from = allocation.result.current.levels[axis];
  if (to === undefined || from === undefined || Math.abs(to - from) <= 1e-3 * Math.abs(from)) return null;
  return count(to);
}

function whyByHand(site: FieldSite, { remainder }: AllocationView): string[] {
  const reason = site.whyNot ?? remainder.find(({ axis }) => axis === axisOf(site.field))?.reason;
  return reason === undefined ? [] : [escape(reason)];
}

/** What the whole best split has for a level that this file alone should have otherwise. */
function wholeOptimum(site: FieldSite, allocation: AllocationView, verdict: Verdict): string[] {
  const axis = axisOf(site.field);
  if (!allocation.alone || axis === null || !isLevel(site.field) || !isClaimed(verdict)) return [];
  const [here, whole] = [aimOf(allocation, axis), recommendation(allocation)[axis]];
  return here === undefined || whole === undefined || count(here) === count(whole)
    ? []
    : [say("hint.whole", code(count(whole)))];
}

/** Adds the tooltip and, where the value can be set by itself, the command. */
export function resolveInlayHint(model: DocumentModel, hint: InlayHint): InlayHint {
  const data = hint.data as HintData;
  for (const experiment of model.experiments) {
    if (experiment.assessment.budget.name !== data.experiment) continue;
    const site = sitesOf(experiment).find(
      (candidate) => candidate.path === data.path && candidate.valueSpan.start === data.start,
    );
    if (!site) continue;
    const { allocation, verdict } = experiment.assessment;
    if (!isAllocated(allocation)) return hint;
    const edit = editOf(experiment.assessment, site);
    const alone = setOf(experiment.assessment, site);
    const target = edit ? edit.to : isClaimed(verdict) ? optimumOf(experiment, site) : null;
    const facts = [
      ...(experiment.stale ? [say("hint.stale")] : []),
      `${capital(verdictLine(experiment.assessment))}.`,
      target === null
        ? say(allocation.alone ? "hint.fineHere" : "hint.fine")
        : say(edit && allocation.alone ? "hint.best" : "hint.optimal", code(target), basis(allocation.result)),
      ...(!edit && target !== null ? whyByHand(site, allocation) : []),
      ...wholeOptimum(site, allocation, verdict),
    ];
    const label: InlayHintLabelPart = {
      value: typeof hint.label === "string" ? hint.label : hint.label[0].value,
      tooltip: { kind: "markdown", value: facts.join("  \n") },
      ...(alone &&
        !experiment.stale && {
          command: {
            title: say("action.set", site.path, alone.to),
            command: Commands.setValue,
            arguments: [model.uri, site.path, data.experiment],
          },
        }),
    };
    return { ...hint, label: [label], tooltip: { kind: "markdown", value: facts.join("  \n") } };
  }
  return hint;
}
