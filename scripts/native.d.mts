export const hasDuckdb: boolean;
export function buildDuckdbChild(outfile: string): Promise<void>;
