export interface Service {
  readonly port: number;
  readonly uri: string;
  readonly password: string;
  readonly log: () => string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}
export interface Postgres extends Service {
  readonly connection: { host: string; port: number; user: string; password: string; database: string };
}
export interface Clickhouse extends Service {
  readonly tcp: number;
  readonly user: string;
  run(sql: string): Promise<string>;
}
export function ensureServices(): { postgres: boolean; clickhouse: boolean };
export function startPostgres(): Promise<Postgres | null>;
export function freePort(): Promise<number>;
export function startClickhouse(options?: { tcp?: number; shards?: readonly number[] }): Promise<Clickhouse | null>;
