import type { Origin, Rollout } from "./fields";
import { structureOf } from "./signature";

/** Texts beyond this many characters count by their beginning. */
const LONGEST_TEXT = 20_000;

/** A rollout as kept: numbers only, so that millions of them fit. */
export interface Cell {
  readonly task: number;
  readonly environment: number;
  readonly step: number | undefined;
  readonly group: string | undefined;
  readonly reward: number | undefined;
  readonly solved: boolean | undefined;
}

export interface Environment {
  readonly label: string;
  readonly world: string | undefined;
  readonly structure: number | undefined;
  origin: Origin | undefined;
}

/** Numbers what recurs in rollouts — tasks, environments, structures — and keeps one small record per rollout. */
export class Tally {
  readonly cells: Cell[] = [];
  readonly taskTexts: string[] = [];
  /** Tasks that are told by an id alone. */
  textless = 0;
  readonly taskLabels: string[] = [];
  readonly taskEmbeddings: (Float32Array | undefined)[] = [];
  readonly taskOrigins: (Origin | undefined)[] = [];
  readonly environments: Environment[] = [];
  readonly structures = new Map<string, number>();
  readonly worlds = new Set<string>();
  readonly trajectoryOrigins = { real: 0, synthetic: 0, methods: new Map<string, number>() };
  /** Rollouts that state no task, environment, world or structure. */
  readonly without = { task: 0, environment: 0, world: 0, structure: 0, reward: 0 };
  /** Steps with a graded reward, and all steps, by training step (NaN: none stated). */
  readonly density = new Map<number, { graded: number; turns: number }>();
  readonly #tasks = new Map<string, number>();
  readonly #environments = new Map<string, number>();
  /** Structures of tool lists that were seen, since hashing one for every rollout would dominate. */
  readonly #structureOf = new Map<string, number | undefined>();

  constructor(
    readonly solvedAt: number,
    readonly keepEmbeddings: boolean,
  ) {}

  add(rollout: Rollout): void {
    const task = this.#task(rollout);
    const environment = this.#environment(rollout);
    const solved = rollout.success ?? (rollout.reward === undefined ? undefined : rollout.reward >= this.solvedAt);
    if (rollout.reward === undefined && solved === undefined) this.without.reward++;
    this.cells.push({
      task,
      environment,
      step: rollout.step,
      group: rollout.group,
      reward: rollout.reward ?? (solved === undefined ? undefined : Number(solved)),
      solved,
    });
    if (rollout.turns !== undefined && rollout.gradedTurns !== undefined) {
      const step = rollout.step ?? NaN;
      const held = this.density.get(step) ?? { graded: 0, turns: 0 };
      this.density.set(step, {
        graded: held.graded + Math.min(rollout.gradedTurns, rollout.turns),
        turns: held.turns + rollout.turns,
      });
    }
    const origin = rollout.synthetic.trajectories;
    if (origin) {
      this.trajectoryOrigins[origin.synthetic ? "synthetic" : "real"]++;
      if (origin.synthetic)
        this.trajectoryOrigins.methods.set(
          origin.method ?? "unnamed",
          (this.trajectoryOrigins.methods.get(origin.method ?? "unnamed") ?? 0) + 1,
        );
    }
  }

  #task(rollout: Rollout): number {
    const text = rollout.taskText?.slice(0, LONGEST_TEXT);
    const key = rollout.taskId !== undefined ? `#${rollout.taskId}` : text !== undefined ? `=${text}` : undefined;
    if (key === undefined) {
      this.without.task++;
      return -1;
    }
    let task = this.#tasks.get(key);
    if (task === undefined) {
      task = this.#tasks.size;
      this.#tasks.set(key, task);
      // An id without a text is its own text: only the same id is the same task.
      if (text === undefined) this.textless++;
      this.taskTexts.push(text ?? key);
      this.taskLabels.push(rollout.taskId ?? (text as string).slice(0, 200));
      this.taskEmbeddings.push(this.keepEmbeddings ? rollout.embedding : undefined);
      this.taskOrigins.push(rollout.synthetic.tasks);
    }
    this.taskOrigins[task] ??= rollout.synthetic.tasks;
    return task;
  }

  #environment(rollout: Rollout): number {
    const structure = this.#structure(rollout);
    const { world, environmentId } = rollout;
    if (world !== undefined) this.worlds.add(world);
    else this.without.world++;
    if (structure === undefined) this.without.structure++;
    // Environments are (world, structure) pairs; an id (or a seed) tells them apart only where neither is stated.
    const key =
      world !== undefined || structure !== undefined
        ? `${world ?? ""}\n${structure ?? ""}`
        : environmentId === undefined
          ? undefined
          : `id:${environmentId}`;
    if (key === undefined) {
      this.without.environment++;
      return -1;
    }
    let environment = this.#environments.get(key);
    if (environment === undefined) {
      environment = this.#environments.size;
      this.#environments.set(key, environment);
      this.environments.push({
        label:
          (world === undefined || structure !== undefined ? environmentId : undefined) ??
          [world, structure === undefined ? undefined : `structure ${structure + 1}`].filter(Boolean).join(" · "),
        world,
        structure,
        origin: rollout.synthetic.environments,
      });
    }
    this.environments[environment].origin ??= rollout.synthetic.environments;
    return environment;
  }

  #structure({ tools, state, transitions, verifier }: Rollout): number | undefined {
    if (tools === undefined && state === undefined && verifier === undefined) return undefined;
    const raw = JSON.stringify([tools, state, transitions, verifier]);
    if (this.#structureOf.has(raw)) return this.#structureOf.get(raw);
    const canonical = structureOf({ tools, state, transitions, verifier });
    let number: number | undefined;
    if (canonical !== undefined) {
      number = this.structures.get(canonical) ?? this.structures.size;
      this.structures.set(canonical, number);
    }
    if (this.#structureOf.size < 50_000) this.#structureOf.set(raw, number);
    return number;
  }
}
