/**
 * Five published packages, of which one depends on three others, with programs of their own in place of the images that
 * they name: those lie in registries that tests do not reach.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { parseBundle } from '../../../bundles/parse.ts';
import { imagesOfBundle } from '../../../cmd/slipway/mirror/images.ts';
import {
  packageDocuments,
  publishCatalog,
  publishFiles,
  push,
  readTree,
  type PackageVersion,
} from '../../lib/publish.ts';
import { devSet, sharedRows } from '../../lib/shared.ts';
import type { CatalogDocument } from '../real-operators/routes.ts';

/** With the versions to publish, each of which replaces the one before. */
export const PUBLISHED: Readonly<Record<string, readonly string[]>> = {
  'kuadrant-operator': ['0.10.0'],
  'authorino-operator': ['0.12.0'],
  'dns-operator': ['0.6.0'],
  'limitador-operator': ['0.10.0'],
  'kairos-operator': ['2.1.1', '2.2.0'],
};

/** Publishes these packages, and a catalog of them. */
export async function publishPackages(
  registry: string,
  packages: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const known = sharedRows<CatalogDocument>('corpus', 'dev-set-catalog.json.xz');
  const documents = [];
  for (const [name, versions] of Object.entries(packages)) {
    const offered: PackageVersion[] = [];
    for (const [at, version] of versions.entries()) {
      const document = known.find((one) => one.schema === 'olm.bundle' && one.name === `${name}.v${version}`);
      const properties = document?.properties?.filter(({ type }) => type !== 'olm.package') ?? [];
      const image = await publishBundle(registry, name, version);
      offered.push({ version, image, properties, ...(at > 0 && { replaces: versions[at - 1]! }) });
    }
    documents.push(...packageDocuments(name, offered));
  }
  await publishCatalog(documents, `${registry}/published/catalog:v1`);
}

async function publishBundle(registry: string, name: string, version: string): Promise<string> {
  const files = readTree(join(devSet(), 'operators', name, version));
  const programs = new Map<string, string>();
  for (const image of imagesOfBundle(parseBundle(files), []).map(withoutScheme))
    programs.set(image, await publishProgram(registry, image));
  const longestFirst = [...programs].toSorted(([a], [b]) => b.length - a.length);
  const renamed = [...files].map(([path, content]): [string, Uint8Array] => {
    const text = Buffer.from(content).toString('utf8');
    return [path, Buffer.from(longestFirst.reduce((so, [image, program]) => so.replaceAll(image, program), text))];
  });
  return publishFiles(new Map(renamed), `${registry}/published/${name}:v${version}`);
}

function withoutScheme(image: string): string {
  return image.replace(/^[a-z]+:\/\//, '');
}

/** Content that does not compress, as that of programs; the same for the same image. */
function publishProgram(registry: string, image: string): Promise<string> {
  const blocks = Array.from({ length: 16_384 }, (_, at) => createHash('sha256').update(`${image} ${at}`).digest());
  const files = new Map([['program', Buffer.concat(blocks)]]);
  const name = createHash('sha256').update(image).digest('hex').slice(0, 16);
  return push(`${registry}/programs/${name}:v1`, { files, labels: {} });
}
