/** A row of the record: every column as it stands there. */
export type RecordRow = Readonly<Record<string, string>> & { readonly id: string };
export function sharedFolder(): string | null;
export function readRecord(file: string): RecordRow[];
export function asFiles(row: RecordRow): { readonly budget: string; readonly scaling: string };
export function completeness(row: RecordRow): "mean" | "cap" | "partial";
export function observed(row: RecordRow): { readonly seconds: number | null; readonly gpuHours: number | null };
