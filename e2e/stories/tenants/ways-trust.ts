/**
 * Ways through the trust that a Catalog asks for: signatures, the root of their trust, and pull secrets. The Catalogs here
 * are for all namespaces, and what they name is in the manager's.
 */
import { generateKeyPairSync } from 'node:crypto';
import { API_VERSION } from '../../../api/names.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { SYSTEM } from '../../lib/manager.ts';
import { isReady, waitFor } from '../../lib/objects.ts';
import { apply } from '../../lib/writes.ts';
import { patch, REVISIONS, type Way } from './ways-attacker.ts';

/** Of the objects in the manager's namespace, and of their content. */
const HIDDEN = /hidden/;

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

/** Catalogs with the content of `main`, which are used if they are named. */
export async function setTrust(cluster: TestCluster): Promise<void> {
  const metadata = { name: 'hidden-text', namespace: SYSTEM };
  const data = { 'trusted_root.json': 'hidden words of the platform' };
  await apply(cluster, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  const source = { image: { ref: `${cluster.registry}/main:latest` } };
  for (const [name, spec] of Object.entries(CATALOGS)) {
    const manifest = { source, priority: -10, ...spec };
    await apply(cluster, { apiVersion: API_VERSION, kind: 'Catalog', metadata: { name }, spec: manifest });
  }
  for (const name of Object.keys(CATALOGS))
    if (name !== 'locked') await waitFor(cluster, { kind: 'catalog', name }, isReady);
}

/** Installs from a Catalog, and raises an alarm if the tenant can read a part of what is hidden. */
function installs(catalog: string): Way['attempt'] {
  return async (attacker) => {
    await attacker.subscribe('plain', { catalog });
    const ending = await attacker.reasonOf('plain');
    const text = await attacker.read();
    const found = HIDDEN.exec(text);
    if (found !== null)
      throw new Error(`the tenant reads: ${text.slice(Math.max(0, found.index - 300), found.index + 300)}`);
    return ending;
  };
}

export const TRUST: readonly Way[] = [
  {
    name: 'unsigned bundle from a Catalog that requires signatures',
    aim: 'gain',
    attempt: installs('signed'),
    defence: 'Unsigned',
    because: 'signatures are checked with the policy of the Catalog before a Revision is made',
  },
  {
    name: 'signer of the own Revision written by hand',
    aim: 'gain',
    attempt: async ({ install, send }) => {
      await install('plain');
      return send(patch(`${REVISIONS}/plain-1`, { spec: { signature: { policy: 'x', by: 'key release' } } }));
    },
    defence: 'refused',
    because: 'of a Revision only the approval is changed by hand',
  },
  {
    name: 'name of a missing trusted root',
    aim: 'read',
    attempt: installs('unrooted'),
    defence: 'InvalidSpec',
    because: 'a tenant reads that the root of the Catalog cannot be used, and not its name',
  },
  {
    name: 'text of a trusted root that cannot be parsed',
    aim: 'read',
    attempt: installs('misrooted'),
    defence: 'InvalidSpec',
    because: 'errors of parsers quote their input, and are for administrators',
  },
  {
    name: 'warning about a trusted root',
    aim: 'read',
    attempt: async (attacker) => {
      await attacker.install('plain', { catalog: 'warned' });
      return HIDDEN.test(await attacker.read()) ? 'Succeeded' : 'no effect';
    },
    defence: 'no effect',
    because: 'the warning about a bundle is as brief as a refusal',
  },
  {
    name: 'name of a missing pull secret',
    aim: 'read',
    attempt: installs('locked'),
    defence: 'CatalogUnavailable',
    because: 'a tenant reads that the pull secret of the Catalog cannot be used, and not its name',
  },
];
