/** A rollback from an upgrade that came with a new configuration: the version that worked before needs no registry. */
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { FINALIZER } from '../../api/names.ts';
import { sampleCrd } from '../../apply/testing/sample-objects.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import type { ImageSource } from '../../oci/source.ts';
import { configHash } from '../config-hash.ts';
import { NOW, revision, subscription } from './testing/facts.ts';
import { IMAGE, MAIN, offering, reconcileOf, registry, revisionsOf } from './testing/one-image.ts';

const SILENT: ImageSource = {
  ...registry,
  pullManifest: () =>
    Promise.reject(new ReasonedError({ reason: 'RegistryUnavailable', retry: 'backoff', message: 'no answer' })),
};

/** An upgrade to 1.1.0 with a new configuration has failed. */
function clusterOf(spec: object = {}): FakeCluster {
  const installed = { bundle: 'gadget.v1.0.0', version: '1.0.0', image: IMAGE, catalog: 'main', revision: 'gadget-1' };
  const owner = subscription({
    status: { installed },
    metadata: { finalizers: [FINALIZER] },
    spec: { config: { nodeSelector: { disk: 'ssd' } }, ...spec },
  });
  const cluster = createFakeCluster({});
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(sampleCrd('Revision', { group: 'slipway.dev' }));
  cluster.put(owner);
  cluster.put(revision({ ready: true, image: IMAGE, state: 'Archived', lastActiveTime: '2026-05-01T11:30:00Z' }));
  cluster.put(
    revision({
      number: 2,
      version: '1.1.0',
      image: `registry.example/gadget@sha256:${'b'.repeat(64)}`,
      configHash: configHash(owner),
      previous: 'gadget-1',
      reason: 'ProgressDeadlineExceeded',
      stalled: true,
    }),
  );
  return cluster;
}

async function reconcile(cluster: FakeCluster, bundles: ImageSource, versions: readonly string[]): Promise<void> {
  const caches = offering(cluster, { versions, image: IMAGE });
  const run = reconcileOf(cluster, { caches, bundles: () => bundles, catalogOf: () => MAIN });
  for (let round = 0; round < 3; round += 1) await run().catch(() => undefined);
}

const states = (cluster: FakeCluster): readonly string[] =>
  revisionsOf(cluster).map(({ metadata, spec }) => `${metadata.name} ${spec.bundle} ${spec.state}`);

describe('after an upgrade with a new configuration that failed', () => {
  test.each([{ spec: {} }, { spec: { approval: 'Manual' } }])(
    'the version that worked runs again although no registry answers: $spec',
    async ({ spec }) => {
      const cluster = clusterOf(spec);
      await reconcile(cluster, SILENT, ['1.0.0', '1.1.0']);
      expect(states(cluster)).toEqual(['gadget-1 gadget.v1.0.0 Active', 'gadget-2 gadget.v1.1.0 Archived']);
    },
  );

  test('the version that worked gets the new configuration once a registry answers', async () => {
    const cluster = clusterOf();
    await reconcile(cluster, registry, ['1.0.0', '1.1.0']);
    expect(states(cluster).at(-1)).toBe('gadget-3 gadget.v1.0.0 Active');
  });

  test('the version that worked runs again if the newer one cannot be pulled that is to replace the failed one', async () => {
    const cluster = clusterOf();
    await reconcile(cluster, SILENT, ['1.0.0', '1.2.0']);
    expect(states(cluster)).toEqual(['gadget-1 gadget.v1.0.0 Active', 'gadget-2 gadget.v1.1.0 Archived']);
  });
});

test.each([
  { because: 'the manager began a moment ago', seconds: 10, expected: ['Archived', 'Active'] },
  { because: 'the manager has seen it stay so', seconds: 40, expected: ['Active', 'Archived'] },
])(
  'a version that became unhealthy while no manager watched is not rolled back at once: $because',
  async ({ seconds, expected }) => {
    const cluster = clusterOf({ onFailure: { bakeTime: '2h' }, config: undefined });
    const image = `registry.example/gadget@sha256:${'b'.repeat(64)}`;
    const facts = { number: 2, version: '1.1.0', image, previous: 'gadget-1' };
    cluster.put(revision({ ...facts, reason: 'WorkloadUnhealthy', firstReadyTime: '2026-05-01T10:30:00Z' }));
    const caches = offering(cluster, { versions: ['1.0.0', '1.1.0'], image });
    const attendedSince = (): Date => new Date(NOW.getTime() - seconds * 1000);
    await reconcileOf(cluster, { caches, catalogOf: () => MAIN, attendedSince })();
    expect(revisionsOf(cluster).map(({ spec }) => spec.state)).toEqual(expected);
  },
);
