import type { ZodType } from "zod";
import { readFit, printedFit } from "../core/fit";
import { createEngine, type Engine, type EngineTools } from "../operations/engine";
import { resolveSources } from "../operations/globs";
import { OPERATIONS } from "../operations/index";
import { InputError } from "../operations/inputError";
import { runs } from "../operations/runs";
import { readScaling } from "../operations/scaling";
import type { Confined } from "./confined";

/** One thing that an agent may call. */
interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: ZodType;
  readonly writes: boolean;
  /** Rejects with an InputError for bad input. */
  call(input: unknown, signal?: AbortSignal): Promise<unknown>;
}

/** One thing that an agent may read. */
interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

export interface Offer {
  readonly tools: readonly Tool[];
  resources(): Promise<readonly Resource[]>;
  /** JSON text. Rejects with an InputError for what is not there. */
  read(uri: string): Promise<string>;
}

const FIT = "scaling-lens://fit/";
const RUNS = "scaling-lens://runs/";

/** The operations over one folder, and its run tables and fits. */
export function offer(
  { host, uri, shown }: Confined,
  { jobs, grammars, log, documentation }: Pick<EngineTools, "jobs" | "grammars" | "log" | "documentation">,
): Offer {
  // An engine a call: files change between them, and an engine keeps the fits that it made.
  const engine = (): Engine => createEngine({ host, jobs, grammars, log, documentation, uri, shown });
  const root = uri(".");
  return {
    tools: OPERATIONS.map((operation) => ({
      name: operation.name,
      description: `${operation.summary[0].toUpperCase()}${operation.summary.slice(1)}.`,
      input: operation.input,
      writes: operation.writes,
      call: (input, signal) => operation.call(engine(), input, signal),
    })),
    async resources() {
      const fits = await resolveSources(host, root, ["**/*.fit.json"]);
      const scaled = await resolveSources(host, root, ["**/scaling.yaml"]);
      const tables: Resource[] = [];
      for (const found of scaled) {
        const folder = found.slice(0, found.lastIndexOf("/"));
        if (((await readScaling(host, folder))?.file.logs.length ?? 0) === 0) continue;
        const name = shown(folder);
        tables.push({
          uri: `${RUNS}${encodeURI(name)}`,
          name: `runs of ${name}`,
          description: "The run table of the logs that this folder's scaling.yaml names.",
        });
      }
      return [
        ...fits.map((fit) => ({
          uri: `${FIT}${encodeURI(shown(fit))}`,
          name: shown(fit),
          description: "A fitted scaling law: exponents with intervals, selection, warnings.",
        })),
        ...tables,
      ];
    },
    async read(address) {
      if (address.startsWith(FIT)) {
        const name = decodeURI(address.slice(FIT.length));
        const fit = readFit(JSON.parse(await engine().text(name)) as unknown);
        if (!fit.ok) throw new InputError(fit.problem.message, { file: name });
        return JSON.stringify(printedFit(fit.value), null, 2);
      }
      if (address.startsWith(RUNS)) {
        const name = decodeURI(address.slice(RUNS.length));
        const folder = uri(name);
        const scaling = await readScaling(host, folder);
        const found = await resolveSources(host, folder, scaling?.file.logs.map(({ value }) => value) ?? []);
        const sources = found.map(shown);
        if (sources.length === 0) throw new InputError("no run log is named there", { file: name });
        const working = engine();
        return JSON.stringify(runs.json(await runs.run(working, { sources }), working), null, 2);
      }
      throw new InputError(`there is no resource ${address}`);
    },
  };
}
