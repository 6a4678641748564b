import { readScalingFile, type ScalingFile } from "../configs/scaling/scalingFile";
import { folderOf } from "../syntax/uris";
import { readText, type Host } from "../host";

/** A folder's `scaling.yaml`, where there is one. */
export interface Scaling {
  readonly file: ScalingFile;
  readonly text: string;
}

const NAMES = ["scaling.yaml", "scaling.yml"] as const;
const HIGHEST = 30;

/** The `scaling.yaml` of exactly this folder. */
export async function readScaling(host: Host, folderUri: string): Promise<Scaling | null> {
  for (const name of NAMES) {
    const uri = `${folderUri.replace(/\/$/, "")}/${name}`;
    const text = await readText(host, uri);
    if (text === undefined) continue;
    return { file: readScalingFile(uri, text), text };
  }
  return null;
}

/**
 * The nearest `scaling.yaml` at or above a file's folder, not above `top` (a workspace folder). It holds for everything
 * below it that has none of its own.
 */
export async function findScaling(
  host: Host,
  uri: string,
  top: string | null,
): Promise<{ readonly folderUri: string; readonly scaling: Scaling | null }> {
  const nearest = folderOf(uri);
  const stop = top?.replace(/\/$/, "") ?? null;
  let folder = nearest;
  for (let i = 0; i < HIGHEST && folder.includes("://"); i++) {
    const scaling = await readScaling(host, folder);
    if (scaling) return { folderUri: folder, scaling };
    if (folder === stop || /^[a-z][\w+.-]*:\/\/[^/]*\/?$/i.test(folder)) break;
    const up = folderOf(folder);
    if (up === folder || up.endsWith(":/")) break;
    folder = up;
  }
  return { folderUri: stop ?? nearest, scaling: null };
}
