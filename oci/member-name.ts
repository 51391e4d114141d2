/** Names inside archives: which folders matter, and whether a member's name is safe and lies in one of them. */
import { imageInvalid } from './errors.ts';
import type { Origin } from './manifest.ts';

/** Normalised folder names without slashes at the ends: `manifests`, `opt/configs`; empty is the root. */
export type FolderSet = readonly string[];

export type Where =
  /** Below one of the folders. */
  | 'inside'
  /** One of the folders itself. */
  | 'folder'
  /** A parent of one of the folders. */
  | 'above';

export type MemberName =
  | { readonly kind: 'outside' }
  | { readonly kind: 'named'; readonly path: string; readonly where: Where }
  | { readonly kind: 'refused'; readonly because: string };

const MAX_PATH_BYTES = 1024;
const MAX_COMPONENT_BYTES = 255;
const MAX_FOLDERS = 16;

/**
 * Folder names as given by labels or code (`/configs`, `manifests/`) → normalised.
 *
 * @throws ImageInvalid if one leads outside or is not a plain name
 */
export function parseFolders(folders: readonly string[], { what, byDigest }: Origin): FolderSet {
  if (folders.length > MAX_FOLDERS) throw imageInvalid(`${what} names too many folders`, byDigest);
  return folders.map((folder) => {
    const parts = folder.split('/').filter((part) => part !== '' && part !== '.');
    if (/[\\\u0000-\u001F\u007F\uFFFD]/.test(folder) || parts.includes('..') || folder.length > MAX_PATH_BYTES) {
      throw imageInvalid(
        `${what} names the folder ${JSON.stringify(folder.slice(0, 100))}, which cannot be one`,
        byDigest,
      );
    }
    return parts.join('/');
  });
}

/**
 * Judges the name of a member. A name that is no plain relative path is refused if any reading of it could be inside
 * the folders, and skipped otherwise.
 *
 *     readName('./manifests/a.yaml', ['manifests']) → { kind: 'named', path: 'manifests/a.yaml', where: 'inside' }
 */
export function readName(name: string, folders: FolderSet): MemberName {
  const path = landing(name);
  const where = whereIs(path, folders);
  if (where === undefined) return { kind: 'outside' };
  const because = objection(name, path);
  return because === undefined ? { kind: 'named', path, where } : { kind: 'refused', because };
}

/**
 * The path at which a careless reader would put the member: back-slashes as separators, drive letters and roots
 * dropped.
 */
function landing(name: string): string {
  const parts: string[] = [];
  for (const part of name.replace(/^[A-Za-z]:/, '').split(/[/\\]/)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

function whereIs(path: string, folders: FolderSet): Where | undefined {
  if (folders.some((folder) => folder === '' || path.startsWith(`${folder}/`)))
    return path === '' ? 'folder' : 'inside';
  if (folders.includes(path)) return 'folder';
  return path === '' || folders.some((folder) => folder.startsWith(`${path}/`)) ? 'above' : undefined;
}

function objection(name: string, path: string): string | undefined {
  if (name.startsWith('/')) return 'its name is absolute';
  if (/^[A-Za-z]:/.test(name)) return 'its name has a drive letter';
  if (name.includes('\\')) return 'its name has a back-slash';
  if (name.split('/').includes('..')) return 'its name leads upwards';
  if (/[\u0000-\u001F\u007F]/.test(name)) return 'its name has control characters';
  if (name.includes('\uFFFD')) return 'its name is not UTF-8';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `its name is longer than ${MAX_PATH_BYTES} bytes`;
  const parts = path.split('/');
  if (parts.some((part) => Buffer.byteLength(part) > MAX_COMPONENT_BYTES)) return 'a part of its name is too long';
  if (parts.some((part) => /^GNUSparseFile\.\d+$/.test(part))) return 'it is a sparse file';
  return undefined;
}
