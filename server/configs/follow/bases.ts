import { configFilesOf, type ConfigReference } from "./references";
import { choicesOf, defaultsItem, packageHeader, searchPaths, withChoicesOf, type Choices } from "./hydraDefaults";
import { entryFiles, hydraMain } from "./hydraMain";
import { interpolate } from "./interpolate";
import { merge, placed } from "./merge";
import { EMPTY_MAP, entryOf, inFile } from "../../syntax/nodes";
import type { Span } from "../../syntax/text";
import type { ConfigDiagnostic, ConfigVariant, MapNode, SyntaxDocument, TreeNode } from "../../syntax/tree";
import { sourceCandidates } from "../../syntax/shell/sources";
import { folderOf, joined, nameOf } from "../../syntax/uris";
import { Work } from "../../syntax/work";

export interface FollowContext {
  /** The document that the variant is from. */
  readonly uri: string;
  readonly syntax: SyntaxDocument["syntax"];
  parse(uri: string, text: string): Promise<SyntaxDocument>;
  /** Other files of the workspace; undefined where there is none. */
  readText(uri: string): Promise<string | undefined>;
  /** Kept over the variants of a document: what was read and composed, and what may still be done. */
  readonly kept?: FollowedFiles;
}

/** Files that the variants of one document are followed into, each read and parsed once. */
export class FollowedFiles {
  readonly texts = new Map<string, string | undefined>();
  readonly trees = new Map<string, MapNode | undefined>();
  readonly composed = new Map<string, MapNode | undefined>();
  readonly #sizes = new WeakMap<TreeNode, number>();

  constructor(readonly work: Work) {}

  /** Nodes of a tree, with what is shared counted each time that it stands there. */
  size(node: TreeNode): number {
    if (node.kind === "scalar" || node.kind === "unknown") return 1;
    let size = this.#sizes.get(node);
    if (size === undefined) {
      size = 1;
      if (node.kind === "map") for (const { value } of node.entries) size += this.size(value);
      else for (const item of node.items) size += this.size(item);
      this.#sizes.set(node, size);
    }
    return size;
  }
}

export interface Followed {
  readonly variant: ConfigVariant;
  /** Files whose values were taken. */
  readonly files: readonly string[];
  /** Bases that are not in the workspace. */
  readonly notes: readonly ConfigDiagnostic[];
}

/** Files read, places tried, and levels of bases: no config of ours needs more, and a loop must end. */
const MAX_FILES = 60;
const MAX_ATTEMPTS = 1_000;
const MAX_LEVELS = 10;
const MAX_ANCESTORS = 8;
/** Characters of a file that is parsed cost as much as a node. */
const CHARACTERS_A_STEP = 20;

/**
 * Follows a config into the files it builds on — Hydra's `defaults` lists, NeMo-RL's `defaults: path`, a script's `--config x.yaml` — and lays its own
 * values over theirs, then resolves interpolations. Values from other files carry `file` and cannot be edited here. Bases that are missing
 * leave notes; what only they state stays unstated.
 */
export async function followConfig(variant: ConfigVariant, context: FollowContext): Promise<Followed> {
  const kept = context.kept ?? new FollowedFiles(new Work());
  const follower = new Follower(context, kept);
  const root = context.syntax === "python" ? variant.root : await follower.root(variant);
  const resolved = context.syntax === "python" ? root : interpolate(root, kept.work);
  const followed = resolved === variant.root ? variant : { ...variant, root: resolved };
  return {
    variant: follower.missing.length === 0 ? followed : { ...followed, missingBases: follower.missing },
    files: follower.files,
    notes: follower.notes,
  };
}

/** Where a config stands while its defaults are composed. */
interface Place {
  readonly uri: string;
  /** Folders that absolute groups and config names are looked up in. */
  readonly roots: readonly string[];
  /** Dotted path that its content goes under. */
  readonly target: string;
  readonly level: number;
}

class Follower {
  readonly #context: FollowContext;
  readonly #kept: FollowedFiles;
  /** How often a config was left out since it was being composed already: then the result holds for that place alone. */
  #circles = 0;
  readonly #open = new Set<string>();
  readonly files: string[] = [];
  readonly notes: ConfigDiagnostic[] = [];
  readonly missing: string[] = [];

  constructor(context: FollowContext, kept: FollowedFiles) {
    this.#context = context;
    this.#kept = kept;
  }

  async root(variant: ConfigVariant): Promise<MapNode> {
    const { uri, syntax } = this.#context;
    if (syntax !== "shell") {
      this.#open.add(uri);
      return this.#composed(
        variant.root,
        { uri, roots: [folderOf(uri), ...searchPaths(variant.root)], target: "", level: 0 },
        null,
      );
    }
    let base: MapNode = (await this.#ofEntry(variant)) ?? EMPTY_MAP;
    for (const reference of configFilesOf(variant)) {
      const found = await this.#referenced(reference);
      if (found === undefined) {
        if (!reference.optional) this.#missing(reference.span, reference.name);
        continue;
      }
      const root = await this.#file(
        found,
        { uri: found, roots: [folderOf(found)], target: "", level: 1 },
        choicesOf(variant.root),
      );
      if (root !== undefined) base = this.#merged(base, placed(root, reference.under));
    }
    // `engine=mega` chooses an option of a group; it does not replace what the option states.
    const own = variant.root.entries.filter(
      (entry) => entry.value.kind !== "scalar" || entryOf(base, entry.key)?.value.kind !== "map",
    );
    return this.#merged(
      base,
      own.length === variant.root.entries.length ? variant.root : { ...variant.root, entries: own },
    );
  }

  /** The config that the launched program starts from by itself, where the command names no other. */
  async #ofEntry(variant: ConfigVariant): Promise<MapNode | undefined> {
    if (entryOf(variant.flags, "config-name") !== undefined || entryOf(variant.flags, "config") !== undefined)
      return undefined;
    for (const path of entryFiles(variant)) {
      for (const candidate of sourceCandidates(path, this.#context.uri)) {
        const main = hydraMain((await this.#read(candidate)) ?? "");
        if (main === undefined) continue;
        for (const file of withEndings(main.name)) {
          const uri = joined(joined(folderOf(candidate), main.folder), file);
          const root = await this.#file(
            uri,
            { uri, roots: [folderOf(uri)], target: "", level: 1 },
            choicesOf(variant.root),
          );
          if (root !== undefined) return root;
        }
      }
    }
    return undefined;
  }

  /** A config file that a script names: beside the script, or from one of the folders above it, since scripts run from the project's root. */
  async #referenced(reference: ConfigReference): Promise<string | undefined> {
    for (const path of reference.paths) {
      for (const candidate of sourceCandidates(path, this.#context.uri)) {
        for (const uri of withEndings(candidate)) if ((await this.#read(uri)) !== undefined) return uri;
      }
    }
    return undefined;
  }

  /** A config's own content over what its defaults give. */
  async #composed(root: MapNode, place: Place, chosen: Choices | null): Promise<MapNode> {
    const defaults = entryOf(root, "defaults")?.value;
    if (defaults === undefined) return root;
    const items: readonly TreeNode[] = defaults.kind === "list" ? defaults.items : [defaults];
    const known = withChoicesOf(items, chosen);
    let result: MapNode = EMPTY_MAP;
    let selfDone = false;
    for (const item of items) {
      if (item.kind === "scalar" && item.value === "_self_") {
        result = this.#merged(result, root);
        selfDone = true;
        continue;
      }
      if (this.#kept.work.exhausted) break;
      for (const part of await this.#part(item, place, known)) result = this.#merged(result, part);
    }
    const composed = selfDone ? result : this.#merged(result, root);
    // A base's own list is done with; the document's is kept, for it names well-known bases that may be missing here.
    return place.level === 0
      ? composed
      : { ...composed, entries: composed.entries.filter((entry) => entry.key !== "defaults") };
  }

  /** Laying one tree over another costs by both; where too much was done, what is there stays. */
  #merged(base: MapNode, over: MapNode): MapNode {
    const cost = this.#kept.size(over) + base.entries.length;
    return this.#kept.work.spend(cost) ? merge(base, over) : base.entries.length > 0 ? base : over;
  }

  /** What one item of a defaults list contributes, relative to the config that the list is in. */
  async #part(item: TreeNode, place: Place, choices: Choices): Promise<readonly MapNode[]> {
    const entry = defaultsItem(item, choices);
    if (entry === null || place.level >= MAX_LEVELS) return [];
    const parts: MapNode[] = [];
    for (const name of entry.names) {
      const found = await this.#find(
        name,
        entry.absolute ? place.roots : [folderOf(place.uri), ...place.roots],
        place.level === 0 || /\.ya?ml$/i.test(name),
      );
      if (found === undefined) {
        if (!entry.optional) this.#missing(item.file === undefined && place.level === 0 ? item.span : null, name);
        continue;
      }
      const target = entry.target;
      const root = await this.#file(found, { uri: found, roots: place.roots, target, level: place.level + 1 }, choices);
      if (root === undefined) continue;
      const header = entry.explicit ? null : packageHeader(this.#kept.texts.get(found) ?? "");
      parts.push(
        placed(root, header === null ? target : header === "_global_" ? "" : header === "_group_" ? target : header),
      );
    }
    return parts;
  }

  async #file(uri: string, place: Place, choices: Choices | null): Promise<MapNode | undefined> {
    if (this.#open.has(uri)) this.#circles++;
    if (this.#open.has(uri) || this.files.length >= MAX_FILES || !this.#kept.work.spend()) return undefined;
    const root = await this.#tree(uri);
    if (root === undefined) return undefined;
    if (!this.files.includes(uri)) this.files.push(uri);
    // A base that many name is composed once; what it chooses and where it is looked for make it another.
    const key = JSON.stringify([
      uri,
      place.level,
      place.roots,
      [...(choices?.all ?? [])],
      [...(choices?.forced ?? [])],
    ]);
    const known = this.#kept.composed.get(key);
    if (known !== undefined) return known;
    const [circles, missing] = [this.#circles, this.missing.length];
    this.#open.add(uri);
    const composed = await this.#composed(
      root,
      { ...place, roots: place.level === 1 ? [...place.roots, ...searchPaths(root)] : place.roots },
      choices,
    );
    this.#open.delete(uri);
    if (circles === this.#circles && missing === this.missing.length && !this.#kept.work.exhausted)
      this.#kept.composed.set(key, composed);
    return composed;
  }

  async #tree(uri: string): Promise<MapNode | undefined> {
    const { trees, work } = this.#kept;
    if (trees.has(uri)) return trees.get(uri);
    const text = await this.#read(uri);
    if (text === undefined || !work.spend(text.length / CHARACTERS_A_STEP)) return undefined;
    const written = (await this.#context.parse(uri, text)).variants[0]?.root;
    const root = written && inFile(written, uri);
    trees.set(uri, root);
    return root;
  }

  /** The first file there is: in the given folders, and where `upwards`, in the folders above them. */
  async #find(name: string, folders: readonly string[], upwards: boolean): Promise<string | undefined> {
    const endings = withEndings(name);
    if (/[$`{}*?]/.test(name)) return undefined;
    for (const start of folders) {
      const relative = !/^[a-z][\w+.-]*:\/\//i.test(start);
      let folder = relative ? joined(folderOf(this.#context.uri), start) : start;
      let base = relative ? folderOf(this.#context.uri) : null;
      for (let up = 0; up <= MAX_ANCESTORS; up++) {
        for (const path of endings) {
          const uri = joined(folder, path);
          if ((await this.#read(uri)) !== undefined) return uri;
        }
        if (base !== null) {
          // A search path such as `verl/trainer/config` is looked for below each folder above the config.
          const above = parentOf(base);
          if (above === null) break;
          base = above;
          folder = joined(base, start);
        } else {
          const above = upwards && !name.startsWith("/") ? parentOf(folder) : null;
          if (above === null) break;
          folder = above;
        }
      }
    }
    return undefined;
  }

  async #read(uri: string): Promise<string | undefined> {
    const { texts } = this.#kept;
    if (texts.has(uri)) return texts.get(uri);
    if (texts.size >= MAX_ATTEMPTS) return undefined;
    let text: string | undefined;
    try {
      text = await this.#context.readText(uri);
    } catch {
      text = undefined;
    }
    texts.set(uri, text);
    return text;
  }

  #missing(span: Span | null, name: string): void {
    this.missing.push(name);
    if (span === null) return;
    this.notes.push({
      span,
      severity: "hint",
      code: "config.base-missing",
      message: `\`${nameOf(name)}\` is not in the workspace: what only it states is taken as the framework's default, or is unknown.`,
    });
  }
}

function withEndings(path: string): readonly string[] {
  return /\.(?:ya?ml|toml|jsonc?)$/i.test(path) ? [path] : [`${path}.yaml`, `${path}.yml`];
}

function parentOf(folder: string): string | null {
  const above = folderOf(folder);
  return above === folder || above === "" || /^[a-z][\w+.-]*:\/?\/?$/i.test(above) ? null : above;
}
