/** Decides the files of a bundle that `bundle init` writes, and which existing ones stay as they are. Pure. */
import { canonicalJson } from '../../../api/json.ts';
import { describeRef, groupKind, refOf, type KubeObject } from '../../../api/object.ts';
import type { ComposedBundle, ExistingBundle } from '../../../bundles/author/compose.ts';
import { parseYaml, YamlError } from '../../../bundles/yaml.ts';
import { invalidInput } from '../input/invalid.ts';
import { formatYaml } from '../../../report/data.ts';

type BundleFiles = ReadonlyMap<string, Uint8Array>;

export type FileChange = 'created' | 'changed' | 'unchanged' | 'removed';

export interface FilePlan {
  /** The bytes to be written, or that stay, by path. */
  readonly files: BundleFiles;
  readonly changes: ReadonlyMap<string, FileChange>;
  /** Files of `manifests/` whose objects the source does not have. */
  readonly leftovers: readonly string[];
}

const MANIFESTS = 'manifests/';
const ANNOTATIONS = 'metadata/annotations.yaml';
const DOCKERFILE = 'Dockerfile';

/** The parts of the existing files that composing needs. @throws ReasonedError InputInvalid for a file that is no YAML */
export function readExisting(files: BundleFiles): ExistingBundle {
  const csv = [...objectsByFile(files).values()].flat().find(({ kind }) => kind === CSV);
  const annotations = annotationsIn(files);
  const dockerfile = files.get(DOCKERFILE);
  return {
    ...(csv !== undefined && { csv }),
    ...(annotations !== undefined && { annotations }),
    ...(dockerfile !== undefined && { dockerfile: new TextDecoder().decode(dockerfile) }),
  };
}

const CSV = 'ClusterServiceVersion';

function annotationsIn(files: BundleFiles): ReadonlyMap<string, string> | undefined {
  const bytes = files.get(ANNOTATIONS);
  if (bytes === undefined) return undefined;
  const content = read(ANNOTATIONS, bytes)[0] as
    | { readonly annotations?: Readonly<Record<string, unknown>> }
    | undefined;
  return new Map(Object.entries(content?.annotations ?? {}).map(([key, value]) => [key, String(value)]));
}

/** Objects keep the file that has them alone, whatever its name; a file whose content is the same keeps its bytes. */
export function planFiles(
  composed: ComposedBundle,
  existing: BundleFiles,
  { prune }: { readonly prune: boolean },
): FilePlan {
  const before = objectsByFile(existing);
  const wanted = new Map<string, readonly unknown[]>();
  for (const object of [composed.csv, ...composed.objects])
    wanted.set(fileOf(object, composed, { before, wanted }), [object]);
  wanted.set(ANNOTATIONS, [{ annotations: Object.fromEntries(composed.annotations) }]);
  const leftovers = [...before.keys()].filter((path) => !wanted.has(path));
  const files = new Map<string, Uint8Array>(
    [...wanted].map(([path, documents]) => [path, keep(path, documents, existing)]),
  );
  files.set(DOCKERFILE, Buffer.from(composed.dockerfile));
  if (!prune) for (const path of leftovers) files.set(path, existing.get(path)!);
  const changes = new Map([...files].map(([path, bytes]) => [path, changeOf(existing.get(path), bytes)] as const));
  if (prune) for (const path of leftovers) changes.set(path, 'removed');
  return { files, changes, leftovers: prune ? [] : leftovers };
}

function changeOf(before: Uint8Array | undefined, bytes: Uint8Array): FileChange {
  if (before === undefined) return 'created';
  return Buffer.from(before).equals(bytes) ? 'unchanged' : 'changed';
}

function objectsByFile(files: BundleFiles): ReadonlyMap<string, readonly KubeObject[]> {
  return new Map(
    [...files]
      .filter(([path]) => path.startsWith(MANIFESTS))
      .map(([path, bytes]) => [path, read(path, bytes) as readonly KubeObject[]]),
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
  readonly before: ReadonlyMap<string, readonly KubeObject[]>;
  readonly wanted: ReadonlyMap<string, unknown>;
}

function fileOf(object: KubeObject, { annotations }: ComposedBundle, { before, wanted }: KnownFiles): string {
  const isCsv = object.kind === CSV;
  const identity = identityOf(object);
  const found = [...before].find(
    ([, [only, ...others]]) =>
      only !== undefined && others.length === 0 && (isCsv ? only.kind === CSV : identityOf(only) === identity),
  );
  if (found !== undefined) return found[0];
  const name = isCsv ? (annotations.get(PACKAGE) ?? 'operator') : object.metadata.name;
  const stem = `${MANIFESTS}${name.replaceAll(/[^A-Za-z0-9.-]/g, '_')}.${object.kind.toLowerCase()}`;
  const free = [`${stem}.yaml`, `${stem}.${groupKind(object).toLowerCase()}.yaml`].find((path) => !wanted.has(path));
  return free ?? `${stem}.${wanted.size}.yaml`;
}

const PACKAGE = 'operators.operatorframework.io.bundle.package.v1';

/** The namespace does not count: a bundle is installed into one. */
function identityOf(object: KubeObject): string {
  const { namespace: _, ...ref } = refOf({
    ...object,
    apiVersion: object.apiVersion ?? '',
    metadata: object.metadata ?? { name: '' },
  });
  return describeRef(ref);
}

function keep(path: string, documents: readonly unknown[], existing: BundleFiles): Uint8Array {
  const before = existing.get(path);
  if (before !== undefined && canonicalJson(read(path, before)) === canonicalJson(documents)) return before;
  return Buffer.from(formatYaml(documents).replace(/^---\n/, ''));
}
