/** How a server is asked. */
export interface Asked {
  /** What one statement may take at most (ms). */
  readonly limitMs: number;
  readonly password: string | undefined;
  readonly signal: AbortSignal | undefined;
}
