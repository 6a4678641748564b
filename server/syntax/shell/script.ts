import type { Span } from "../text";
import type { ConfigDiagnostic } from "../tree";

/** A script as statements: the grammar's tree without its punctuation, kept after the tree is freed. */
export interface Script {
  readonly text: string;
  /** URI when it is not the document itself. */
  readonly file?: string;
  readonly body: readonly Statement[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  /** Where a range of `text` stands in the document; identity when absent. */
  readonly locate?: (
    start: number,
    end: number,
  ) => { readonly span: Span; readonly file?: string; readonly via?: string } | undefined;
}

export interface Assignment extends Span {
  readonly name: string;
  readonly index: Span | null;
  readonly append: boolean;
  readonly value: Span | null;
  readonly items: readonly Span[] | null;
}

export type Statement =
  | ({
      readonly kind: "command";
      readonly words: readonly Span[];
      readonly assignments: readonly Assignment[];
      readonly input: HereDocument | null;
    } & Span)
  | ({
      readonly kind: "assign";
      readonly assignments: readonly Assignment[];
      readonly keyword: string | null;
      readonly options: readonly Span[];
    } & Span)
  | ({
      readonly kind: "if";
      readonly arms: readonly { readonly test: readonly Statement[] | null; readonly body: readonly Statement[] }[];
    } & Span)
  | ({
      readonly kind: "case";
      readonly subject: Span;
      readonly arms: readonly { readonly patterns: readonly Span[]; readonly body: readonly Statement[] }[];
    } & Span)
  | ({
      readonly kind: "for";
      readonly variable: string;
      readonly items: readonly Span[] | null;
      readonly body: readonly Statement[];
    } & Span)
  | ({ readonly kind: "count"; readonly parts: readonly Span[]; readonly body: readonly Statement[] } & Span)
  | ({
      readonly kind: "while";
      readonly until: boolean;
      readonly test: readonly Statement[];
      readonly body: readonly Statement[];
    } & Span)
  | ({ readonly kind: "function"; readonly name: string; readonly body: readonly Statement[] } & Span)
  | ({ readonly kind: "group"; readonly body: readonly Statement[]; readonly subshell: boolean } & Span)
  | ({
      readonly kind: "list";
      readonly left: Statement;
      readonly operator: "&&" | "||";
      readonly right: Statement;
    } & Span)
  | ({ readonly kind: "pipeline"; readonly stages: readonly Statement[] } & Span)
  | ({ readonly kind: "not"; readonly body: Statement } & Span)
  | ({ readonly kind: "test" } & Span);

export interface HereDocument extends Span {
  /** `<<'EOF'`: nothing in it is expanded. `<<<`: one word. */
  readonly form: "raw" | "expanded" | "word";
}
