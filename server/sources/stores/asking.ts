import type { RolloutQuestion } from "../source";
import type { Expressions } from "./statements";
import type { StorePlace } from "./store";

type Row = Readonly<Record<string, unknown>>;

/** What all statements of one measure share. */
export interface Asking {
  readonly s: Expressions;
  readonly place: StorePlace;
  readonly question: RolloutQuestion;
  rows(sql: string): Promise<readonly Row[]>;
  /** The numbers of the one row of a statement; 0 where they are NULL. */
  one(sql: string): Promise<Readonly<Record<string, number>>>;
}

/** A subquery with a name, which Postgres wants. Names of ours begin with q_: ClickHouse takes an alias for the column of that name. */
export const within = (sql: string) => `(${sql}) q`;
