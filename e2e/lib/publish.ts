/** Publishes bundles and catalogs to a registry, as an operator's author does, with our own client. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildImage, pushImage } from '../../oci/build.ts';
import { parseReference } from '../../oci/reference.ts';
import { createRegistry, type Registry } from '../../oci/registry.ts';

const BUNDLE_LABEL = 'operators.operatorframework.io.bundle.';

/** Pushes a bundle directory (`manifests/`, `metadata/`); returns the reference by digest. */
export async function publishBundle(folder: string, reference: string): Promise<string> {
  return publishFiles(readTree(folder), reference);
}

/** Pushes a bundle of which the files are given, by their paths. */
export async function publishFiles(files: ReadonlyMap<string, Uint8Array>, reference: string): Promise<string> {
  const labels = {
    [`${BUNDLE_LABEL}mediatype.v1`]: 'registry+v1',
    [`${BUNDLE_LABEL}manifests.v1`]: 'manifests/',
    [`${BUNDLE_LABEL}metadata.v1`]: 'metadata/',
  };
  return push(reference, { files, labels });
}

/** Pushes a file-based catalog: its documents as lines of JSON; returns the reference by digest. */
export async function publishCatalog(documents: readonly object[], reference: string): Promise<string> {
  return publishCatalogText(documents.map((document) => JSON.stringify(document)).join('\n'), reference);
}

/** Pushes a catalog of which the text is given, broken or not. */
export async function publishCatalogText(text: string, reference: string): Promise<string> {
  const files = new Map([['configs/catalog.json', Buffer.from(text)]]);
  return push(reference, { files, labels: { 'operators.operatorframework.io.index.configs.v1': '/configs' } });
}

/** Pushes any files as an image. */
export async function push(
  reference: string,
  {
    files,
    labels,
  }: { readonly files: ReadonlyMap<string, Uint8Array>; readonly labels: Readonly<Record<string, string>> },
): Promise<string> {
  const registry = openRegistry();
  try {
    const digest = await pushImage(registry, parseReference(reference), buildImage({ files, labels }));
    return `${reference.slice(0, reference.lastIndexOf(':'))}@${digest}`;
  } finally {
    registry.close();
  }
}

/** A client of the cluster's registry, which speaks no TLS wherever it is. */
export function openRegistry(): Registry {
  return createRegistry({ plainHttp: () => true });
}

/** Every file below a folder by its path from there. */
export function readTree(folder: string): Map<string, Uint8Array> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    paths.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), readFileSync(path)];
    }),
  );
}

export interface PackageVersion {
  readonly version: string;
  readonly image: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
  /** What the bundle provides and depends on. */
  readonly properties?: readonly { readonly type: string; readonly value: unknown }[];
}

/** The documents of a package with one channel, its edges as given. */
export function packageDocuments(
  name: string,
  versions: readonly PackageVersion[],
  channel = 'stable',
): readonly object[] {
  const bundleName = (version: string): string => `${name}.v${version}`;
  const entries = versions.map(({ version, replaces, skips, skipRange }) => ({
    name: bundleName(version),
    ...(replaces !== undefined && { replaces: bundleName(replaces) }),
    ...(skips !== undefined && { skips: skips.map(bundleName) }),
    ...(skipRange !== undefined && { skipRange }),
  }));
  return [
    { schema: 'olm.package', name, defaultChannel: channel },
    { schema: 'olm.channel', package: name, name: channel, entries },
    ...versions.map(({ version, image, properties = [] }) => ({
      schema: 'olm.bundle',
      package: name,
      name: bundleName(version),
      image,
      properties: [{ type: 'olm.package', value: { packageName: name, version } }, ...properties],
    })),
  ];
}
