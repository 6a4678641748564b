import type { WorkerLink } from "./workerLink";

/** A worker and what it does. */
export interface Seat {
  readonly link: WorkerLink;
  /** Whether anything was ever heard from it. */
  spoke: boolean;
}

export interface SeatOptions {
  /** Workers at once. */
  readonly most: number;
  /** Which of the waiting ones is next: the one that came first, or last (what was opened last is what is looked at). */
  readonly next: "first" | "newest";
  /** Milliseconds after which work counts as long. One worker is kept for what is not; absent: there is no such thing. */
  readonly quick?: number;
  /** Milliseconds of computing that the whole process has used, where that can be told. */
  readonly spent?: () => number;
}

interface Place {
  readonly seat: Seat;
  /** Null while it is idle. */
  work: Work | null;
}

interface Work {
  readonly began: number;
  long: boolean;
  /** Takes the worker away; whoever has it asks for another. */
  readonly yield: () => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

interface Waiting {
  readonly long: boolean;
  readonly yield: () => void;
  readonly resolve: (seat: Seat) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The workers, and who is next. Work that turns out to be long never holds all of them: where something new waits, the youngest
 * of the long ones gives its worker up and begins again once another long one is done.
 */
export class Seats {
  readonly #start: () => WorkerLink;
  readonly #options: SeatOptions;
  readonly #places: Place[] = [];
  readonly #waiting: Waiting[] = [];

  constructor(start: () => WorkerLink, options: SeatOptions) {
    this.#start = start;
    this.#options = options;
  }

  get count(): number {
    return this.#places.length;
  }

  /** A worker, as soon as one is free; rejects where none can be started. `long` is what gave its worker up before. */
  take(long: boolean, giveUp: () => void): Promise<Seat> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ long, yield: giveUp, resolve, reject });
      this.#fill();
    });
  }

  /** A worker has begun with its work: its program is loaded, and the time is its own. */
  began(seat: Seat): void {
    seat.spoke = true;
    const work = this.#places.find((one) => one.seat === seat)?.work;
    if (work && !work.long && work.timer === undefined) this.#watch(work);
  }

  /** The work of a worker is done. */
  leave(seat: Seat): void {
    const place = this.#places.find((one) => one.seat === seat);
    if (place) this.#rest(place);
    this.#fill();
  }

  /** A worker has ended. */
  drop(seat: Seat): void {
    const at = this.#places.findIndex((one) => one.seat === seat);
    if (at < 0) return;
    this.#rest(this.#places[at]);
    this.#places.splice(at, 1);
  }

  open(): Place {
    const seat: Seat = { link: this.#start(), spoke: false };
    // One that dies while it waits is not used again.
    seat.link.onEnd(() => this.drop(seat));
    const place: Place = { seat, work: null };
    this.#places.push(place);
    return place;
  }

  #rest(place: Place): void {
    clearTimeout(place.work?.timer);
    place.work = null;
  }

  /** Gives the free workers to those who wait. */
  #fill(): void {
    for (;;) {
      const at = this.#next();
      if (at < 0) break;
      const [chosen] = this.#waiting.splice(at, 1);
      try {
        const place = this.#places.find(({ work }) => work === null) ?? this.open();
        place.work = { began: performance.now(), long: chosen.long, yield: chosen.yield, timer: undefined };
        chosen.resolve(place.seat);
      } catch (error) {
        chosen.reject(error);
      }
    }
    this.#makeRoom();
  }

  /** The place in the queue of what may begin now; -1 for nothing. */
  #next(): number {
    const { most, next, quick } = this.#options;
    if (this.#places.length >= most && this.#places.every(({ work }) => work !== null)) return -1;
    const order = this.#waiting.map((_, index) => index);
    if (next === "newest") order.reverse();
    const long = this.#places.filter(({ work }) => work?.long).length;
    const room = quick === undefined || most < 2 || long < most - 1;
    return (
      order.find((index) => !this.#waiting[index].long) ??
      (room ? order.find((index) => this.#waiting[index].long) : undefined) ??
      -1
    );
  }

  #watch(work: Work): void {
    const { quick, spent, most } = this.#options;
    if (quick === undefined || most < 2) return;
    const before = spent?.() ?? 0;
    work.timer = setTimeout(() => {
      // On a machine that is busy with other things the time is not the worker's.
      if (spent && spent() - before < quick / 2) return this.#watch(work);
      work.long = true;
      this.#makeRoom();
    }, quick);
  }

  #makeRoom(): void {
    if (!this.#waiting.some(({ long }) => !long) || this.#places.length < this.#options.most) return;
    if (!this.#places.every(({ work }) => work?.long)) return;
    const [youngest] = this.#places.flatMap(({ work }) => work ?? []).sort((a, b) => b.began - a.began);
    youngest.yield();
  }
}
