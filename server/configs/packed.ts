import { groupRule } from "./native/budget";
import type { ExperimentBudget, FieldSite } from "../budget/budget";
import { openConfig } from "../frameworks/reading/read";
import { FRAMEWORKS } from "../frameworks";
import { packTrees, unpackTrees, type PackedTrees } from "../syntax/packedTree";
import type { ConfigVariant, MapNode, SyntaxDocument } from "../syntax/tree";
import type { ConfigDocument, Origin } from "./document";

/** An experiment without what cannot cross: its rules are code, and are found again by their names. */
type PackedExperiment = Omit<ExperimentBudget, "rules" | "sites"> & {
  readonly rules: readonly Omit<ExperimentBudget["rules"][number], "holds">[];
  /** With the place of its help in a list, where all experiments find the same. */
  readonly sites: readonly (Omit<FieldSite, "help"> & { readonly help: number })[];
};

type Bare = Omit<ConfigVariant, "root" | "flags">;

/** All but the trees: frameworks by name, and without what can be made again. */
interface Told extends Omit<ConfigDocument, "uri" | "text" | "syntax" | "origins" | "experiments"> {
  readonly help: readonly string[];
  readonly experiments: readonly PackedExperiment[];
  readonly syntax: Omit<SyntaxDocument, "variants">;
  readonly variants: readonly Bare[];
  readonly origins: readonly (Pick<Origin, "data"> & {
    readonly budget: PackedExperiment;
    readonly framework: string;
    readonly variant: Bare;
    readonly syntax: SyntaxDocument["syntax"];
    /** Undefined: the document's own. */
    readonly text?: string;
  })[];
}

/** A document as it crosses from a worker, as texts: a copy of thousands of small objects takes twice as long. */
export interface PackedDocument {
  /** `Told` in JSON: no amount that was read is infinite or no number. */
  readonly told: string;
  /** Keys and flags of each variant, then of each origin. */
  readonly trees: PackedTrees;
}

export function packed(document: ConfigDocument): PackedDocument {
  const { uri: _uri, text, origins, syntax, experiments, ...rest } = document;
  const help = new Map<string, number>();
  const placeOf = (text: string): number => help.get(text) ?? (help.set(text, help.size), help.size - 1);
  const bare = (one: ExperimentBudget): PackedExperiment => ({
    ...one,
    sites: one.sites.map((site) => ({ ...site, help: placeOf(site.help) })),
    rules: one.rules.map(({ id, code, message }) => ({ id, code, message })),
  });
  const treeless = ({ root: _root, flags: _flags, ...variant }: ConfigVariant): Bare => variant;
  // Only native budgets are edited by the tree as written; the others by their origins.
  const variants = origins.length > 0 ? [] : syntax.variants;
  const told: Omit<Told, "help"> = {
    ...rest,
    experiments: experiments.map(bare),
    syntax: { syntax: syntax.syntax, diagnostics: origins.length > 0 ? [] : syntax.diagnostics },
    variants: variants.map(treeless),
    origins: origins.map(({ framework, config, budget, data }) => ({
      framework: framework.id,
      variant: treeless(config.variant),
      syntax: config.syntax,
      ...(config.text === text ? {} : { text: config.text }),
      budget: bare(budget),
      ...(data && { data }),
    })),
  };
  const written = [...variants, ...origins.map(({ config }) => config.variant)];
  return {
    told: JSON.stringify({ ...told, help: [...help.keys()] }),
    trees: packTrees(written.flatMap(({ root, flags }) => [root, flags])),
  };
}

export function unpacked({ told, trees }: PackedDocument, uri: string, text: string): ConfigDocument {
  const { origins: packedOrigins, experiments, variants, syntax, help, ...rest } = JSON.parse(told) as Told;
  const maps = unpackTrees(trees) as MapNode[];
  const sitesOf = ({ sites }: PackedExperiment): readonly FieldSite[] =>
    sites.map((site) => ({ ...site, help: help[site.help] }));
  const whole = (variant: Bare, index: number): ConfigVariant => ({
    ...variant,
    root: maps[2 * index],
    flags: maps[2 * index + 1],
  });
  const origins = packedOrigins.flatMap(
    ({ framework: id, variant, syntax, text: own = text, budget, data }, index): Origin[] => {
      const framework = FRAMEWORKS.find((one) => one.id === id);
      if (!framework) return [];
      const config = openConfig(framework, whole(variant, variants.length + index), syntax, own);
      const rules = framework.rules?.(config) ?? [];
      return [{ framework, config, budget: { ...budget, sites: sitesOf(budget), rules }, ...(data && { data }) }];
    },
  );
  return {
    ...rest,
    uri,
    text,
    syntax: { ...syntax, variants: variants.map(whole) },
    experiments: experiments.map((one, index) => ({
      ...one,
      sites: sitesOf(one),
      rules: origins[index]?.budget.rules ?? one.rules.map(({ message }) => ({ ...groupRule(""), message })),
    })),
    origins,
  };
}
