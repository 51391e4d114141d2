/** Decides the files of a bundle that `bundle init` writes, and which existing ones stay as they are. Pure. */
import { canonicalJson } from '../../../api/json.ts';
import { fieldsOf, isRecord, textOf } from '../../../api/untyped.ts';
import { describeRef, groupKind, type KubeObject } from '../../../api/object.ts';
import type { ComposedBundle, ExistingBundle } from '../../../bundles/author/compose.ts';
import { annotationText } from '../../../bundles/metadata.ts';
import { parseYaml, YamlError } from '../../../bundles/yaml.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { formatYaml } from '../../../report/data.ts';

type BundleFiles = ReadonlyMap<string, Uint8Array>;

export type FileChange = 'created' | 'changed' | 'unchanged' | 'removed';

export interface FilePlan {
  /** The bytes to be written, or that stay, by path. */
  readonly files: BundleFiles;
  readonly changes: ReadonlyMap<string, FileChange>;
  /** Files of `manifests/` whose objects the source does not have. */
  readonly leftovers: readonly string[];
  /** Objects that the source does not have, in files with one that it has: a person may have added them. */
  readonly added: readonly ForeignObject[];
}

export interface ForeignObject {
  readonly path: string;
  readonly object: string;
}

const MANIFESTS = 'manifests/';
const ANNOTATIONS = 'metadata/annotations.yaml';
const DOCKERFILE = 'Dockerfile';

/** The parts of the existing files that composing needs. @throws ReasonedError InputInvalid for a file that is no YAML */
export function readExisting(files: BundleFiles): ExistingBundle {
  const csv = [...objectsByFile(files).values()].flat().find(isCsv) as KubeObject | undefined;
  const annotations = annotationsIn(files);
  const dockerfile = files.get(DOCKERFILE);
  return {
    ...(csv !== undefined && { csv }),
    ...(annotations !== undefined && { annotations }),
    ...(dockerfile !== undefined && { dockerfile: new TextDecoder().decode(dockerfile) }),
  };
}

function isCsv(document: unknown): boolean {
  return fieldsOf(document)['kind'] === 'ClusterServiceVersion';
}

function annotationsIn(files: BundleFiles): ReadonlyMap<string, string> | undefined {
  const bytes = files.get(ANNOTATIONS);
  if (bytes === undefined) return undefined;
  const { annotations = {} } = fieldsOf(read(ANNOTATIONS, bytes)[0]);
  if (annotations !== null && !isRecord(annotations))
    throw invalidInput(`"annotations" of ${ANNOTATIONS} must be a map`, 'Correct the field');
  return new Map(
    Object.entries(annotations ?? {}).map(([key, value]) => [key, annotationText(ANNOTATIONS, key, value)]),
  );
}

/**
 * Objects keep the file that has them, whatever its name, and their place among the other objects of the file, which stay.
 * A file whose content is the same keeps its bytes.
 */
export function planFiles(
  composed: ComposedBundle,
  existing: BundleFiles,
  { prune }: { readonly prune: boolean },
): FilePlan {
  const before = objectsByFile(existing);
  const wanted = new Map<string, readonly unknown[]>();
  const composedObjects: readonly KubeObject[] = [composed.csv, ...composed.objects];
  for (const object of composedObjects) {
    const path = fileOf(object, composed, { before, wanted });
    wanted.set(path, replaceIn(wanted.get(path) ?? before.get(path) ?? [], object));
  }
  const added = addedTo(wanted, composedObjects);
  wanted.set(ANNOTATIONS, [{ annotations: Object.fromEntries(composed.annotations) }]);
  const leftovers = [...before.keys()].filter((path) => !wanted.has(path));
  const files = new Map<string, Uint8Array>(
    [...wanted].map(([path, documents]) => [path, keep(path, documents, existing)]),
  );
  files.set(DOCKERFILE, Buffer.from(composed.dockerfile));
  if (!prune) for (const path of leftovers) files.set(path, existing.get(path)!);
  const changes = new Map([...files].map(([path, bytes]) => [path, changeOf(existing.get(path), bytes)] as const));
  if (prune) for (const path of leftovers) changes.set(path, 'removed');
  return { files, changes, added, leftovers: prune ? [] : leftovers };
}

function changeOf(before: Uint8Array | undefined, bytes: Uint8Array): FileChange {
  if (before === undefined) return 'created';
  return Buffer.from(before).equals(bytes) ? 'unchanged' : 'changed';
}

function objectsByFile(files: BundleFiles): ReadonlyMap<string, readonly unknown[]> {
  return new Map(
    [...files].filter(([path]) => path.startsWith(MANIFESTS)).map(([path, bytes]) => [path, read(path, bytes)]),
  );
}

function read(path: string, bytes: Uint8Array): readonly unknown[] {
  try {
    return parseYaml(bytes).map(({ value }) => value);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw invalidInput(`${path} cannot be read: ${error.message}`, 'Correct the file, or remove it', error);
  }
}

interface KnownFiles {
  readonly before: ReadonlyMap<string, readonly unknown[]>;
  readonly wanted: ReadonlyMap<string, unknown>;
}

function fileOf(object: KubeObject, { annotations }: ComposedBundle, { before, wanted }: KnownFiles): string {
  const found = [...before].find(([, objects]) => objects.some((one) => isSame(one, object)));
  if (found !== undefined) return found[0];
  const name = isCsv(object) ? (annotations.get(PACKAGE) ?? 'operator') : object.metadata.name;
  const stem = `${MANIFESTS}${name.replaceAll(/[^A-Za-z0-9.-]/g, '_')}.${object.kind.toLowerCase()}`;
  const isFree = (path: string): boolean => !wanted.has(path) && !before.has(path);
  const free = [`${stem}.yaml`, `${stem}.${groupKind(object).toLowerCase()}.yaml`].find(isFree);
  let at = wanted.size;
  while (!isFree(`${stem}.${at}.yaml`)) at += 1;
  return free ?? `${stem}.${at}.yaml`;
}

function replaceIn(documents: readonly unknown[], object: KubeObject): readonly unknown[] {
  const at = documents.findIndex((one) => isSame(one, object));
  return at < 0 ? [...documents, object] : documents.with(at, object);
}

function addedTo(
  wanted: ReadonlyMap<string, readonly unknown[]>,
  composed: readonly KubeObject[],
): readonly ForeignObject[] {
  return [...wanted].flatMap(([path, documents]) =>
    documents
      .filter((one) => isRecord(one) && !composed.some((object) => isSame(one, object)))
      .map((one) => ({ path, object: identityOf(one) })),
  );
}

/** Whether a document is an older form of an object. A bundle has one ClusterServiceVersion, whose name is its version. */
function isSame(document: unknown, object: KubeObject): boolean {
  return isCsv(object) ? isCsv(document) : identityOf(document) === identityOf(object);
}

const PACKAGE = 'operators.operatorframework.io.bundle.package.v1';

/** The namespace does not count: a bundle is installed into one. */
function identityOf(document: unknown): string {
  const { apiVersion, kind, metadata } = fieldsOf(document);
  return describeRef({ apiVersion: textOf(apiVersion), kind: textOf(kind), name: textOf(fieldsOf(metadata)['name']) });
}

function keep(path: string, documents: readonly unknown[], existing: BundleFiles): Uint8Array {
  const before = existing.get(path);
  if (before !== undefined && canonicalJson(read(path, before)) === canonicalJson(documents)) return before;
  return Buffer.from(formatYaml(documents).replace(/^---\n/, ''));
}
