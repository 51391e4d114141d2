/**
 * Judges an archive's members by their headers: keep, note, pass over, or refuse the image. Knows names, kinds and
 * limits; the bytes of files do not come here.
 */
import type { ReadEntry } from 'tar';
import { imageInvalid, imageTooLarge } from './errors.ts';
import type { Origin } from './manifest.ts';
import { type FolderSet, readName } from './member-name.ts';

export interface ArchiveLimits {
  /** Members of all kinds, inside and outside the folders. */
  readonly entries: number;
  /** Bytes of the names of members in the folders and of all folders above each of them, in memory. */
  readonly nameBytes: number;
  /** Files kept. */
  readonly files: number;
  /** Bytes of one kept file. */
  readonly fileBytes: number;
  /** Bytes of all kept files. */
  readonly totalBytes: number;
  /** Tar bytes of all layers. */
  readonly inflatedBytes: number;
  /** Tar bytes per compressed byte. */
  readonly ratio: number;
}

/** The limits that the layers of one image have used up together. */
export interface Usage {
  entries: number;
  nameBytes: number;
  files: number;
  totalBytes: number;
  inflatedBytes: number;
}

export interface MemberRules {
  readonly origin: Origin;
  readonly folders: FolderSet;
  readonly limits: ArchiveLimits;
  readonly usage: Usage;
}

export type MemberVerdict =
  | { readonly kind: 'keep'; readonly path: string }
  | { readonly kind: 'pass' }
  | { readonly kind: 'folder' | 'whiteout' | 'opaque'; readonly path: string };

/** Judges the members of one layer in turn; remembers names, so that a duplicate is refused. */
export interface MemberJudge {
  judge(entry: ReadEntry): MemberVerdict;
  /** A member that the parser cannot read and passes over. */
  unread(entry: ReadEntry): void;
  /** The text of an extended header. */
  extension(text: string): void;
}

const REGULAR: ReadonlySet<string> = new Set(['File', 'OldFile', 'ContiguousFile']);
const FOLDER: ReadonlySet<string> = new Set(['Directory', 'GNUDumpDir']);
const OPAQUE = '.wh..wh..opq';

/** Counts towards a limit. @throws ImageTooLarge */
export function spend({ origin, limits, usage }: MemberRules, what: keyof Usage, amount: number): void {
  usage[what] += amount;
  if (usage[what] > limits[what]) throw imageTooLarge(tooMuch(origin, what, limits[what]), origin.byDigest);
}

/** A judge for one layer. @throws ImageInvalid, ImageTooLarge from its methods */
export function createJudge(rules: MemberRules): MemberJudge {
  const { origin, folders, limits } = rules;
  const names = createNames(origin);
  return {
    judge(entry) {
      spend(rules, 'entries', 1);
      assertReadable(entry, origin);
      const hidden = parseWhiteout(entry.path);
      const name = readName(hidden?.of ?? entry.path, folders);
      if (name.kind === 'outside') return { kind: 'pass' };
      if (name.kind === 'refused') throw refused(origin, entry.path, name.because);
      const { path, where } = name;
      spend(rules, 'nameBytes', nameBytes(path));
      if (hidden !== undefined) return { kind: hidden.kind, path };
      if (FOLDER.has(entry.type)) {
        names.addFolder(path);
        return where === 'inside' ? { kind: 'folder', path } : { kind: 'pass' };
      }
      if (!REGULAR.has(entry.type)) throw refused(origin, path, `it is a ${describeType(entry.type)}`);
      if (where !== 'inside') throw refused(origin, path, 'it is a file where a folder belongs');
      names.addFile(path);
      if (entry.size > limits.fileBytes) throw imageTooLarge(tooLong(origin, path, limits.fileBytes), origin.byDigest);
      spend(rules, 'files', 1);
      spend(rules, 'totalBytes', entry.size);
      return { kind: 'keep', path };
    },
    unread(entry) {
      spend(rules, 'entries', 1);
      if (entry.meta) throw imageTooLarge(`${origin.what} has a header larger than 1 MiB`, origin.byDigest);
      if (readName(entry.path, folders).kind !== 'outside')
        throw refused(origin, entry.path, 'it is of an unknown kind');
    },
    extension(text) {
      spend(rules, 'entries', 1);
      // Readers disagree on the text after a zero byte in a name, so two readers could see two names.
      if (/(?:^|\n)\d+ (?:path|linkpath)=[^\n]*\0/.test(text)) {
        throw imageInvalid(`${origin.what} has a name with a zero byte`, origin.byDigest);
      }
    },
  };
}

/** The cost of a name, in memory and in time: it is remembered and looked up once more for each folder above it. */
function nameBytes(path: string): number {
  return path.split('/').length * (path.length + BYTES_OF_ENTRY);
}

/** About as much as an entry of a set takes, beside its text. */
const BYTES_OF_ENTRY = 64;

function assertReadable(entry: ReadEntry, { what, byDigest }: Origin): void {
  if (!Number.isSafeInteger(entry.size) || entry.size < 0) {
    throw imageInvalid(`${what} has a member whose size is no number`, byDigest);
  }
  const global = entry.globalExtended;
  if (global?.path !== undefined || global?.linkpath !== undefined || global?.size !== undefined) {
    throw imageInvalid(`${what} has a global header that renames or resizes members`, byDigest);
  }
}

interface Whiteout {
  readonly kind: 'whiteout' | 'opaque';
  /** Name of the member or folder that it hides. */
  readonly of: string;
}

/** `manifests/.wh.a` hides `manifests/a` of lower layers; `.wh..wh..opq` hides all that is in its folder there. */
function parseWhiteout(name: string): Whiteout | undefined {
  const start = name.lastIndexOf('/') + 1;
  const base = name.slice(start);
  if (base === OPAQUE) return { kind: 'opaque', of: name.slice(0, start) };
  if (!base.startsWith('.wh.') || base.startsWith('.wh..wh.')) return undefined;
  return { kind: 'whiteout', of: name.slice(0, start) + base.slice('.wh.'.length) };
}

function createNames(origin: Origin) {
  const files = new Set<string>();
  const folders = new Set<string>();
  const addFolders = (path: string): void => {
    for (let at = path; at !== '' && !folders.has(at); at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
      if (files.has(at)) throw refused(origin, at, 'it occurs as a file and as a folder');
      folders.add(at);
    }
  };
  return {
    addFolder: addFolders,
    addFile(path: string): void {
      if (files.has(path)) throw refused(origin, path, 'it occurs twice');
      if (folders.has(path)) throw refused(origin, path, 'it occurs as a file and as a folder');
      files.add(path);
      addFolders(path.slice(0, path.lastIndexOf('/') + 1).replace(/\/$/, ''));
    },
  };
}

function refused({ what, byDigest }: Origin, path: string, because: string) {
  return imageInvalid(`${what} has a member that is not accepted, ${show(path)}: ${because}`, byDigest);
}

function tooLong({ what }: Origin, path: string, bytes: number): string {
  return `${what} has a file larger than ${bytes} bytes: ${show(path)}`;
}

function tooMuch({ what }: Origin, kind: keyof Usage, limit: number): string {
  const excess: Record<keyof Usage, string> = {
    entries: `has more than ${limit} members`,
    nameBytes: `has more than ${limit} bytes of names of members and of the folders above them`,
    files: `has more than ${limit} files of interest`,
    totalBytes: `has more than ${limit} bytes of files`,
    inflatedBytes: `inflates to more than ${limit} bytes`,
  };
  return `${what} ${excess[kind]}`;
}

function show(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

function describeType(type: string): string {
  switch (type) {
    case 'SymbolicLink':
      return 'symbolic link';
    case 'Link':
      return 'hard link';
    case 'CharacterDevice':
    case 'BlockDevice':
      return 'device';
    case 'FIFO':
      return 'named pipe';
    default:
      return 'member of an unknown kind';
  }
}
