/**
 * The release that comes before this checkout, which Slipway is upgraded from. None has been released yet, so its place
 * is taken by what this checkout makes: an image that says that it is an older version, and CRDs that lack a column.
 * Once there is a release, its install.yaml is read here in place of this one's and its image is pushed in place of one
 * that is built; the story asks for nothing else.
 */
import { pushIndex } from '../../../oci/build.ts';
import { parseReference } from '../../../oci/reference.ts';
import { ownArchitecture } from '../../../scripts/build/architecture.ts';
import { MANAGER_ENTRIES } from '../../../scripts/build/manager-image.ts';
import { buildNodeImage } from '../../../scripts/build/node-image.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { openRegistry } from '../../lib/publish.ts';
import { installManifest } from '../in-cluster/deployed.ts';

export const PREVIOUS_VERSION = '0.0.1';

/** A column of `kubectl get` that came after it. */
export const NEW_COLUMN = 'Status';

/** Pushes its image under the name that its install.yaml has. */
export async function pushPrevious(cluster: TestCluster): Promise<void> {
  const { index } = await buildNodeImage({
    entries: MANAGER_ENTRIES,
    entrypoint: 'manager',
    architectures: [ownArchitecture()],
    labels: { 'org.opencontainers.image.title': 'slipway', 'org.opencontainers.image.version': PREVIOUS_VERSION },
  });
  const registry = openRegistry();
  try {
    await pushIndex(registry, parseReference(`${cluster.registry}/manager:${PREVIOUS_VERSION}`), index);
  } finally {
    registry.close();
  }
}

/** Its install.yaml, set up for the registry of the cluster. */
export function previousManifest(cluster: TestCluster): string {
  const image = /"slipway\.dev\/manager:[^"]+"/g;
  const documents = installManifest(cluster)
    .replaceAll(image, `"slipway.dev/manager:${PREVIOUS_VERSION}"`)
    .split('\n---\n');
  return documents.map((text) => JSON.stringify(withoutColumn(JSON.parse(text) as Manifest))).join('\n---\n');
}

interface Manifest {
  readonly kind: string;
  readonly spec: { readonly versions: readonly Version[] };
}

interface Version {
  readonly additionalPrinterColumns: readonly { readonly name: string }[];
}

function withoutColumn(manifest: Manifest): object {
  if (manifest.kind !== 'CustomResourceDefinition') return manifest;
  const versions = manifest.spec.versions.map((version) => ({
    ...version,
    additionalPrinterColumns: version.additionalPrinterColumns.filter(({ name }) => name !== NEW_COLUMN),
  }));
  return { ...manifest, spec: { ...manifest.spec, versions } };
}
