/** What a kept reading of a server may take of the cache: that of a file of this size (bytes). */
const SIZE = 512 * 1024 * 1024;

/** Where what was read of a server is kept: under its address alone, since a server does not say when it last changed. */
export function keptAt(uri: string) {
  return [{ uri, size: SIZE, modified: 0 }];
}

/** A time (milliseconds since 1970) as notes say it. */
export function minute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Said of runs that were read before `time`, when their store could last be read. */
export function staleRuns(time: number): string {
  return `The runs shown are those of ${minute(time)}, when the store could last be read.`;
}
