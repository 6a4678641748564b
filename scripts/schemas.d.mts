export function currentSchemas(): Promise<Readonly<Record<string, unknown>>>;
export function printed(schema: unknown): string;
export function currentDocs(text: string): Promise<string>;
