/** Documents above this many bytes get lens and hover only. */
export const LARGE_DOCUMENT = 200 * 1024;
