/** Files in, the bytes of a tar archive out: equal files give equal bytes, on any day, for any user, in any order. */
import { Header, Pax } from 'tar';
import { readName } from './member-name.ts';

/** Content of a file, with its mode if it is not a plain readable file: `{ bytes, mode: 0o755 }`. */
export type FileContent = Uint8Array | { readonly bytes: Uint8Array; readonly mode: number };

const BLOCK = 512;
const EPOCH = new Date(0);

/**
 * An archive of the files and their folders, sorted by path, owned by root, dated 1970. A path that could not be
 * read back is a defect of the caller.
 */
export function buildTar(files: ReadonlyMap<string, FileContent>): Buffer {
  const parts: Uint8Array[] = [];
  for (const path of sortedPaths(files)) {
    const content = files.get(path);
    if (content === undefined) parts.push(headerOf({ path: `${path}/`, mode: 0o755, size: 0, type: 'Directory' }));
    else parts.push(...fileParts(path, content));
  }
  parts.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(parts);
}

function sortedPaths(files: ReadonlyMap<string, FileContent>): readonly string[] {
  const paths = new Set<string>();
  for (const path of files.keys()) {
    assertPlain(path);
    const parts = path.split('/');
    for (let depth = 1; depth <= parts.length; depth += 1) paths.add(parts.slice(0, depth).join('/'));
  }
  return [...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function assertPlain(path: string): void {
  const name = readName(path, ['']);
  if (path === '' || name.kind !== 'named' || name.path !== path)
    throw new Error(`${JSON.stringify(path)} is no plain relative path`);
}

function fileParts(path: string, content: FileContent): readonly Uint8Array[] {
  const { bytes, mode } = content instanceof Uint8Array ? { bytes: content, mode: 0o644 } : content;
  const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK);
  return [headerOf({ path, mode, size: bytes.length, type: 'File' }), bytes, padding];
}

interface Head {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly type: 'File' | 'Directory';
}

/** One block, with an extended header before it if the path does not fit or is not ASCII. */
function headerOf({ path, mode, size, type }: Head): Buffer {
  const header = new Header({ path, mode, size, type, uid: 0, gid: 0, uname: '', gname: '', mtime: EPOCH });
  const needsPax = header.encode();
  if (header.block === undefined) throw new Error('the header was not encoded');
  return needsPax ? Buffer.concat([new Pax({ path }).encode(), header.block]) : header.block;
}
