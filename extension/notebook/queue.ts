/** Runs jobs one after another; after a failure the jobs that are still waiting are dropped. */
export class CellQueue<Job> {
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;

  constructor(
    private readonly run: (job: Job) => Promise<boolean>,
    private readonly drop: (job: Job) => void,
  ) {}

  /** Adds jobs and resolves when the queue is empty. */
  add(jobs: readonly Job[]): Promise<void> {
    this.#waiting.push(...jobs);
    this.#running ??= this.#drain().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #drain(): Promise<void> {
    for (let job = this.#waiting.shift(); job !== undefined; job = this.#waiting.shift()) {
      if (await this.run(job)) continue;
      for (const left of this.#waiting.splice(0)) this.drop(left);
    }
  }
}
