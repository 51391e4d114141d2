/** Chosen files of a tar archive, in memory. */
import { Parser } from 'tar';

/** `wanted` maps a path in the archive to its new name; throws if one is missing or is no plain file. */
export async function unpackFiles(
  archive: Buffer,
  wanted: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  const links = new Map<string, string>();
  const waiting: Promise<void>[] = [];
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      const path = entry.path.replace(/^\.\//, '');
      if (entry.type === 'SymbolicLink') links.set(path, `${path.slice(0, path.lastIndexOf('/'))}/${entry.linkpath}`);
      if (entry.type === 'File') waiting.push(entry.concat().then((bytes) => void found.set(path, Buffer.from(bytes))));
      entry.resume();
    },
  });
  await new Promise<void>((resolve, reject) => {
    parser.on('end', () => resolve());
    parser.on('error', reject);
    parser.end(archive);
  });
  await Promise.all(waiting);
  return new Map([...wanted].map(([path, name]) => [name, found.get(links.get(path) ?? path) ?? missing(path)]));
}

function missing(path: string): never {
  throw new Error(`the archive has no file ${path}`);
}
