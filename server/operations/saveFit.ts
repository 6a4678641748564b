import { readFit, type FitFile } from "../core/fit";
import { readText, type Host } from "../host";
import { InputError } from "./inputError";
import type { Engine } from "./engine";
import { MOST_FIT_BYTES } from "./fits";

/** Why no fit may be put in a place; undefined: it may. A fit replaces a fit and nothing else. */
export async function whyNoFitAt(host: Host, uri: string): Promise<string | undefined> {
  if (!host.writeFile) return "nothing may be written here";
  const about = await host.stat(uri);
  if (about?.kind === "directory") return "this is a folder, not a file";
  if (about && about.size > 0 && !isFit(await readText(host, uri, MOST_FIT_BYTES)))
    return "what is there is not a fit: nothing was overwritten";
  const why = await host.whyNotWritten?.(uri);
  return why && `it cannot be written: ${why}`;
}

/** A fit of another version is one too. */
function isFit(text: string | undefined): boolean {
  try {
    const read = readFit(JSON.parse(text ?? ""));
    return read.ok || read.problem.code !== "fit.not-a-fit";
  } catch {
    return false;
  }
}

/** An InputError where no fit may be put there: asked before long work is done for it. */
export async function checkFitPlace(engine: Engine, name: string): Promise<void> {
  const why = await whyNoFitAt(engine.host, engine.uri(name));
  if (why !== undefined) throw new InputError(why, { file: name });
}

/**
 * Saves a fit, and what stood there under a free name where it is to be kept.
 * @returns the name of what was kept; null where nothing was
 */
export async function saveFit(engine: Engine, name: string, fit: FitFile, keep = false): Promise<string | null> {
  await checkFitPlace(engine, name);
  const { host } = engine;
  const place = engine.uri(name);
  const bytes = new TextEncoder().encode(`${JSON.stringify(fit)}\n`);
  const before = keep ? await host.readFile(place) : undefined;
  const isNew = before !== undefined && before.length > 0 && !sameBytes(before, bytes);
  const kept = isNew ? await freeName(engine, `${name}.before`) : null;
  try {
    if (before && kept) await host.writeFile?.(engine.uri(kept), before);
    await host.writeFile?.(place, bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new InputError(`the fit cannot be saved: ${why}`, { file: name });
  }
  return kept;
}

async function freeName(engine: Engine, name: string): Promise<string> {
  for (let i = 1; ; i++) {
    const one = i === 1 ? name : `${name}-${i}`;
    if ((await engine.host.stat(engine.uri(one))) === undefined) return one;
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
