import { groupRule } from "./native/budget";
import type { ExperimentBudget } from "../budget/budget";
import { openConfig } from "../frameworks/reading/read";
import { FRAMEWORKS } from "../frameworks";
import { packTrees, unpackTrees, type PackedTrees } from "../syntax/packedTree";
import type { ConfigVariant, MapNode, SyntaxDocument } from "../syntax/tree";
import type { ConfigDocument, Origin } from "./document";

/** An experiment without what cannot cross: its rules are code, and are found again by their names. */
type PackedExperiment = Omit<ExperimentBudget, "rules"> & {
  readonly rules: readonly Omit<ExperimentBudget["rules"][number], "holds">[];
};

/** A document as it crosses from a worker: frameworks by name, and without what can be made again. */
export type PackedDocument = Omit<ConfigDocument, "uri" | "text" | "origins" | "experiments"> & {
  readonly experiments: readonly PackedExperiment[];
  /** Two of each origin: keys and flags. */
  readonly trees: PackedTrees;
  readonly origins: readonly (Pick<Origin, "data"> & {
    readonly budget: PackedExperiment;
    readonly framework: string;
    readonly variant: Omit<ConfigVariant, "root" | "flags">;
    readonly syntax: SyntaxDocument["syntax"];
    /** Undefined: the document's own. */
    readonly text?: string;
  })[];
};

export function packed(document: ConfigDocument): PackedDocument {
  const { uri: _uri, text, origins, syntax, experiments, ...rest } = document;
  const bare = (one: ExperimentBudget): PackedExperiment => ({
    ...one,
    rules: one.rules.map(({ id, code, message }) => ({ id, code, message })),
  });
  return {
    ...rest,
    experiments: experiments.map(bare),
    // Only native budgets are edited by the tree as written; the others by their origins.
    syntax: origins.length > 0 ? { ...syntax, variants: [], diagnostics: [] } : syntax,
    trees: packTrees(origins.flatMap(({ config: { variant } }) => [variant.root, variant.flags])),
    origins: origins.map(({ framework, config, budget, data }) => ({
      framework: framework.id,
      variant: { ...config.variant, root: undefined, flags: undefined },
      syntax: config.syntax,
      ...(config.text === text ? {} : { text: config.text }),
      budget: bare(budget),
      ...(data && { data }),
    })),
  };
}

export function unpacked(
  { origins: packedOrigins, trees, experiments, ...rest }: PackedDocument,
  uri: string,
  text: string,
): ConfigDocument {
  const maps = unpackTrees(trees) as MapNode[];
  const origins = packedOrigins.flatMap(
    ({ framework: id, variant, syntax, text: own = text, budget, data }, index): Origin[] => {
      const framework = FRAMEWORKS.find((one) => one.id === id);
      if (!framework) return [];
      const [root, flags] = maps.slice(2 * index, 2 * index + 2);
      const config = openConfig(framework, { ...variant, root, flags }, syntax, own);
      const rules = framework.rules?.(config) ?? [];
      return [{ framework, config, budget: { ...budget, rules }, ...(data && { data }) }];
    },
  );
  return {
    ...rest,
    uri,
    text,
    experiments: experiments.map((one, index) => ({
      ...one,
      rules: origins[index]?.budget.rules ?? one.rules.map(({ message }) => ({ ...groupRule(""), message })),
    })),
    origins,
  };
}
