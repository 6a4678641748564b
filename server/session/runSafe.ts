import { LSPErrorCodes, ResponseError, type CancellationToken } from "vscode-languageserver";

export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** One line for the log; never a stack in front of a user. */
export function describeError(error: unknown): string {
  if (error instanceof Error) return error.stack ?? `${error.name}: ${error.message}`;
  return String(error);
}

function cancelled(): ResponseError<void> {
  return new ResponseError<void>(LSPErrorCodes.RequestCancelled, "Cancelled");
}

/** Lets messages that have already arrived (a newer edit, a cancellation) be handled before work begins. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * Runs one request so that nothing can end the server: a feature that throws is logged and answers `fallback`, and a
 * cancelled request is not started, nor its late answer sent.
 */
export async function runSafe<Value>(
  log: Log,
  name: string,
  token: CancellationToken,
  fallback: Value,
  work: () => Promise<Value> | Value,
): Promise<Value | ResponseError<void>> {
  await nextTurn();
  if (token.isCancellationRequested) return cancelled();
  try {
    const value = await work();
    return token.isCancellationRequested ? cancelled() : value;
  } catch (error) {
    if (token.isCancellationRequested) return cancelled();
    log.error(`${name} failed: ${describeError(error)}`);
    return fallback;
  }
}
