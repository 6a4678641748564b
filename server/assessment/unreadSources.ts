import type { TableNote } from "../core/table";
import type { FitState, Note } from "./types";

/** More sources than these are counted. */
const MOST = 5;

/** What a fit lacks, by places within the folder of scaling.yaml: sources that `logs:` names and that could not be read, or are shown as they were before. */
export function unreadSources(fit: FitState, folderUri?: string): Note[] {
  const all = fit.kind === "ready" ? fit.fit.notes : fit.kind === "failed" ? fit.notes : [];
  const notes = all.filter(isUnread);
  const told = notes.slice(0, MOST).map(({ code, message, file }): Note => {
    const place = placeOf(file, folderUri);
    return { severity: "warning", code, message: place === undefined ? message : `${place}: ${message}` };
  });
  return notes.length > MOST
    ? [...told, { severity: "warning", code: "store.failed", message: `${notes.length - MOST} more sources likewise.` }]
    : told;
}

/** A file by its place in the folder of scaling.yaml; one that lies elsewhere by its address. */
export function placeOf(file: string | undefined, folderUri: string | undefined): string | undefined {
  return folderUri !== undefined && file?.startsWith(`${folderUri}/`) ? file.slice(folderUri.length + 1) : file;
}

/** A source of which nothing, or nothing new, was read. */
export function isUnread({ severity, code }: TableNote): boolean {
  return code === "store.stale" || (severity === "error" && (code.startsWith("store.") || code === "run.no-source"));
}
