interface Service {
  readonly port: number;
  readonly uri: string;
  readonly password: string;
  /** All that the server has written. */
  readonly log: () => string;
  /** Milliseconds that the statements of a program (Postgres) or a user took, by the server's own account. */
  took(who: string): Promise<number>;
  /** Holds it and all that it has forked by SIGSTOP, and lets it go on. */
  pause(): void;
  resume(): void;
  /** Ends it and all that it has forked by SIGKILL, and leaves its data. */
  kill(): Promise<void>;
  /** Starts it again on its data. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}
export interface Postgres extends Service {
  /** Rows of one text of statements, as a user who may write. */
  run(sql: string): Promise<Readonly<Record<string, unknown>>[]>;
  /** What a program (its `application_name`) has sent, by the server's own log. */
  statements(application: string): string[];
}
export interface Clickhouse extends Service {
  readonly tcp: number;
  readonly user: string;
  run(sql: string): Promise<string>;
  /** What a user has sent, by the server's own log. */
  statements(user: string): Promise<string[]>;
}
/** A current ClickHouse where chdb is installed: reading alone, by its engine behind an HTTP of ours. */
export function startChdb(): Promise<Clickhouse | null>;
/** Installs what is absent where that can be done, and names what is not to be had. */
export function ensureServices(): string[];
export function startPostgres(): Promise<Postgres | null>;
export function freePort(): Promise<number>;
export function startClickhouse(options?: { tcp?: number; shards?: readonly number[] }): Promise<Clickhouse | null>;
