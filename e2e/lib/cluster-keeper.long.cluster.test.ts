import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../cluster/cluster.ts';
import { ClusterKeeper } from './cluster-keeper.ts';
import { publishFiles } from './publish.ts';
import { expectUnchanged, snapshot } from './snapshot.ts';
import { until } from './until.ts';

const keeper = new ClusterKeeper();

afterAll(async () => {
  await keeper.giveBack(await keeper.borrow(), { failed: true });
});

const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Lamp', plural: 'lamps', singular: 'lamp' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

/** Objects of several kinds, with those that controllers make for them; files; and an image. */
async function leaveThings(cluster: TestCluster): Promise<void> {
  const { kubectl } = cluster;
  await kubectl(['create', 'namespace', 'left']);
  await kubectl(['apply', '-f', '-'], JSON.stringify(CRD));
  await kubectl(['wait', '--for=condition=Established', 'crd/lamps.example.com', '--timeout=180s']);
  const lamp = JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name: 'a' } });
  // kubectl finds a kind a moment after its CRD is established
  await until('there is a lamp', () => kubectl(['apply', '-f', '-'], lamp));
  for (const namespace of ['left', 'default']) {
    await kubectl(['create', 'deployment', 'x', '-n', namespace, '--image=x', '--replicas=2']);
    await kubectl(['wait', '--for=condition=Available', '-n', namespace, 'deployment/x', '--timeout=180s']);
  }
  await kubectl(['delete', 'clusterrole', 'view']);
  await kubectl(['label', 'namespace', 'default', 'changed=yes']);
  await publishFiles(new Map([['manifests/a.yaml', Buffer.from('a')]]), `${cluster.registry}/left:v1`);
  mkdirSync(join(cluster.folder, 'tmp', 'of-a-test'));
  writeFileSync(join(cluster.folder, 'of-a-test'), '');
}

test('the next file finds the cluster as it was', async () => {
  const cluster = await keeper.borrow();
  const before = await snapshot(cluster);
  for (let round = 0; round < 2; round += 1) {
    await leaveThings(cluster);
    expect(await snapshot(cluster)).not.toEqual(before);
    expect(existsSync(join(cluster.folder, 'registry/docker'))).toBe(true);
    await keeper.giveBack(cluster, { failed: false });
    const again = await keeper.borrow();
    expect(again.folder).toBe(cluster.folder);
    await expectUnchanged(again, before);
    expect(await again.kubectl(['get', 'namespace', 'default', '--show-labels'])).not.toContain('changed');
    for (const file of ['of-a-test', 'tmp/of-a-test', 'registry/docker']) {
      expect(existsSync(join(again.folder, file)), file).toBe(false);
    }
  }
  await keeper.giveBack(cluster, { failed: false });
});

describe('the next file has another cluster if', () => {
  const small = new ClusterKeeper(() => startCluster({ only: ['kube-apiserver'], registry: false }));

  afterAll(async () => {
    await small.giveBack(await small.borrow(), { failed: true });
  });

  test.each([
    { because: 'a test has failed', failed: true, disturb: () => Promise.resolve() },
    { because: 'a component was ended', failed: false, disturb: (one: TestCluster) => one.kill('kube-apiserver') },
    { because: 'a component was paused', failed: false, disturb: (one: TestCluster) => one.pause('kube-apiserver') },
    { because: 'etcd was started again', failed: false, disturb: (one: TestCluster) => one.restart('etcd', 'SIGKILL') },
  ])('$because', async ({ failed, disturb }) => {
    const cluster = await small.borrow();
    await disturb(cluster);
    await small.giveBack(cluster, { failed });
    expect(existsSync(cluster.folder)).toBe(false);
    const next = await small.borrow();
    expect(next.folder).not.toBe(cluster.folder);
    expect(await next.kubectl(['get', 'namespaces'])).toContain('default');
    await small.giveBack(next, { failed: false });
  });

  test('another one uses it', async () => {
    const [one, other] = [await small.borrow(), await small.borrow()];
    expect(other.folder).not.toBe(one.folder);
    await small.giveBack(other, { failed: false });
    expect(existsSync(other.folder)).toBe(false);
    await small.giveBack(one, { failed: false });
    expect(existsSync(one.folder)).toBe(true);
  });
});
