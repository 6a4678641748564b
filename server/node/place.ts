import { access, constants, lstat, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { reasonOf } from "./replace";

/** Links after which there is no end to be expected, as for the system itself. */
const MOST_LINKS = 40;

export function isMissing(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === "ENOENT" || code === "ENOTDIR";
}

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (about) => about.isSymbolicLink(),
    () => false,
  );

/**
 * Where a path leads once its links are followed, also those that lead to what is not there yet: the system would make it there.
 * @throws where they lead in a circle, or through a folder that is not there and out of it again
 */
export async function followed(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  if (links > MOST_LINKS) throw new Error("its links have no end");
  const [folder, name] = [dirname(path), basename(path)];
  if (name === "..") throw new Error("it leads through a folder that is not there");
  if (!(await isLink(path))) return join(await followed(folder, links + 1), name);
  const to = await readlink(path);
  // Not joined: what `..` leads to is known only once the links before it are followed.
  return followed(isAbsolute(to) ? to : `${await followed(folder, links + 1)}/${to}`, links + 1);
}

/** Where bytes go that are written to a path, and the mode of what stands there. */
interface Place {
  readonly path: string;
  readonly mode?: number;
}

/** A text says why nothing may be written there: a link is never replaced, and what is no regular file neither. */
export async function placeFor(path: string): Promise<Place | string> {
  try {
    return await existing(path);
  } catch (error) {
    if (!isMissing(error)) return reasonOf(error);
  }
  return (await isLink(path)) ? behind(path) : fresh(path);
}

async function existing(path: string): Promise<Place | string> {
  const about = await stat(path);
  if (!about.isFile()) return "it is no regular file";
  if ((about.mode & 0o222) === 0) return "it is read-only";
  // A file that was removed while a process holds it still has a link in /proc, whose name leads nowhere or to another.
  const target = await realpath(path).catch(() => undefined);
  const found = target === undefined ? undefined : await stat(target).catch(() => undefined);
  if (target === undefined || found?.ino !== about.ino || found.dev !== about.dev)
    return "it is a link to a file that has no name";
  await access(target, constants.W_OK);
  await access(dirname(target), constants.W_OK | constants.X_OK);
  return { path: target, mode: about.mode & 0o7777 };
}

/** A link to what is not there yet: that is made, and the link stays. */
async function behind(link: string): Promise<Place | string> {
  try {
    const path = await followed(link);
    const folder = dirname(path);
    const about = await stat(folder).catch(() => undefined);
    if (!about?.isDirectory()) return `it is a link to ${path}, and there is no folder ${folder}`;
    await access(folder, constants.W_OK | constants.X_OK);
    return { path };
  } catch (error) {
    return reasonOf(error);
  }
}

/** The nearest folder that is there takes new ones. */
async function fresh(path: string): Promise<Place | string> {
  for (let folder = dirname(path); ; folder = dirname(folder))
    try {
      if (!(await stat(folder)).isDirectory()) return `${folder} is no folder`;
      await access(folder, constants.W_OK | constants.X_OK);
      return { path };
    } catch (error) {
      if (!isMissing(error) || folder === dirname(folder)) return reasonOf(error);
      if (await isLink(folder)) return `${folder} is a link to a folder that is not there`;
    }
}
