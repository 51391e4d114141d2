/**
 * Reads the files of `manifests/`: every document of every file, whatever its name, with lists split into their items. A
 * hidden file that cannot be read, such as `.DS_Store`, has no objects, and neither has a hidden folder.
 */
import { isRecord } from '../api/untyped.ts';
import { ReasonedError } from '../api/errors.ts';
import type { KubeObject } from '../api/object.ts';
import type { Manifest } from './bundle.ts';
import { readFile } from './file.ts';
import type { BundleLimits } from './limits.ts';

const FOLDER = 'manifests/';

/**
 * All objects, in the order of file names and documents.
 * @throws ReasonedError BundleInvalid or BundleTooLarge, naming file and document.
 */
export function readManifests(files: ReadonlyMap<string, Uint8Array>, limits: BundleLimits): readonly Manifest[] {
  const manifests: Manifest[] = [];
  for (const file of [...files.keys()].filter((path) => path.startsWith(FOLDER)).sort(byBytes)) {
    const isInFolder = file.indexOf('/', FOLDER.length) >= 0;
    if (isInFolder && isHidden(file)) continue;
    if (isInFolder) throw inSubfolder(file);
    const before = manifests.length;
    try {
      readManifestFile(manifests, { file, bytes: files.get(file) ?? new Uint8Array() }, limits);
    } catch (error) {
      if (!isHidden(file) || !(error instanceof ReasonedError) || error.reason !== 'BundleInvalid') throw error;
      manifests.length = before;
    }
  }
  return manifests;
}

/** Whether it is a hidden file of `manifests/`, or in a hidden folder of it: programs of desktops and editors leave them, and catalogs pass over them. */
export function isHidden(file: string): boolean {
  return file.startsWith(`${FOLDER}.`);
}

function readManifestFile(
  manifests: Manifest[],
  { file, bytes }: { readonly file: string; readonly bytes: Uint8Array },
  limits: BundleLimits,
): void {
  for (const { index, value } of readFile(file, bytes, limits)) {
    for (const raw of flatten(value, { file, document: index })) {
      manifests.push({ file, document: index, object: checkObject(raw, { file, document: index }), raw });
      if (manifests.length > limits.maxObjects) throw tooMany(limits.maxObjects);
    }
  }
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : 1;
}

interface ManifestPlace {
  readonly file: string;
  readonly document: number;
}

/** An object with `items` is a list of objects; they inherit its apiVersion and, less "List", its kind. */
function* flatten(value: unknown, place: ManifestPlace): Iterable<Readonly<Record<string, unknown>>> {
  if (!isRecord(value)) throw notAnObject(place, 'is not a Kubernetes object, but a plain value or list');
  const items = isEmptyList(value) ? [] : value['items'];
  if (!Array.isArray(items)) {
    yield value;
    return;
  }
  for (const item of items as unknown[]) {
    yield* flatten(isRecord(item) && hasNoKind(item) ? { ...inherited(value), ...item } : item, place);
  }
}

/** `items:` without a value, as programs in Go write a list of nothing. */
function isEmptyList({ kind, items }: Record<string, unknown>): boolean {
  return items === null && typeof kind === 'string' && kind.endsWith('List');
}

function inherited({ apiVersion, kind }: Record<string, unknown>): Record<string, unknown> {
  return { apiVersion, kind: typeof kind === 'string' ? kind.replace(/List$/, '') : kind };
}

function checkObject(value: Readonly<Record<string, unknown>>, place: ManifestPlace): KubeObject {
  const { apiVersion = '', kind, metadata } = value;
  if (typeof kind !== 'string' || kind === '') throw notAnObject(place, `has no kind${misspelt(value, 'kind')}`);
  if (typeof apiVersion !== 'string') throw notAnObject(place, `of kind ${kind} has an apiVersion that is no string`);
  if (!isRecord(metadata ?? {})) throw notAnObject(place, `of kind ${kind} has metadata that is no map`);
  const { name = '', ...others } = (metadata ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string') throw notAnObject(place, `of kind ${kind} has a metadata.name that is no string`);
  return { ...value, apiVersion, kind, metadata: { name, ...others } };
}

function hasNoKind({ kind }: Record<string, unknown>): boolean {
  return typeof kind !== 'string' || kind === '';
}

function misspelt(value: Readonly<Record<string, unknown>>, field: string): string {
  const found = Object.keys(value).find((key) => key !== field && key.toLowerCase() === field);
  return found === undefined ? '' : `, only "${found}"`;
}

function notAnObject({ file, document }: ManifestPlace, what: string): ReasonedError {
  return new ReasonedError({
    reason: 'BundleInvalid',
    retry: 'never',
    message: `${file}, document ${document}: what it holds ${what}`,
    hint: 'Every document in manifests/ must be a Kubernetes object with apiVersion and kind',
  });
}

function inSubfolder(file: string): ReasonedError {
  return new ReasonedError({
    reason: 'BundleInvalid',
    retry: 'never',
    message: `${file}: manifests/ may have no folders inside`,
    hint: 'Move the file to manifests/ itself',
  });
}

function tooMany(maxObjects: number): ReasonedError {
  return new ReasonedError({
    reason: 'BundleTooLarge',
    retry: 'never',
    message: `the bundle has more than ${maxObjects} objects`,
  });
}
