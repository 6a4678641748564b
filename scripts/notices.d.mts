export function packagesOf(files: readonly string[]): string[];
export function noticesOf(files: readonly string[], root?: string): string;
