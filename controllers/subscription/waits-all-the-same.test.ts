/** An upgrade that waits although the installed version cannot have the configuration that the spec requests. */
import { describe, expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import { ReasonedError, type Retry } from '../../api/errors.ts';
import { FINALIZER } from '../../api/names.ts';
import type { Subscription } from '../../api/subscription.ts';
import { sampleCrd } from '../../apply/testing/sample-objects.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import type { ImageSource } from '../../oci/source.ts';
import type { EventFacts } from '../events.ts';
import { NOW, revision, subscription, type RevisionParts } from './testing/facts.ts';
import { IMAGE, MAIN, offering, reconcileOf, registry, revisionsOf } from './testing/one-image.ts';

const GONE = `registry.example/gadget@sha256:${'0'.repeat(64)}`;
const CONFIG = { config: { nodeSelector: { disk: 'ssd' } } };
const WINDOWS = { windows: [{ cron: '0 2 * * *', duration: '1h' }] };

interface Scene {
  readonly cluster: FakeCluster;
  readonly events: EventFacts[];
  readonly reconcile: (now?: Date) => Promise<unknown>;
}

/** 1.0.0 is installed, and its image cannot be used any more; 1.1.0 is offered. */
function sceneOf(
  spec: object,
  { retry = 'backoff', ...installed }: RevisionParts & { readonly retry?: Retry } = {},
): Scene {
  const by = { bundle: 'gadget.v1.0.0', version: '1.0.0', image: GONE, catalog: 'main', revision: 'gadget-1' };
  const cluster = createFakeCluster({});
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(sampleCrd('Revision', { group: 'slipway.dev' }));
  cluster.put(subscription({ spec, status: { installed: by }, metadata: { finalizers: [FINALIZER] } }));
  cluster.put(revision({ ready: true, image: GONE, ...installed }));
  const refusal = new ReasonedError({ reason: 'InstallModeUnsupported', retry, message: 'not supported' });
  const source: ImageSource = {
    ...registry,
    pullManifest: (reference, ...rest) =>
      JSON.stringify(reference).includes('0'.repeat(64))
        ? Promise.reject(refusal)
        : registry.pullManifest(reference, ...rest),
  };
  const events: EventFacts[] = [];
  const caches = offering(cluster, { versions: ['1.0.0', '1.1.0'], image: IMAGE });
  const given = {
    caches,
    bundles: () => source,
    catalogOf: () => MAIN,
    record: (_: unknown, one: EventFacts) => void events.push(one),
  };
  return { cluster, events, reconcile: (now = NOW) => reconcileOf(cluster, { ...given, now: () => now })() };
}

const statusOf = (cluster: FakeCluster): NonNullable<Subscription['status']> =>
  (cluster.objects().find(({ kind }) => kind === 'Subscription') as Subscription).status ?? {};
const states = (cluster: FakeCluster): readonly string[] =>
  revisionsOf(cluster).map(({ metadata, spec }) => `${metadata.name} ${spec.bundle} ${spec.state} ${spec.approved}`);
const WAITING = ['gadget-1 gadget.v1.0.0 Active true', 'gadget-2 gadget.v1.1.0 Archived false'];

async function failing({ reconcile }: Scene, rounds: number): Promise<unknown> {
  let last: unknown;
  for (let round = 0; round < rounds; round += 1)
    await reconcile().then(
      () => (last = undefined),
      (error: unknown) => (last = error),
    );
  return last;
}

describe('a configuration that the installed version cannot have', () => {
  test.each([
    { because: 'it waits for approval', spec: { approval: 'Manual' }, reason: 'ApprovalRequired' },
    { because: 'it waits for a window', spec: WINDOWS, reason: 'OutsideWindow' },
  ])('the upgrade is made and waits all the same, and the failure is reported: $because', async ({ spec, reason }) => {
    const scene = sceneOf({ ...CONFIG, ...spec });
    expect(await failing(scene, 4)).toMatchObject({ reason: 'InstallModeUnsupported' });
    expect(states(scene.cluster)).toEqual(WAITING);
    const { pending, conditions } = statusOf(scene.cluster);
    expect(pending).toMatchObject({ revision: 'gadget-2', reason });
    expect(findCondition(conditions, 'UpgradeAvailable')?.reason).toBe(reason);
    expect(findCondition(conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'InstallModeUnsupported' });
  });

  test('manifests of the installed version that cannot be restored do not hold the upgrade up', async () => {
    const lost = { ready: false, firstReadyTime: '2026-05-01T11:00:00Z', reason: 'ManifestsMissing' };
    const scene = sceneOf({ approval: 'Manual' }, lost);
    await failing(scene, 4);
    expect(states(scene.cluster)).toEqual(WAITING);
  });

  test('the upgrade becomes active when its window opens', async () => {
    const scene = sceneOf({ ...CONFIG, ...WINDOWS }, { retry: 'never' });
    expect(await failing(scene, 3)).toMatchObject({ retry: { afterSeconds: 14 * 3600 } });
    await scene.reconcile(new Date('2026-05-02T02:00:00Z'));
    expect(states(scene.cluster)).toEqual([
      'gadget-1 gadget.v1.0.0 Archived true',
      'gadget-2 gadget.v1.1.0 Active true',
    ]);
  });

  test('a retry that fails in the same way writes nothing and reports no event', async () => {
    const scene = sceneOf({ ...CONFIG, approval: 'Manual' });
    await failing(scene, 3);
    const before = [statusOf(scene.cluster), scene.events.length];
    const versions = scene.cluster.objects().map(({ metadata }) => metadata.resourceVersion);
    await failing(scene, 3);
    expect([statusOf(scene.cluster), scene.events.length]).toEqual(before);
    expect(scene.cluster.objects().map(({ metadata }) => metadata.resourceVersion)).toEqual(versions);
  });

  test('the installed version gets the configuration once it can have it', async () => {
    const scene = sceneOf({ ...CONFIG, approval: 'Manual' });
    await failing(scene, 3);
    const caches = offering(scene.cluster, { versions: ['1.0.0', '1.1.0'], image: IMAGE });
    const repaired = reconcileOf(scene.cluster, { caches, catalogOf: () => MAIN });
    await repaired();
    expect(states(scene.cluster)).toContain('gadget-3 gadget.v1.0.0 Active true');
  });
});
