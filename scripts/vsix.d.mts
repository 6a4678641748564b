export interface Entry {
  readonly name: string;
  readonly packed: number;
  readonly size: number;
}
export interface Manifest {
  readonly files: readonly string[];
}
export const CAP: number;
export const NATIVE_CAP: number;
export const NATIVE_FOLDER: string;
export function builtFor(target: string | undefined): string[];
export function entriesOf(bytes: Uint8Array): Entry[];
export function readEntries(file: string): Entry[];
export function faultsOf(entries: readonly Entry[], manifest: Manifest, target: string | undefined): string[];
export function sizesOf(entries: readonly Entry[]): { own: number; native: number };
