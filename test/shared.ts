/** Where the reference data of public sources lies; tests that need it skip with a message where it is absent. */
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..");

/** The folder of reference data and cases, or null. */
export function sharedFolder(from = root): string | null {
  const places = [process.env.SCALING_LENS_SHARED, join(from, "..", "shared"), join(from, "..", "..", "shared")];
  return places.find((place) => place !== undefined && existsSync(join(place, "data"))) ?? null;
}

/** A file of it, or null. */
export function shared(path: string, from = root): string | null {
  const folder = sharedFolder(from);
  const file = folder && join(folder, path);
  return file && existsSync(file) ? file : null;
}
