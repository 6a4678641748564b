import { levelsOf } from "../assessment/costs";
import { assessDocument } from "../assessment/assess";
import type { ExperimentAssessment, FitState } from "../assessment/types";
import type { Estimate } from "../core/estimate";
import { isKnown, type ExperimentBudget, type Fact } from "../budget/budget";
import type { ConfigDocument } from "../configs/document";
import { readConfig } from "../configs/read";
import { planEdits } from "../configs/wayBack";
import { scalingChanges } from "../configs/scaling/scalingEdits";
import { readScalingFile, type ScalingFile } from "../configs/scaling/scalingFile";
import { isKnownAxis, type AxisName } from "../core/axes";
import type { Levels } from "../core/cost";
import { readText, type Host } from "../host";
import { aligned } from "../syntax/aligned";
import { ok, refused, type Result } from "../core/result";
import { literalGlob } from "../syntax/pattern/glob";
import { splice, type TextChange } from "../syntax/text";
import type { Grammars } from "../syntax/treeSitter";
import { joined, nameOf, pathWithin } from "../syntax/uris";
import { findScaling } from "./scaling";

/** A file that a plan wants to be there. */
interface PlannedFile {
  readonly uri: string;
  readonly text: string;
  /** What it says already and is changed; null for a new file. */
  readonly before: string | null;
}

interface WrittenRun {
  readonly name: string;
  /** The run's config, in the folder that its logs belong into. */
  readonly config: string;
  /** What the written config says when it is read again. */
  readonly levels: Levels;
  /** What it cannot say; scaling.yaml says it. */
  readonly facts: readonly AxisName[];
  /** What the written config takes by itself, as `inspect` tells it (80 %); null where that is unknown. */
  readonly gpuHours: Estimate | null;
}

export interface RunFiles {
  readonly runs: readonly WrittenRun[];
  readonly files: readonly PlannedFile[];
}

interface Place {
  readonly host: Host;
  readonly grammars?: Grammars;
  readonly document: ConfigDocument;
  readonly experiment: ExperimentAssessment;
  readonly scaling: { readonly file: ScalingFile; readonly text: string } | null;
  readonly fit: FitState;
  readonly folderUri: string;
  /** Folder for the runs, as an address. */
  readonly into: string;
}

const AXES: readonly AxisName[] = ["tasks", "environments", "worlds", "structures", "trajectories"];

/**
 * One folder a run: the config itself with the planned amounts spliced in, and a `run.json` by which logs written beside it need no facts.
 * Each text is read again, and what it then says is the plan. What no edit can say becomes a fact of that folder in scaling.yaml.
 */
export async function runFiles(place: Place, wanted: readonly Levels[]): Promise<Result<RunFiles>> {
  const { document, experiment, folderUri } = place;
  const base = document.uri.slice(document.uri.lastIndexOf("/") + 1);
  const title = experiment.budget.name === "" ? base.replace(/\.(budget\.)?\w+$/, "") : experiment.budget.name;
  const stem = stemOf(title);
  const index = Math.max(
    0,
    document.experiments.findIndex(({ name }) => name === experiment.budget.name),
  );
  const governing = await findScaling(place.host, joined(place.into, "run/config"), null);
  const elsewhere = refused(
    "plan.elsewhere",
    "The folder for the runs is not under the scaling.yaml of this config, so that its fit, prices and facts would not hold there. Name a folder beside the config.",
  );
  const isAbove = place.scaling === null && `${folderUri}/`.startsWith(`${governing.folderUri}/`);
  if (!isAbove && governing.scaling && governing.scaling.file.uri !== place.scaling?.file.uri) return elsewhere;
  if (place.scaling && !governing.scaling) return elsewhere;
  // Two plans into two folders are two experiments: their checkpoints and their names in a tracker are kept apart.
  const within = pathWithin(folderUri, place.into);
  const apart = within === undefined ? [stemOf(nameOf(place.into))] : within.split("/").filter((part) => part !== "");
  const scalingUri = place.scaling?.file.uri ?? joined(folderUri, "scaling.yaml");
  let scalingText = place.scaling?.text ?? "";
  // What a fact says of the config itself is said of its runs by facts too, whatever the file says without it.
  const byFact = new Set(AXES.filter((axis) => isFact(axisOf(experiment.budget, axis))));
  const runs: WrittenRun[] = [];
  const files: PlannedFile[] = [];
  for (const [i, levels] of wanted.entries()) {
    const name = `${stem}-${i + 1}`;
    const folder = joined(place.into, encodeURIComponent(name));
    const config = joined(folder, base);
    const target = Object.fromEntries(AXES.flatMap((axis) => (levels[axis] ? [[axis, levels[axis]]] : [])));
    const { edits } = planEdits(document, index, target);
    const values = edits.map(({ span, to }): TextChange => ({ span, newText: to }));
    const label = [...apart.map(stemOf), name];
    const names = named(document.text, name, label, i + 1).filter(
      ({ span }) => !values.some((value) => value.span.start < span.end && span.start < value.span.end),
    );
    const stated = new Set<AxisName>();
    let again = document;
    const read = async (text: string, facts: string): Promise<Levels | null> => {
      again = await readConfig({
        uri: config,
        text,
        readText: (uri) => readText(place.host, uri),
        facts: readScalingFile(scalingUri, facts),
        ...(place.grammars && { grammars: place.grammars }),
      });
      const found = again.experiments[index] ?? again.experiments[0];
      for (const axis of AXES) {
        const fact = found && axisOf(found, axis);
        // What is only assumed (one training set as one environment) is open.
        if (fact && isKnown(fact) && fact.source !== "default" && !isFact(fact) && !byFact.has(axis)) stated.add(axis);
      }
      return found ? levelsOf(found) : null;
    };
    const plain = splice(document.text, aligned(document.text, values));
    const full = splice(document.text, aligned(document.text, [...values, ...names]));
    const said = await read(plain, scalingText);
    // A name is worth less than what the file says of its amounts.
    const text = same(await read(full, scalingText), said) ? full : plain;
    // An amount that the config states otherwise stays as it states it: only what is open, or a fact of other runs too, becomes one.
    const open = AXES.filter(
      (axis) => target[axis] !== undefined && !stated.has(axis) && said?.[axis] !== target[axis],
    );
    const path = pathWithin(folderUri, folder);
    if (open.length > 0 && path === undefined) return elsewhere;
    for (const axis of open) {
      const rule = `${literalGlob(path ?? "")}/**`;
      const changes = scalingChanges(scalingText, { kind: "fact", file: rule, axis, value: target[axis] });
      if (changes) scalingText = splice(scalingText, changes);
    }
    const final: Levels = { ...levels, ...(await read(text, scalingText)) };
    const { experiments } = assessDocument(again, config, readScalingFile(scalingUri, scalingText), place.fit);
    const { cost } = experiments[index] ?? experiments[0] ?? experiment;
    runs.push({ name, config, levels: final, facts: open, gpuHours: cost.kind === "run" ? cost.cost.gpuHours : null });
    files.push(
      { uri: config, text, before: null },
      { uri: joined(folder, "run.json"), text: runJson(experiment, final, i + 1), before: null },
    );
  }
  if (scalingText !== (place.scaling?.text ?? ""))
    files.push({ uri: scalingUri, text: scalingText, before: place.scaling?.text ?? null });
  return ok({ runs, files });
}

/** A name as that of a folder that is not hidden, in any script. */
function stemOf(title: string): string {
  return (
    title
      .normalize()
      .replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, "-")
      .replace(/^[.-]+|-+$/g, "")
      .slice(0, 60) || "run"
  );
}

function axisOf({ axes }: ExperimentBudget, axis: AxisName): Fact<number> | undefined {
  return axes[axis as keyof typeof axes];
}

/** Whether scaling.yaml says it. */
function isFact(fact: Fact<number> | undefined): boolean {
  return fact !== undefined && isKnown(fact) && fact.source === "scaling.yaml";
}

/** What logs beside it are read with. */
function runJson({ budget }: ExperimentAssessment, levels: Levels, seed: number): string {
  const axes = Object.fromEntries(
    Object.entries(levels).filter(([axis]) => isKnownAxis(axis) && axis !== "parameters"),
  );
  const known = { model: budget.model.name, algorithm: budget.algorithm, domain: budget.domain };
  const stated = Object.fromEntries(
    Object.entries(known).flatMap(([key, fact]) => (isKnown(fact) ? [[key, fact.value]] : [])),
  );
  return `${JSON.stringify({ ...stated, axes, seed }, null, 2)}\n`;
}

const NAME_KEYS = "experiment_name|exp_name|run_name|wandb_run_name|wandb_name|wandb_exp_name";
const FOLDER_KEYS =
  "default_local_dir|output_dir|save_path|save_dir|log_dir|logging_dir|outputs_dir|checkpoint_dir|ckpt_dir";

/** The config's own name, seed and folder of outcomes, where it states them as plain values. */
function named(text: string, name: string, label: readonly string[], seed: number): TextChange[] {
  const changes: TextChange[] = [];
  const assign = (keys: string, value: string, content: string): void => {
    const pattern = new RegExp(
      `(^|[\\s.,(+{"'-])(?:${keys.replaceAll("_", "[_-]")})["']?(?:[ \\t]*[:=][ \\t]*|[ \\t]+)(["']?)(${content})\\2(?=[\\s,)\\\\}]|$)`,
      "gm",
    );
    for (const found of text.matchAll(pattern)) {
      const line = text.slice(text.lastIndexOf("\n", found.index) + 1, found.index + found[1].length);
      if (/(^|\s)(#|\/\/)/.test(line)) continue;
      const end = found.index + found[0].length - found[2].length;
      changes.push({ span: { start: end - found[3].length, end }, newText: value });
    }
  };
  assign(NAME_KEYS, label.join("-"), "[\\w.-]+");
  assign("seed", String(seed), "\\d+");
  assign(FOLDER_KEYS, `outputs/${label.join("/")}`, "[\\w./-]+");
  // A native budget's own name, and that of frameworks that have it at the top.
  const top = /^name[ \t]*[:=][ \t]*(["']?)([\w.-]+)\1(?=[ \t]*(#|\r?$))/m.exec(text);
  if (top) {
    const end = top.index + top[0].length - top[1].length;
    changes.push({ span: { start: end - top[2].length, end }, newText: name });
  }
  return changes;
}

function same(a: Levels | null, b: Levels | null): boolean {
  return a !== null && b !== null && AXES.every((axis) => a[axis] === b[axis]);
}
