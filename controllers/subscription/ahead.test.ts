/** Bundles that are prepared before they are requested: which, how many, and that they are used only if nothing changed. */
import { describe, expect, test, vi } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { FINALIZER } from '../../api/names.ts';
import { refOf } from '../../api/object.ts';
import { sampleCrd } from '../../apply/testing/sample-objects.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import type { ImageSource } from '../../oci/source.ts';
import { BundlesAhead } from './ahead.ts';
import { comingTarget } from './coming.ts';
import { NO_POLICIES } from '../registry-policies.ts';
import { decideSubscription, type ResolvedPlan, type Target } from './decide.ts';
import type { SubscriptionDeps } from './deps.ts';
import type { SubscriptionFacts } from './observe.ts';
import type { PreparedBundle } from './prepare-bundle.ts';
import { prepareAhead, prepareNew } from './prepare.ts';
import { catalog, facts, revision, subscription } from './testing/facts.ts';
import { IMAGE, MAIN, offering, reconcileOf, registry } from './testing/one-image.ts';

const bundleOf = (bytes = 10): PreparedBundle => ({
  image: IMAGE,
  manifests: { digest: 'sha256:d', objects: 1, pieces: [Buffer.alloc(bytes)] },
  images: new Map(),
  certificates: [],
  leftOut: [],
});
/** Begins at once, as if nothing had happened for a while. */
const aheadAtOnce = (): BundlesAhead => new BundlesAhead(0);
const key = (owner: string, content = 'x'): { owner: string; content: string } => ({ owner, content });

describe('bundles that are prepared ahead', () => {
  test('are given once', async () => {
    const ahead = aheadAtOnce();
    ahead.begin(key('ops/a'), async () => bundleOf());
    expect(await ahead.take(key('ops/a'))).toEqual(bundleOf());
    expect(await ahead.take(key('ops/a'))).toBeUndefined();
  });

  test('are not given if the image, the configuration or the cluster has changed since', async () => {
    const ahead = aheadAtOnce();
    ahead.begin(key('ops/a', 'before'), async () => bundleOf());
    expect(await ahead.take(key('ops/a', 'after'))).toBeUndefined();
  });

  test('are 32 at most, and make room when one is used or its Subscription is deleted', async () => {
    const ahead = aheadAtOnce();
    const owners = Array.from({ length: 33 }, (_, index) => `ops/${index}`);
    const begin = (owner: string): void => ahead.begin(key(owner), async () => bundleOf());
    owners.forEach(begin);
    expect(ahead.size).toBe(32);
    await ahead.take(key('ops/0'));
    begin('ops/32');
    ahead.drop('ops/1');
    begin('ops/33');
    expect(ahead.size).toBe(32);
    expect([await ahead.take(key('ops/32')), await ahead.take(key('ops/34'))]).toEqual([undefined, undefined]);
  });

  test('are prepared one after the other', async () => {
    const ahead = aheadAtOnce();
    const begun: string[] = [];
    const first = Promise.withResolvers<PreparedBundle>();
    ahead.begin(key('a'), () => (begun.push('a'), first.promise));
    ahead.begin(key('b'), async () => (begun.push('b'), bundleOf()));
    await new Promise(setImmediate);
    expect(begun).toEqual(['a']);
    first.resolve(bundleOf());
    await expect.poll(() => begun).toEqual(['a', 'b']);
  });

  test('are not waited for: a bundle whose turn has not come is prepared when it is requested', async () => {
    const ahead = aheadAtOnce();
    ahead.begin(key('a'), () => new Promise(() => undefined));
    ahead.begin(key('b'), async () => bundleOf());
    expect(await ahead.take(key('b'))).toBeUndefined();
  });

  test('wait until no Subscription has had work for a second', async () => {
    let now = 0;
    let wake = Promise.withResolvers<void>();
    const after = (milliseconds: number): void => {
      now += milliseconds;
      wake.resolve();
      wake = Promise.withResolvers();
    };
    const ahead = new BundlesAhead(1000, { now: () => now, pause: () => wake.promise });
    let isBegun = false;
    ahead.begin(key('a'), async () => ((isBegun = true), bundleOf()));
    after(600);
    await ahead.take(key('b'));
    after(600);
    await new Promise(setImmediate);
    expect(isBegun).toBe(false);
    after(400);
    await new Promise(setImmediate);
    expect(isBegun).toBe(true);
  });

  test('are kept up to four megabytes together', async () => {
    const ahead = aheadAtOnce();
    for (const owner of ['a', 'b', 'c', 'd', 'e']) ahead.begin(key(owner), async () => bundleOf(1_000_000));
    await expect.poll(() => ahead.size).toBe(4);
    expect(await ahead.take(key('d'))).toBeDefined();
    expect(await ahead.take(key('e'))).toBeUndefined();
  });

  test.each([
    { because: 'the registry does not answer', prepare: () => Promise.reject(new Error('no')) },
    { because: 'it takes too much memory', prepare: async () => bundleOf(2_000_000) },
  ])('make room at once if $because', async ({ prepare }) => {
    const ahead = aheadAtOnce();
    ahead.begin(key('a'), prepare);
    await expect.poll(() => ahead.size).toBe(0);
    expect(await ahead.take(key('a'))).toBeUndefined();
  });
});

describe('a bundle that cannot be kept', () => {
  const UNFIT = [
    { because: 'the registry does not answer', prepare: () => Promise.reject(new Error('no')) },
    { because: 'it takes too much memory', prepare: async () => bundleOf(2_000_000) },
  ];

  /** Begins as each reconcile does, and waits until the preparation is over. */
  async function attempts(ahead: BundlesAhead, { prepare }: (typeof UNFIT)[number]): Promise<() => Promise<number>> {
    let count = 0;
    const begin = (content: string): void => ahead.begin(key('a', content), () => (count++, prepare()));
    const isOver = (): Promise<void> => expect.poll(() => ahead.size).toBe(0);
    begin('x');
    await isOver();
    return async () => {
      begin('x');
      await isOver();
      return count;
    };
  }

  test.each(UNFIT)('is prepared once, not at each reconcile, if $because', async (unfit) => {
    const ahead = aheadAtOnce();
    const again = await attempts(ahead, unfit);
    expect([await again(), await again()]).toEqual([1, 1]);
  });

  test.each(UNFIT)('is prepared again in another form, if $because', async (unfit) => {
    const ahead = aheadAtOnce();
    await attempts(ahead, unfit);
    ahead.begin(key('a', 'y'), async () => bundleOf());
    expect(await ahead.take(key('a', 'y'))).toEqual(bundleOf());
  });

  test.each(UNFIT)('is prepared again after the Subscription needed none for a time, if $because', async (unfit) => {
    const ahead = aheadAtOnce();
    const again = await attempts(ahead, unfit);
    ahead.drop('a');
    expect(await again()).toBe(2);
  });
});

describe('the room for bundles that are prepared ahead', () => {
  const pinned = { version: '0.9.0' };
  const installed = { bundle: 'gadget.v0.9.0', version: '0.9.0', catalog: 'main', image: 'i', revision: 'gadget-1' };
  const works = revision({ ready: true, version: '0.9.0' });

  function scene() {
    const cluster = createFakeCluster();
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
    cluster.put(sampleCrd('Revision', { group: 'slipway.dev' }));
    cluster.put(subscription({ status: { installed }, metadata: { finalizers: [FINALIZER] }, spec: pinned }));
    cluster.put(works);
    const ahead = aheadAtOnce();
    const run = (
      offers: Parameters<typeof offering>[1] = { versions: ['0.9.0', '1.0.0'], image: IMAGE },
    ): Promise<unknown> => reconcileOf(cluster, { ahead, caches: offering(cluster, offers), catalogOf: () => MAIN })();
    return { cluster, ahead, run };
  }

  const ref = refOf(subscription());
  const ask =
    (spec: object) =>
    (cluster: FakeCluster): void =>
      cluster.change(ref, (one) => ({ ...one, spec: { ...(one['spec'] as object), ...spec } }));

  test('is used for the next version of a Subscription that works', async () => {
    const { ahead, run } = scene();
    await run();
    expect(ahead.size).toBe(1);
  });

  test.each<{ because: string; change: (cluster: FakeCluster) => unknown; offers?: Parameters<typeof offering>[1] }>([
    { because: 'the Subscription is suspended', change: ask({ suspend: true }) },
    { because: 'nothing newer is offered any more', change: () => undefined, offers: { versions: ['0.9.0'] } },
    { because: 'an account is named that may not exist', change: ask({ serviceAccountName: 'installer' }) },
    {
      because: 'the operator does not work any more',
      change: (cluster) =>
        cluster.change(refOf(works), (one) => ({ ...one, status: revision({ ready: false, reason: 'WorkloadUnhealthy' }).status })), // prettier-ignore
    },
    {
      because: 'the Subscription is gone',
      change: (cluster) => {
        cluster.change(ref, (one) => ({ ...one, metadata: { ...one.metadata, finalizers: [] } }));
        return cluster.delete(ref);
      },
    },
  ])('is free again if $because', async ({ change, offers }) => {
    const { cluster, ahead, run } = scene();
    await run();
    await change(cluster);
    await run(offers).catch(() => undefined);
    expect(ahead.size).toBe(0);
  });
});

describe('the bundle that is likely to be requested next', () => {
  const versions = ['1.0.0', '1.1.0', '1.2.0'];
  const pinned = { version: '1.0.0' };
  const working = revision({ ready: true });
  test.each<{ given: Partial<SubscriptionFacts>; coming: string | undefined; because: string }>([
    {
      given: { subscription: subscription({ spec: pinned }) },
      coming: 'gadget.v1.1.0',
      because: 'it is the next step',
    },
    { given: {}, coming: undefined, because: 'without a version in the spec an upgrade begins by itself' },
    {
      given: { subscription: subscription({ spec: pinned }), catalogs: [catalog({ versions: ['1.0.0'] })] },
      coming: undefined,
      because: 'nothing newer is offered',
    },
    {
      given: { subscription: subscription({ spec: pinned }), revisions: [revision()] },
      coming: undefined,
      because: 'the installation is in progress',
    },
    {
      given: { subscription: subscription({ spec: { version: '1.1.0' } }) },
      coming: undefined,
      because: 'the upgrade is requested already',
    },
  ])('is $coming, because $because', ({ given, coming }) => {
    const all = facts({ revisions: [working], catalogs: [catalog({ versions })], ...given });
    const plan = decideSubscription(all) as ResolvedPlan;
    expect(comingTarget(all, plan)?.bundle.name).toBe(coming);
  });
});

describe('the preparation of a bundle that was prepared ahead', () => {
  const bundle = { ...(catalog({ versions: ['1.0.0'] }).content('gadget')?.bundles[0] as CatalogBundle), image: IMAGE };
  const target: Target = { bundle, catalog: 'main', channel: 'stable', configHash: 'x' };
  const source = catalog({ versions: ['1.0.0'] });
  const content = source.content('gadget');
  const offering = { ...source, content: () => content && { ...content, bundles: [bundle] } };
  const { signal } = new AbortController();

  function scene(pulls: string[]): { deps: SubscriptionDeps; given: SubscriptionFacts; checks: string[] } {
    const checks: string[] = [];
    const counted: ImageSource = {
      ...registry,
      pullManifest: (...args) => (pulls.push('pull'), registry.pullManifest(...args)),
    };
    const deps = {
      ahead: aheadAtOnce(),
      bundles: () => counted,
      catalogOf: () => ({ metadata: { name: 'main' }, spec: {} }),
      checkSignatures: async () => void checks.push('check'),
      policies: NO_POLICIES,
    } as unknown as SubscriptionDeps;
    return { deps, given: facts({ catalogs: [offering] }), checks };
  }

  test('pulls nothing, and checks the signatures by the policy of that moment', async () => {
    const pulls: string[] = [];
    const { deps, given, checks } = scene(pulls);
    prepareAhead(deps, given, { target, signal });
    const prepared = await prepareNew(deps, given, { target, signal });
    expect(prepared.image).toBe(IMAGE);
    expect([pulls.length, checks.length]).toEqual([1, 2]);
  });

  test('fails if a policy has come to refuse the images of its Pods', async () => {
    const { deps, given } = scene([]);
    prepareAhead(deps, given, { target, signal });
    const verify = { enforcement: 'Enforce', keys: [{ name: 'k', pem: '', transparencyLog: 'Ignore' }] } as const;
    const policies = { ...NO_POLICIES, over: () => ({ verify }) };
    await expect(prepareNew({ ...deps, policies }, given, { target, signal })).rejects.toMatchObject({
      reason: 'ImageNotPinned',
    });
  });

  test('fails if the policy has come to refuse the image', async () => {
    const { deps, given } = scene([]);
    prepareAhead(deps, given, { target, signal });
    const refused = new ReasonedError({ reason: 'Unsigned', retry: 'backoff', message: 'no' });
    const checkSignatures = (): Promise<never> => Promise.reject(refused);
    await expect(prepareNew({ ...deps, checkSignatures }, given, { target, signal })).rejects.toMatchObject({
      reason: 'Unsigned',
    });
  });

  test.each([
    { because: 'a tag may name another image later', image: 'registry.example/gadget:v1.0.0', spec: {} },
    {
      because: 'nothing is pulled for an account that does not exist',
      image: IMAGE,
      spec: { serviceAccountName: 'x' },
    },
  ])('is not begun if $because', ({ image, spec }) => {
    const begin = vi.fn();
    const { deps, given } = scene([]);
    const ahead = { begin, take: async () => undefined, drop: () => undefined };
    prepareAhead(
      { ...deps, ahead },
      { ...given, subscription: subscription({ spec }) },
      {
        target: { ...target, bundle: { ...bundle, image } },
        signal,
      },
    );
    expect(begin).not.toHaveBeenCalled();
  });
});
