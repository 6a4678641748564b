import { isConfigName } from "./classify";
import { type FoundFile, stem } from "../../records/files";
import type { FoundDirectory } from "./walk";

const CONFIG = /\.(ya?ml|toml|json|sh|py)$/i;
const SMALL = 32;
const ENDINGS = [/\.toml$/i, /\.ya?ml$/i, /\.sh$/i, /\.py$/i] as const;

/** What is asked of a folder once for each run in it: a folder may hold a hundred thousand. */
export class DirectoryIndex {
  readonly #files = new Map<string, FoundFile>();
  readonly #directories = new Map<string, FoundDirectory>();
  readonly #configs = new Map<string, FoundFile[]>();
  readonly #alone: { readonly shared: FoundFile[]; readonly owned: Map<string, FoundFile[]> }[];

  private constructor({ files, directories }: FoundDirectory) {
    for (const file of files) if (!this.#files.has(file.name)) this.#files.set(file.name, file);
    for (const directory of directories)
      if (!this.#directories.has(directory.name)) this.#directories.set(directory.name, directory);
    for (const file of files) if (CONFIG.test(file.name)) put(this.#configs, stem(file.name), file);
    const logs = new Set(files.filter(({ name }) => !isConfigName(name)).map(({ name }) => stem(name)));
    this.#alone = ENDINGS.map((ending) => {
      const owned = new Map<string, FoundFile[]>();
      const shared: FoundFile[] = [];
      for (const file of files) {
        if (!ending.test(file.name) || file.name === "meta.yaml") continue;
        if (logs.has(stem(file.name))) put(owned, stem(file.name), file);
        else shared.push(file);
      }
      return { shared, owned };
    });
  }

  static readonly #made = new WeakMap<FoundDirectory, DirectoryIndex>();

  /** Of a small folder it is made when asked for: kept for each of a hundred thousand folders it would fill the memory. */
  static of(directory: FoundDirectory): DirectoryIndex {
    if (directory.files.length + directory.directories.length < SMALL) return new DirectoryIndex(directory);
    let index = this.#made.get(directory);
    if (!index) this.#made.set(directory, (index = new DirectoryIndex(directory)));
    return index;
  }

  file(name: string): FoundFile | undefined {
    return this.#files.get(name);
  }

  directory(name: string): FoundDirectory | undefined {
    return this.#directories.get(name);
  }

  /** Files that may be configs, by their name without its ending. */
  configsNamed(name: string): readonly FoundFile[] {
    return this.#configs.get(name) ?? [];
  }

  /** Configs that are the only ones of their kind, but for those that are named as another log than this. */
  onlyConfigs(log: string): FoundFile[] {
    return this.#alone.flatMap(({ shared, owned }) => {
      const own = owned.get(log) ?? [];
      return shared.length + own.length === 1 ? [...shared, ...own] : [];
    });
  }
}

function put(map: Map<string, FoundFile[]>, key: string, file: FoundFile): void {
  const held = map.get(key);
  if (held) held.push(file);
  else map.set(key, [file]);
}
