export const NATIVE_TARGETS: readonly string[];
export function hostTarget(): string;
export function nativePackages(target: string): string[];
export function addNative(target: string, folder: string): void;
