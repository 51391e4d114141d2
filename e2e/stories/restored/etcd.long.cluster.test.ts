/**
 * A cluster is restored from a backup of etcd, into the past: each object has the uid and the status that it had, and the
 * API server gives versions to objects again that it has given before. The manager is restarted, as the guide says.
 */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, list, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { crdNameOf, publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces, reconcileNow } from '../../lib/writes.ts';

const cluster = useCluster({});
const CONTROL_PLANE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
const CATALOG = { kind: 'catalog', name: 'examples' };
const BEACON = { kind: 'subscription', name: 'beacon', namespace: 'lights' };
const LATER = { kind: 'subscription', name: 'later', namespace: 'lights' };
let manager: RunningManager;

beforeAll(async () => {
  await installSlipway(cluster());
  await makeNamespaces(cluster(), ['lights']);
  manager = await startManager(cluster());
});
afterAll(async () => {
  await manager?.stop();
});

/** The head is the last version, and replaces the others. */
async function offer(...versions: readonly string[]): Promise<void> {
  const { registry } = cluster();
  const documents = await Promise.all(
    ['beacon', 'later'].map(async (name) => {
      const entries = await Promise.all(
        versions.map(async (version, at) => ({
          version,
          image: await publishTiny(registry, { name, version, kind: name === 'beacon' ? 'Beacon' : 'Later' }),
          ...(at > 0 && { replaces: versions[at - 1] ?? '' }),
        })),
      );
      return packageDocuments(name, entries);
    }),
  );
  await publishCatalog(documents.flat(), `${registry}/catalog:latest`);
}

async function reread(): Promise<void> {
  await apply(cluster(), catalogOf(CATALOG.name, `${cluster().registry}/catalog:latest`));
  await reconcileNow(cluster(), CATALOG);
}

/** Copies the data of etcd while it is down. */
async function copyEtcd(from: string, to: string): Promise<void> {
  for (const name of CONTROL_PLANE.toReversed()) await cluster().kill(name);
  const [source, target] = [from, to].map((name) => join(cluster().folder, name));
  rmSync(target!, { recursive: true, force: true });
  cpSync(source!, target!, { recursive: true });
  for (const name of CONTROL_PLANE) await cluster().restart(name);
}

test('Slipway goes on from the time of the backup: it upgrades again, and forgets a Subscription that came later', async () => {
  await offer('1.0.0');
  await reread();
  await apply(cluster(), subscriptionTo('beacon', 'lights', { package: 'beacon' }));
  const before = await waitFor(cluster(), BEACON, runs('1.0.0'));
  await copyEtcd('etcd', 'backup');
  await offer('1.0.0', '1.1.0');
  await reread();
  await waitFor(cluster(), BEACON, runs('1.1.0'));
  await apply(cluster(), subscriptionTo('later', 'lights', { package: 'later' }));
  await waitFor(cluster(), LATER, runs('1.1.0'));
  await copyEtcd('backup', 'etcd');
  await manager.stop();
  manager = await startManager(cluster());
  await reread();
  const after = await waitFor(cluster(), BEACON, runs('1.1.0'));
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(await list(cluster(), 'subscription')).toHaveLength(1);
  const crds = await cluster().kubectl(['get', 'crd', '-o', 'name']);
  expect(crds).toContain(crdNameOf('Beacon'));
  expect(crds).not.toContain(crdNameOf('Later'));
  await until('one Revision is active', async () => {
    const active = (await list(cluster(), 'revision')).filter(({ spec }) => spec['state'] === 'Active');
    return active.length === 1;
  });
});
