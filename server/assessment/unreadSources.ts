import { plural } from "../core/numbers";
import type { TableNote } from "../core/table";
import { pathWithin } from "../syntax/uris";
import type { FitState, Note } from "./types";

/** More sources than these are counted. */
const MOST = 5;

/** What a fit lacks, by places within the folder of scaling.yaml: sources that `logs:` names and that could not be read, or are shown as they were before, and in one line what was left out of those that were read. */
export function unreadSources(fit: FitState, folderUri?: string): Note[] {
  const all = fit.kind === "ready" ? fit.fit.notes : fit.kind === "failed" ? fit.notes : [];
  const notes = all.filter(isUnread);
  const said = ({ message, file, line }: TableNote) => {
    const place = file === undefined || folderUri === undefined ? file : (pathWithin(folderUri, file) ?? file);
    return place === undefined ? message : `${place}${line === undefined ? "" : `:${line}`}: ${message}`;
  };
  const told = notes
    .slice(0, MOST)
    .map((note): Note => ({ severity: "warning", code: note.code, message: said(note) }));
  if (notes.length > MOST)
    told.push({ severity: "warning", code: "store.failed", message: `${notes.length - MOST} more sources likewise.` });
  const errors = all.filter((note) => isLacking(note) && !isUnread(note));
  if (errors.length > 0) {
    const first = said(errors[0]).replace(/\.$/, "");
    const many = errors.reduce((sum, { message }) => sum + Number(MORE.exec(message)?.[1] ?? 1), 0);
    const message = `${plural(many, "error")} in the logs (first: ${first}); \`scaling-lens runs\` lists them.`;
    told.push({ severity: "warning", code: "run.errors", message });
  }
  return told;
}

/** A note that counts others. */
const MORE = /^(\d+) more like these/;

/** What judged configs lack, by their fits; each said once. */
export function notRead(
  configs: readonly { readonly folderUri: string; readonly assessment: { readonly fit: FitState } }[],
): string[] {
  const all = configs.flatMap(({ folderUri, assessment: { fit } }) => unreadSources(fit, folderUri));
  return [...new Set(all.map(({ message }) => message))];
}

/** The same as a field of an answer, which has it only where something is lacking. */
export function notReadJson(configs: Parameters<typeof notRead>[0]): { readonly notRead?: string[] } {
  const lacking = notRead(configs);
  return lacking.length > 0 ? { notRead: lacking } : {};
}

/** A source of which nothing, or nothing new, was read. */
export function isUnread({ severity, code }: TableNote): boolean {
  if (code === "store.stale" || code === "run.no-match") return true;
  return severity === "error" && (code.startsWith("store.") || code === "run.no-source");
}

/** Something that a fit lacks: a source, or what was left out of one. What is wrong with scaling.yaml itself is told with it. */
export function isLacking(note: TableNote): boolean {
  return isUnread(note) || (note.severity === "error" && !note.file?.endsWith("/scaling.yaml"));
}
