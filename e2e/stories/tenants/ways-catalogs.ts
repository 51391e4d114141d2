/**
 * Catalogs that ask for signatures or a pull secret. All namespaces may use them; the objects that they name are in the
 * manager's namespace, and begin with `hidden`.
 */
import { generateKeyPairSync } from 'node:crypto';
import { API_VERSION } from '../../../api/names.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { SYSTEM } from '../../lib/manager.ts';
import { isReady, waitFor } from '../../lib/objects.ts';
import { apply } from '../../lib/writes.ts';

const key = (): object => ({
  name: 'release',
  pem: generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }),
  transparencyLog: 'Ignore',
});
const signed = (trustedRoot?: string, enforcement = 'Enforce'): object => ({
  verify: {
    enforcement,
    content: ['Bundles'],
    keys: [key()],
    ...(trustedRoot !== undefined && { trustedRoot: { name: trustedRoot } }),
  },
});

const CATALOGS: Readonly<Record<string, object>> = {
  signed: signed(),
  unrooted: signed('hidden-and-missing'),
  misrooted: signed('hidden-text'),
  warned: signed('hidden-and-missing', 'Warn'),
  locked: { pullSecret: { name: 'hidden-login' } },
};

/** Catalogs with one package, which are used if they are named. */
export async function setTrust(cluster: TestCluster): Promise<void> {
  const metadata = { name: 'hidden-text', namespace: SYSTEM };
  const data = { 'trusted_root.json': 'hidden words of the platform' };
  await apply(cluster, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  const source = { image: { ref: `${cluster.registry}/trust:latest` } };
  for (const [name, spec] of Object.entries(CATALOGS)) {
    const manifest = { source, priority: -10, ...spec };
    await apply(cluster, { apiVersion: API_VERSION, kind: 'Catalog', metadata: { name }, spec: manifest });
  }
  for (const name of Object.keys(CATALOGS))
    if (name !== 'locked') await waitFor(cluster, { kind: 'catalog', name }, isReady);
}
