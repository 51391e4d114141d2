import { describe, expect, it } from 'vitest';
import { labelValue } from '../apply/prepare.ts';
import { createFakeCluster } from '../kube/testing/fake-cluster.ts';
import { createKeptBackups } from './kept-backups.ts';

const KEPT = 'slipway-system';

function clusterWith(labels: Record<string, string>, namespace = KEPT): ReturnType<typeof createFakeCluster> {
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  cluster.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'backup', namespace, labels } });
  return cluster;
}

describe('whether there are backups for a Subscription', () => {
  const label = { 'slipway.dev/adoption': 'olm-v0', 'slipway.dev/adopted-by': 'gadget' };
  it.each([
    { because: 'a Secret has its name', cluster: clusterWith(label), expected: true },
    {
      because: 'none has its name',
      cluster: clusterWith({ ...label, 'slipway.dev/adopted-by': 'other' }),
      expected: false,
    },
    {
      because: 'the Secret is no backup',
      cluster: clusterWith({ 'slipway.dev/adopted-by': 'gadget' }),
      expected: false,
    },
    { because: 'it is in another namespace', cluster: clusterWith(label, 'ops'), expected: false },
  ])('$expected: $because', async ({ cluster, expected }) => {
    expect(await createKeptBackups(cluster, KEPT)('gadget')).toBe(expected);
  });

  it('takes two lists for two hundred that ask at the same time', async () => {
    const cluster = clusterWith(label);
    const mayHave = createKeptBackups(cluster, KEPT);
    await Promise.all(Array.from({ length: 200 }, (_, index) => mayHave(`gadget-${index}`)));
    expect(cluster.requests.filter(({ verb }) => verb === 'list')).toHaveLength(2);
  });

  it('finds a name that is too long for a label', async () => {
    const name = 'a'.repeat(100);
    const cluster = clusterWith({ ...label, 'slipway.dev/adopted-by': labelValue(name) });
    expect(await createKeptBackups(cluster, KEPT)(name)).toBe(true);
  });
});
