/** Writes the files of authors: whatever ends the program, each of them is as it was, or complete. */
import { copyFile, lstat, mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { invalidInput } from '../../../api/invalid-input.ts';

/** The content by the path from the folder, with slashes; undefined removes the file. */
export type FileChanges = ReadonlyMap<string, Uint8Array | string | undefined>;

/**
 * Writes all files into a folder beside them first; once the last one is on the disk, each is moved to its place, in their
 * order, and then the others are removed. Links are never followed, as they lead out of the folder. A program that is killed
 * meanwhile leaves a folder `.slipway-…` behind. Only what is mounted by itself is written in place.
 *
 * @throws ReasonedError InputInvalid for a path with a link, and the error of a file that cannot be written; no file has changed then
 */
export async function writeFiles(folder: string, changes: FileChanges, move = rename): Promise<void> {
  for (const path of changes.keys()) await refuseLinks(folder, path);
  if (changes.size === 0) return;
  await mkdir(folder, { recursive: true });
  const beside = await mkdtemp(join(folder, '.slipway-'));
  try {
    const written = [...changes].flatMap(([path, content]) => (content === undefined ? [] : [{ path, content }]));
    for (const { path, content } of written) await writeBeside(folder, beside, { path, content });
    for (const { path } of written) await mkdir(dirname(join(folder, path)), { recursive: true });
    for (const { path } of written) await put(join(beside, path), join(folder, path), move);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
  for (const [path, content] of changes) if (content === undefined) await rm(join(folder, path), { force: true });
}

async function refuseLinks(folder: string, path: string): Promise<void> {
  const names = path.split('/');
  for (const at of names.keys()) {
    const part = names.slice(0, at + 1).join('/');
    const found = await lstat(join(folder, part)).catch(() => undefined);
    if (found?.isSymbolicLink() === true)
      throw invalidInput(`${join(folder, part)} is a link, and nothing is written through links`, 'Remove the link');
  }
}

/** An existing file keeps its mode, and its owner if the user may set it, as root in a container may. */
async function writeBeside(
  folder: string,
  beside: string,
  { path, content }: { readonly path: string; readonly content: Uint8Array | string },
): Promise<void> {
  await mkdir(dirname(join(beside, path)), { recursive: true });
  const before = await lstat(join(folder, path)).catch(() => undefined);
  const file = await open(join(beside, path), 'wx');
  try {
    await file.writeFile(content);
    if (before !== undefined) {
      await file.chown(before.uid, before.gid).catch(() => undefined);
      await file.chmod(before.mode);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file or folder that is mounted by itself, as into a container, can be written in place only. */
async function put(from: string, to: string, move: typeof rename): Promise<void> {
  try {
    await move(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EXDEV' && code !== 'EBUSY') throw error;
    await copyFile(from, to);
  }
}
