import type { TextDocument } from "vscode-languageserver-textdocument";
import { assessInSteps, readDocument } from "../assessment/assess";
import { Memo } from "../assessment/memo";
import { confined, withinFolders } from "../operations/confined";
import { DocumentReader, Superseded } from "../operations/readDocument";
import { findScaling, readScaling } from "../operations/scaling";
import type { JobRunner } from "../operations/jobs";
import type { Pictures } from "../report/print/pictures";
import type { DocumentModel, LiveView } from "../features/model";
import type { Host } from "../host";
import type { Grammars } from "../syntax/treeSitter";
import { folderOf, joined } from "../syntax/uris";
import type { InitialisationOptions, Settings } from "../protocol";
import { DocumentModels } from "./documents";
import type { FolderView } from "./folders";
import { LOOK_EVERY } from "./live";
import type { NotebookCells } from "./notebookCells";
import { homeOf, trimmed } from "./places";
import { Project } from "./project";
import { describeError, type Log } from "./runSafe";
import { rests } from "./rests";
import { SettingsStore } from "./settings";

/** What the platform gives: files, and a place for long work. */
export interface Runtime {
  readonly host: Host;
  readonly jobs: JobRunner;
  /** Reads documents in workers; without it they are read on the server's own thread. */
  readonly readers?: JobRunner;
  /** For shell and Python configs. */
  readonly grammars: Grammars;
  /** Draws figures for notebook files; absent where there is no place to draw. */
  readonly pictures?: Pictures;
}

export interface WatchedGlob {
  readonly folder: string;
  readonly pattern: string;
}

/** A log that is being written changes often; it is fitted again once it has been quiet for this long. */
const LOG_QUIET = 2000;

const SCALING_NAME = /\/scaling\.ya?ml$/i;

/** All state of one client: settings, projects and document models. */
export class Session {
  readonly host: Host;
  readonly jobs: JobRunner;
  readonly log: Log;
  readonly grammars: Grammars;
  readonly pictures: Pictures | undefined;
  readonly #settings: SettingsStore;
  readonly #models: DocumentModels;
  readonly #reader: DocumentReader | null;
  readonly #projects = new Map<string, Project>();
  /** Which project a folder belongs to; forgotten when any `scaling.yaml` comes, goes or changes. */
  #projectOfFolder = new Map<string, Promise<Project>>();
  readonly #docsUri: string | undefined;
  #folders: string[];
  #open: (uri: string) => TextDocument | undefined = () => undefined;
  #cells: Pick<NotebookCells, "of"> = { of: () => undefined };
  #changed: () => void = () => undefined;
  #progressed: () => void = () => undefined;
  #watch: (globs: readonly WatchedGlob[]) => void = () => undefined;
  #watched = "";
  #logTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #lookTimer: ReturnType<typeof setInterval>;

  constructor(
    runtime: Runtime,
    options: InitialisationOptions,
    askSettings: ((uri: string) => Promise<unknown>) | null,
    folders: readonly string[],
    log: Log,
  ) {
    // What is not trusted reads nothing but what its folders hold.
    const trusted = options.canWrite !== false;
    const within = (): readonly string[] => this.#folders;
    this.host = trusted ? runtime.host : confined(runtime.host, within);
    this.jobs = trusted ? runtime.jobs : withinFolders(runtime.jobs, within);
    this.#reader = runtime.readers
      ? new DocumentReader(trusted ? runtime.readers : withinFolders(runtime.readers, within), (message) =>
          log.warn(message),
        )
      : null;
    this.log = log;
    this.grammars = runtime.grammars;
    this.pictures = runtime.pictures;
    this.#docsUri = options.docsUri;
    this.#folders = folders.map(trimmed);
    this.#settings = new SettingsStore(options.settings, askSettings);
    this.#lookTimer = setInterval(() => void this.#look(), LOOK_EVERY);
    // In Node a timer keeps the process alive; a browser's is a number.
    if (typeof this.#lookTimer === "object") (this.#lookTimer as { unref?(): void }).unref?.();
    const memo = new Memo();
    this.#models = new DocumentModels(async (document, folder, settings) => {
      const { scaling, fit } = folder;
      const { uri, languageId, version } = document;
      const cell = this.#cells.of(uri);
      const order = { uri: cell?.uri ?? uri, text: document.getText(), languageId, scaling, cell };
      const read = this.#reader
        ? await this.#reader.read(order)
        : await readDocument({ ...order, host: this.host, grammars: runtime.grammars });
      // Nobody waits for a version that has moved on.
      const rest = rests(() => {
        if (document.version !== version) throw new Superseded();
      });
      return assessInSteps(read, uri, scaling, fit, { recommend: settings.recommendation, memo }, rest);
    });
  }

  get folders(): readonly string[] {
    return this.#folders;
  }

  /** A page of the documentation that comes with the extension. */
  async documentation(page: string): Promise<string | undefined> {
    const bytes = this.#docsUri === undefined ? undefined : await this.host.readFile(`${this.#docsUri}/${page}`);
    return bytes && new TextDecoder().decode(bytes);
  }

  /** Called when something that documents show has changed. */
  onChanged(listener: () => void): void {
    this.#changed = listener;
  }

  /** Called when only what is being done has changed; no result has. */
  onProgressed(listener: () => void): void {
    this.#progressed = listener;
  }

  /** Called with the globs of run logs to watch, whenever they change. */
  onWatch(listener: (globs: readonly WatchedGlob[]) => void): void {
    this.#watch = listener;
    this.#updateWatch();
  }

  /** The document that is open under a URI, with what is not saved of it; however the client writes its colon and its blanks. */
  openDocument(uri: string): TextDocument | undefined {
    return this.#open(uri);
  }

  /** Called with a way to the open documents. */
  withDocuments(open: (uri: string) => TextDocument | undefined, cells: NotebookCells): void {
    this.#open = open;
    this.#cells = cells;
  }

  settingsOf(uri: string): Promise<Settings> {
    return this.#settings.of(uri);
  }

  /** What a document says now; where it changes before its turn, what it says then. */
  async model(
    document: TextDocument,
  ): Promise<{ model: DocumentModel; settings: Settings; folder: FolderView } | null> {
    const [settings, project] = await Promise.all([this.#settings.of(document.uri), this.projectOf(document.uri)]);
    const folder = project.view();
    const model = await this.#models
      .get(document, folder, settings, this.#cells.of(document.uri))
      .catch((error: unknown) => {
        if (error instanceof Superseded) return undefined;
        throw error;
      });
    if (model === undefined) {
      const now = this.openDocument(document.uri);
      return now ? this.model(now) : null;
    }
    if (model?.assessment && model.assessment.document.followed.length > 0) this.#updateWatch();
    if (model?.experiments.length && !project.scaling?.file.logs.length)
      void project.live.beside(project.folderUri, folderOf(document.uri)).then((isNew) => {
        if (isNew) void project.readLive();
      });
    return model && { model, settings, folder };
  }

  /** The project of a document or a folder. Documents that are nowhere belong to the first workspace folder. */
  projectOf(uri: string): Promise<Project> {
    const home = homeOf(this.#cells.of(uri)?.uri ?? uri, this.#folders);
    const top =
      this.#folders
        .filter((folder) => home === folder || home.startsWith(`${folder}/`))
        .sort((a, b) => b.length - a.length)[0] ?? null;
    const folder = home === top ? home : folderOf(home);
    let project = this.#projectOfFolder.get(folder);
    if (!project) {
      project = this.#find(`${folder}/x`, top);
      this.#projectOfFolder.set(folder, project);
      project.catch(() => this.#projectOfFolder.delete(folder));
    }
    return project;
  }

  async #find(uri: string, top: string | null): Promise<Project> {
    const { folderUri, scaling } = await findScaling(this.host, uri, top);
    let project = this.#projects.get(folderUri);
    if (!project) {
      project = new Project(folderUri, scaling, {
        host: this.host,
        jobs: this.jobs,
        log: this.log,
        changed: () => this.#changed(),
        progressed: () => this.#progressed(),
      });
      this.#projects.set(folderUri, project);
      project.refit(await this.#settings.of(folderUri));
      this.#updateWatch();
    }
    return project;
  }

  /** Where the run of each experiment of a document will end, where one is on. */
  async liveOf(model: DocumentModel): Promise<LiveView> {
    const project = await this.projectOf(model.uri);
    return ({ assessment: { budget } }) =>
      project.live.forecastFor(
        { uri: model.uri, name: budget.name, isOnly: model.experiments.length === 1, budget },
        project.fit,
        project.scaling?.file.hardware.price?.value,
      );
  }

  /** Logs that grow are looked at; what ended, or began anew, is read and fitted again. */
  async #look(): Promise<void> {
    await this.#each(async (project) => {
      const { changed, reread } = await project.live.look();
      if (changed) this.#changed();
      if (!reread) return;
      const settings = await this.#settings.of(project.folderUri);
      const fits = (project.scaling?.file.logs.length ?? 0) > 0 && !project.scaling?.file.fit;
      if (fits && settings.fit.refitOnChange) project.refit(settings, true);
      else await project.readLive();
    });
  }

  settingsChanged(): void {
    this.#settings.forget();
    void this.#each(async (project) => project.refit(await this.#settings.of(project.folderUri)));
    this.#changed();
  }

  changeFolders(added: readonly string[], removed: readonly string[]): void {
    const gone = new Set(removed.map(trimmed));
    this.#folders = [...this.#folders.filter((folder) => !gone.has(folder)), ...added.map(trimmed)];
    for (const [uri, project] of this.#projects) {
      if (![...gone].some((folder) => uri === folder || uri.startsWith(`${folder}/`))) continue;
      project.dispose();
      this.#projects.delete(uri);
    }
    this.#projectOfFolder = new Map();
    this.#updateWatch();
    this.#changed();
  }

  /** A document was saved: others may build on it. */
  saved(uri: string): void {
    this.#reader?.retry();
    if (this.#models.changed(uri)) this.#changed();
  }

  filesChanged(uris: readonly string[]): void {
    this.#reader?.retry();
    if (uris.map((uri) => this.#models.changed(uri)).includes(true)) this.#changed();
    if (uris.some((uri) => SCALING_NAME.test(uri))) void this.#rescale();
    const fits = uris.filter((uri) => uri.endsWith(".fit.json"));
    const logs = uris.filter((uri) => !SCALING_NAME.test(uri) && !uri.endsWith(".fit.json"));
    void this.#each(async (project) => {
      const named = project.scaling?.file.fit;
      if (named && fits.includes(joined(project.folderUri, named.value)))
        project.refit(await this.#settings.of(project.folderUri), true);
    });
    // What a run that is on appends is followed; no fit rests on it.
    const unfollowed = logs.filter((uri) => ![...this.#projects.values()].some(({ live }) => live.follows(uri)));
    if (unfollowed.length === 0) return;
    clearTimeout(this.#logTimer);
    this.#logTimer = setTimeout(() => {
      void this.#each(async (project) => {
        const settings = await this.#settings.of(project.folderUri);
        const reads = (project.scaling?.file.logs.length ?? 0) > 0 && !project.scaling?.file.fit;
        if (
          reads &&
          settings.fit.refitOnChange &&
          unfollowed.some(
            (uri) =>
              uri.startsWith(`${project.folderUri}/`) ||
              project.scaling?.file.logs.some(({ value }) => value.startsWith("..")),
          )
        )
          project.refit(settings, true);
        else if (unfollowed.some((uri) => uri.startsWith(`${project.folderUri}/`))) await project.readLive();
      });
    }, LOG_QUIET);
  }

  /** A `scaling.yaml` came, went or changed: which project a folder belongs to may be another now. */
  async #rescale(): Promise<void> {
    this.#projectOfFolder = new Map();
    await this.#each(async (project) =>
      project.rescale(await readScaling(this.host, project.folderUri), await this.#settings.of(project.folderUri)),
    );
    this.#updateWatch();
    this.#changed();
  }

  async #each(work: (project: Project) => Promise<void>): Promise<void> {
    for (const project of [...this.#projects.values()]) {
      try {
        await work(project);
      } catch (error) {
        this.log.error(`${project.folderUri}: ${describeError(error)}`);
      }
    }
  }

  #updateWatch(): void {
    const globs: WatchedGlob[] = [];
    for (const project of this.#projects.values()) {
      for (const { value } of project.scaling?.file.logs ?? []) {
        const pattern = value.replace(/^\.\//, "").replace(/\/+$/, "");
        globs.push({
          folder: project.folderUri,
          pattern: /[*?[{]/.test(pattern) || /\.[a-z]+$/i.test(pattern) ? pattern : `${pattern}/**`,
        });
      }
    }
    for (const uri of this.#models.followed())
      globs.push({ folder: folderOf(uri), pattern: uri.slice(uri.lastIndexOf("/") + 1) });
    const key = JSON.stringify(globs);
    if (key === this.#watched) return;
    this.#watched = key;
    this.#watch(globs);
  }

  closed(uri: string): void {
    this.#models.forget(uri);
    this.#reader?.forget(uri);
    this.#settings.forget(uri);
    this.#updateWatch();
  }

  dispose(): void {
    clearTimeout(this.#logTimer);
    clearInterval(this.#lookTimer);
    for (const project of this.#projects.values()) project.dispose();
  }
}
