/** Text with structure, so that an editor, a terminal and a notebook can each print it in their own way. */
export type Block =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "formula"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "table"; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

export interface Section {
  /** Stable, for callers that take some sections and leave others. */
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}

export function paragraph(text: string): Block {
  return { kind: "paragraph", text };
}

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): Block {
  return { kind: "table", columns, rows };
}

/** Markdown; names from files are escaped, so that they cannot become links or markup. */
export function toMarkdown(title: string, sections: readonly Section[]): string {
  const parts = [`# ${escaped(title)}`];
  for (const section of sections) {
    if (section.blocks.length === 0) continue;
    parts.push(`## ${escaped(section.title)}`, ...section.blocks.map(block));
  }
  return `${parts.join("\n\n")}\n`;
}

function block(given: Block): string {
  switch (given.kind) {
    case "paragraph": return escaped(given.text);
    case "formula": return `\`${given.text.replace(/`/g, "'")}\``;
    case "list": return given.items.map((item) => `- ${escaped(item)}`).join("\n");
    case "table": return [given.columns, given.columns.map(() => "---"), ...given.rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");
  }
}

function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>#]/g, (character) => `\\${character}`).replace(/[\r\n]+/g, " ");
}

function cell(text: string): string {
  return /^-+$/.test(text) ? text : escaped(text).replace(/\|/g, "\\|");
}
