/** Writes files into a folder with exactly the modes that they have in the image, whatever the caller's umask. */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export type Files = ReadonlyMap<string, Uint8Array | { readonly bytes: Uint8Array; readonly mode: number }>;

/** The folder with these files and no others; every user can enter folders and read files. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [path, content] of files) {
    const { bytes, mode } = content instanceof Uint8Array ? { bytes: content, mode: 0o644 } : content;
    await makeFolders(folder, dirname(path));
    await writeFile(join(folder, path), bytes);
    await chmod(join(folder, path), mode);
  }
}

async function makeFolders(root: string, path: string): Promise<void> {
  const folder = join(root, path);
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  if (path !== '.' && path !== '') await makeFolders(root, dirname(path));
}
