/** Publishes to a registry that asks for credentials, as an author who is logged in does. */
import { buildImage, pushImage } from '../../../oci/build.ts';
import { parseReference } from '../../../oci/reference.ts';
import { createRegistry } from '../../../oci/registry.ts';
import { REGISTRY_USER } from '../../lib/cluster.ts';
import { packageDocuments } from '../../lib/publish.ts';
import { tinyBundle } from '../../lib/tiny-operator.ts';

/** Pushes one version of a tiny operator, and the catalog `team/catalog:v1` that offers it. */
export async function publishPrivately(registry: string, name: string, version: string): Promise<void> {
  const client = createRegistry({
    plainHttp: () => true,
    credentials: () => ({ kind: 'basic', ...REGISTRY_USER }),
  });
  const push = (reference: string, files: ReadonlyMap<string, Uint8Array>): Promise<string> =>
    pushImage(client, parseReference(reference), buildImage({ files, labels: {} }));
  try {
    const digest = await push(`${registry}/team/${name}:v${version}`, tinyBundle({ name, version }));
    const documents = packageDocuments(name, [{ version, image: `${registry}/team/${name}@${digest}` }]);
    const text = documents.map((document) => JSON.stringify(document)).join('\n');
    await push(`${registry}/team/catalog:v1`, new Map([['configs/catalog.json', Buffer.from(text)]]));
  } finally {
    client.close();
  }
}
