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

export interface FollowContext {
  /** The document that the variant is from. */
  readonly uri: string;
  readonly syntax: SyntaxDocument["syntax"];
  parse(uri: string, text: string): Promise<SyntaxDocument>;
  /** Other files of the workspace; undefined where there is none. */
  readText(uri: string): Promise<string | undefined>;
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
const MAX_ATTEMPTS = 400;
const MAX_LEVELS = 10;
const MAX_ANCESTORS = 8;

/**
 * Follows a config into the files it builds on — Hydra's `defaults` lists, NeMo-RL's `defaults: path`, a script's `--config x.yaml` — and lays its own
 * values over theirs, then resolves interpolations. Values from other files carry `file` and cannot be edited here. Bases that are missing
 * leave notes; what only they state stays unstated.
 */
export async function followConfig(variant: ConfigVariant, context: FollowContext): Promise<Followed> {
  const follower = new Follower(context);
  const root = context.syntax === "python" ? variant.root : await follower.root(variant);
  const resolved = context.syntax === "python" ? root : interpolate(root);
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
  readonly #texts = new Map<string, string | undefined>();
  readonly #open = new Set<string>();
  readonly files: string[] = [];
  readonly notes: ConfigDiagnostic[] = [];
  readonly missing: string[] = [];

  constructor(context: FollowContext) {
    this.#context = context;
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
      if (root !== undefined) base = merge(base, placed(root, reference.under));
    }
    // `engine=mega` chooses an option of a group; it does not replace what the option states.
    const own = variant.root.entries.filter(
      (entry) => entry.value.kind !== "scalar" || entryOf(base, entry.key)?.value.kind !== "map",
    );
    return merge(base, own.length === variant.root.entries.length ? variant.root : { ...variant.root, entries: own });
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
        result = merge(result, root);
        selfDone = true;
        continue;
      }
      for (const part of await this.#part(item, place, known)) result = merge(result, part);
    }
    const composed = selfDone ? result : merge(result, root);
    // A base's own list is done with; the document's is kept, for it names well-known bases that may be missing here.
    return place.level === 0
      ? composed
      : { ...composed, entries: composed.entries.filter((entry) => entry.key !== "defaults") };
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
      const header = entry.explicit ? null : packageHeader(this.#texts.get(found) ?? "");
      parts.push(
        placed(root, header === null ? target : header === "_global_" ? "" : header === "_group_" ? target : header),
      );
    }
    return parts;
  }

  async #file(uri: string, place: Place, choices: Choices | null): Promise<MapNode | undefined> {
    if (this.#open.has(uri) || this.files.length >= MAX_FILES) return undefined;
    const text = await this.#read(uri);
    if (text === undefined) return undefined;
    this.#open.add(uri);
    if (!this.files.includes(uri)) this.files.push(uri);
    const document = await this.#context.parse(uri, text);
    const root = document.variants[0]?.root;
    const composed =
      root === undefined
        ? undefined
        : await this.#composed(
            inFile(root, uri),
            { ...place, roots: place.level === 1 ? [...place.roots, ...searchPaths(root)] : place.roots },
            choices,
          );
    this.#open.delete(uri);
    return composed;
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
    if (this.#texts.has(uri)) return this.#texts.get(uri);
    if (this.#texts.size >= MAX_ATTEMPTS) return undefined;
    let text: string | undefined;
    try {
      text = await this.#context.readText(uri);
    } catch {
      text = undefined;
    }
    this.#texts.set(uri, text);
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
