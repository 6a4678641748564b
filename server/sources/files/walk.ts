import type { Host } from "../../host";
import { child, type FoundFile } from "../../records/files";
import type { Notes } from "../../records/notes";

/** A directory with what discovery may need of it. */
export interface FoundDirectory {
  readonly uri: string;
  readonly name: string;
  /** Relative to the source; "" for the source itself. */
  readonly path: string;
  readonly files: readonly FoundFile[];
  readonly directories: readonly FoundDirectory[];
}

const DEEPEST = 16;
const MOST_ENTRIES = 200_000;
/** Weights, code and caches, where there are no logs and often very many files; and W&B's link to the latest of its runs. */
const SKIPPED =
  /^(node_modules|\.git|\.hg|__pycache__|site-packages|\.?venv|\.cache|\.ipynb_checkpoints|global_step_\d+|code|artifacts|latest-run)$/;

/**
 * Lists a folder to its depth, in the order of names, within bounds that a note names when they are met.
 * @param also names that matter besides those that logs mostly have
 */
export async function walk(
  host: Host,
  uri: string,
  notes: Notes,
  signal?: AbortSignal,
  also: (name: string) => boolean = () => false,
): Promise<FoundDirectory> {
  let entries = 0;
  let full = false;
  let top: string | undefined;
  /** Places that links have led to: each is looked at once, or two folders of links to each other would never end. */
  const led = new Set<string>();
  const visit = async (at: string, name: string, path: string, depth: number): Promise<FoundDirectory> => {
    signal?.throwIfAborted();
    const files: FoundFile[] = [];
    const directories: FoundDirectory[] = [];
    const listed = [...(await host.list(at))].sort((a, b) => naturally(a.name, b.name));
    if (listed.length === 0) {
      const why = (await host.stat(at)) ? await host.whyNotListed?.(at) : "it cannot be reached";
      if (why !== undefined)
        notes.error("run.unreadable", `This folder cannot be read (${why}); what it holds was left out.`, { file: at });
    }
    const mlflowRun =
      listed.some(({ name: each, kind }) => each === "meta.yaml" && kind === "file") &&
      listed.some(({ name: each }) => each === "metrics");
    for (const entry of listed) {
      if (++entries > MOST_ENTRIES) {
        if (!full)
          notes.warn(
            "run.too-many-files",
            `This folder holds more than ${MOST_ENTRIES} entries; what comes after ${path || name} was not looked at.`,
            { file: uri },
          );
        full = true;
        break;
      }
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      const entryUri = child(at, entry.name);
      if (entry.leadsTo !== undefined && (entry.kind === "directory" || mayMatter(entry.name))) {
        top ??= ((await host.realPlace?.(uri)) ?? uri).replace(/\/+$/, "");
        const isInside =
          (entry.leadsTo === top || entry.leadsTo.startsWith(`${top}/`)) &&
          // A store of blobs has names by which nothing is read.
          (entry.kind === "directory" || endingOf(entry.leadsTo) === endingOf(entry.name));
        if (isInside || led.has(entry.leadsTo)) {
          // `latest -> run-7` beside the run would count it twice.
          notes.inform("run.link", "This is a link to what is read where it lies.", { file: entryUri });
          continue;
        }
        led.add(entry.leadsTo);
      }
      if (entry.kind === "directory") {
        if (SKIPPED.test(entry.name)) continue;
        // An MLflow run keeps one file a metric; its reader lists them, and none is a log by itself.
        if (mlflowRun && /^(metrics|params|tags|artifacts|inputs|outputs)$/.test(entry.name))
          directories.push({ uri: entryUri, name: entry.name, path: below, files: [], directories: [] });
        else if (depth >= DEEPEST)
          notes.warn("run.too-deep", `Folders more than ${DEEPEST} deep are not looked at.`, { file: entryUri });
        else directories.push(await visit(entryUri, entry.name, below, depth + 1));
      } else if (mayMatter(entry.name) || (!BINARY.test(entry.name) && also(entry.name))) {
        const about = await host.stat(entryUri);
        if (!about) notes.error("log.unreadable", "This file cannot be reached; it was left out.", { file: entryUri });
        else if (about.kind === "file")
          files.push({ uri: entryUri, name: entry.name, path: below, size: about.size, modified: about.modified });
      }
    }
    return { uri: at, name, path, files, directories };
  };
  return visit(uri, decodeURIComponent(uri.replace(/\/+$/, "").replace(/^.*\//, "")), "", 0);
}

/** A folder's own files, and what its `.hydra` holds: all that a single log's config can be among. */
export async function folderOf(host: Host, uri: string): Promise<FoundDirectory> {
  const filesOf = async (at: string): Promise<FoundFile[]> => {
    const found: FoundFile[] = [];
    for (const { name, kind } of await host.list(at)) {
      const about = kind === "file" && mayMatter(name) ? await host.stat(child(at, name)) : undefined;
      if (about) found.push({ uri: child(at, name), name, path: name, size: about.size, modified: about.modified });
    }
    return found.sort((a, b) => naturally(a.name, b.name));
  };
  const hydra = child(uri, ".hydra");
  const inner = await filesOf(hydra);
  return {
    uri,
    name: decodeURIComponent(uri.replace(/^.*\//, "")),
    path: "",
    files: await filesOf(uri),
    directories:
      inner.length > 0 ? [{ uri: hydra, name: ".hydra", path: ".hydra", files: inner, directories: [] }] : [],
  };
}

/** What no table of metrics is in, whatever columns are mapped. */
const BINARY =
  /\.(pt|pth|bin|safetensors|ckpt|npy|npz|pkl|pickle|zip|tar|so|png|jpe?g|gif|mp4|pdf|db|sqlite|lock|ipynb|onnx|h5)$/i;

function endingOf(name: string): string {
  return /\.[^./]*$/.exec(name)?.[0].toLowerCase() ?? "";
}

const NATURAL = new Intl.Collator("en", { numeric: true });

/** Names in the order a person would put them: `run-2` before `run-10`. */
export function naturally(a: string, b: string): number {
  return NATURAL.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** Spares a `stat` for the files that no reader and no config can be. */
function mayMatter(name: string): boolean {
  return (
    /\.(jsonl|ndjson|json|csv|tsv|parquet|log|txt|out|err|ya?ml|toml|sh|py|wandb|eval|gz|zst|xz|bz2)$/i.test(name) ||
    /tfevents/.test(name) ||
    !name.includes(".")
  );
}
