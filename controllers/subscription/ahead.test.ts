/** Bundles that are prepared before they are requested: which, how many, and that they are used only if nothing changed. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { FINALIZER } from '../../api/names.ts';
import { refOf } from '../../api/object.ts';
import { sampleCrd } from '../../apply/testing/sample-objects.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { createManualClock, type ManualClock } from '../../kube/testing/manual-clock.ts';
import type { ImageSource } from '../../oci/source.ts';
import { BundlesAhead } from './ahead.ts';
import { comingTarget } from './coming.ts';
import { NO_POLICIES } from '../registry-policies.ts';
import type { Target } from './action.ts';
import { decideSubscription, type ResolvedPlan } from './decide.ts';
import type { SubscriptionDeps } from './deps.ts';
import type { SubscriptionFacts } from './observe.ts';
import type { PreparedBundle } from './prepare-bundle.ts';
import { prepareAhead, prepareNew } from './prepare.ts';
import { catalog, facts, revision, subscription } from './testing/facts.ts';
import { IMAGE, MAIN, offering, reconcileOf, registry } from './testing/one-image.ts';

const bundleOf = (bytes = 10): PreparedBundle => ({
  image: IMAGE,
  manifests: { digest: 'sha256:d', objects: 1, weight: 100, pieces: [Buffer.alloc(bytes)] },
  images: new Map(),
  certificates: [],
  leftOut: [],
  notJudged: [],
});
/** Begins at once, as if nothing had happened for a while. */
const aheadAtOnce = (): BundlesAhead => new BundlesAhead(0);
const key = (owner: string, content = 'x'): { owner: string; content: string } => ({ owner, content });

/** Everything that waited for that time has begun then. */
async function advance(clock: ManualClock, seconds: number): Promise<void> {
  clock.advance(seconds);
  await setImmediate();
}

describe('bundles that are prepared ahead', () => {
  test('a prepared bundle is given once', async () => {
    const ahead = aheadAtOnce();
    ahead.begin(key('ops/a'), async () => bundleOf());
    expect(await ahead.take(key('ops/a'))).toEqual(bundleOf());
    expect(await ahead.take(key('ops/a'))).toBeUndefined();
  });

  test('no bundle is given if the image, the configuration or the cluster has changed since', async () => {
    const ahead = aheadAtOnce();
    ahead.begin(key('ops/a', 'before'), async () => bundleOf());
    expect(await ahead.take(key('ops/a', 'after'))).toBeUndefined();
  });

  test('32 bundles are kept at most, until one is used or its Subscription is deleted', async () => {
    const ahead = aheadAtOnce();
    const begin = (name: string): void => ahead.begin(key(`${name}/a`), async () => bundleOf());
    for (let index = 0; index < 32; index++) begin(`n${index}`);
    begin('late');
    await setImmediate();
    expect(ahead.size).toBe(32);
    expect(await ahead.take(key('late/a'))).toBeUndefined();
    expect(await ahead.take(key('n0/a'))).toEqual(bundleOf());
    ahead.drop('n1/a');
    begin('late');
    begin('later');
    await setImmediate();
    expect([await ahead.take(key('late/a')), await ahead.take(key('later/a'))]).toEqual([bundleOf(), bundleOf()]);
  });

  test('eight of them belong to one namespace at most, so that the others have room', async () => {
    const ahead = aheadAtOnce();
    for (let index = 0; index < 9; index++) ahead.begin(key(`greedy/${index}`), async () => bundleOf());
    ahead.begin(key('modest/a'), async () => bundleOf());
    await setImmediate();
    expect(ahead.size).toBe(9);
    expect(await ahead.take(key('greedy/8'))).toBeUndefined();
    expect(await ahead.take(key('modest/a'))).toEqual(bundleOf());
  });

  test('bundles are prepared one after the other', async () => {
    const ahead = aheadAtOnce();
    const begun: string[] = [];
    const first = Promise.withResolvers<PreparedBundle>();
    ahead.begin(key('ops/a'), () => (begun.push('a'), first.promise));
    ahead.begin(key('ops/b'), async () => (begun.push('b'), bundleOf()));
    await setImmediate();
    expect(begun).toEqual(['a']);
    first.resolve(bundleOf());
    await expect.poll(() => begun).toEqual(['a', 'b']);
  });

  test('a registry that answers slowly does not hold up the next bundle', async () => {
    const ahead = aheadAtOnce();
    let isBegun = false;
    ahead.begin(key('ops/a'), () => new Promise(() => undefined));
    ahead.begin(key('ops/b'), async () => ((isBegun = true), bundleOf()));
    await expect.poll(() => isBegun).toBe(true);
  });

  test('a bundle whose turn has not come is not waited for, but prepared when it is requested', async () => {
    const ahead = aheadAtOnce();
    ahead.begin(key('ops/a'), () => new Promise(() => undefined));
    ahead.begin(key('ops/b'), async () => bundleOf());
    expect(await ahead.take(key('ops/b'))).toBeUndefined();
  });

  test('a bundle that is requested while it is prepared is given, even if it is too large to be kept', async () => {
    const ahead = aheadAtOnce();
    const pulled = Promise.withResolvers<PreparedBundle>();
    ahead.begin(key('ops/a'), () => pulled.promise);
    const taken = ahead.take(key('ops/a'));
    pulled.resolve(bundleOf(2_000_000));
    expect(await taken).toEqual(bundleOf(2_000_000));
  });

  test('beyond four megabytes together no bundle is prepared until one is used', async () => {
    const ahead = aheadAtOnce();
    const begun: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      ahead.begin(key(`${name}/one`), async () => (begun.push(name), bundleOf(1024 * 1024)));
    await setImmediate();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    await ahead.take(key('b/one'));
    await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('the bundles of one namespace take half of that room, and then those of others come first', async () => {
    const ahead = aheadAtOnce();
    const begun: string[] = [];
    for (const name of ['ops/a', 'ops/b', 'ops/c', 'lights/d'])
      ahead.begin(key(name), async () => (begun.push(name), bundleOf(1024 * 1024)));
    await expect.poll(() => begun).toEqual(['ops/a', 'ops/b', 'lights/d']);
    await ahead.take(key('ops/a'));
    await expect.poll(() => begun).toEqual(['ops/a', 'ops/b', 'lights/d', 'ops/c']);
  });
});

describe('the moment when a bundle is prepared ahead', () => {
  function scene() {
    const clock = createManualClock();
    const ahead = new BundlesAhead(3, clock);
    let isBegun = false;
    ahead.noteWork();
    ahead.begin(key('ops/a'), async () => ((isBegun = true), bundleOf()));
    return { clock, ahead, isBegun: () => isBegun };
  }

  test.each<{ because: string; work: (ahead: BundlesAhead) => unknown }>([
    { because: 'a Subscription is being changed', work: (ahead) => ahead.noteWork() },
    { because: 'a bundle was requested', work: (ahead) => ahead.take(key('ops/b')) },
  ])('is not before three seconds have passed since $because', async ({ work }) => {
    const { clock, ahead, isBegun } = scene();
    await advance(clock, 2);
    await work(ahead);
    await advance(clock, 2.9);
    expect(isBegun()).toBe(false);
    await advance(clock, 0.1);
    expect(isBegun()).toBe(true);
  });

  test('does not depend on Subscriptions that are not changed', async () => {
    const { clock, ahead, isBegun } = scene();
    await advance(clock, 2);
    ahead.drop('ops/b');
    await advance(clock, 1);
    expect(isBegun()).toBe(true);
  });

  test('comes after a minute at the latest, since in a large cluster some Subscription is always being changed', async () => {
    const { clock, ahead, isBegun } = scene();
    for (let seconds = 0; seconds < 60; seconds += 2) {
      expect(isBegun()).toBe(false);
      ahead.noteWork();
      await advance(clock, 2);
    }
    expect(isBegun()).toBe(true);
  });
});

describe('a bundle that cannot be kept', () => {
  const UNFIT = [
    { because: 'the registry does not answer', prepare: () => Promise.reject(new Error('no')) },
    { because: 'it takes too much memory', prepare: async () => bundleOf(2_000_000) },
  ];

  function scene({ prepare }: (typeof UNFIT)[number]) {
    const clock = createManualClock();
    const ahead = new BundlesAhead(0, clock);
    let count = 0;
    /** As each reconcile does; returns how often it was prepared. */
    const begin = async (content = 'x'): Promise<number> => {
      ahead.begin(key('ops/a', content), () => (count++, prepare()));
      await setImmediate();
      return count;
    };
    return { clock, ahead, begin };
  }

  test.each(UNFIT)('is prepared once, not at each reconcile, and takes no room, if $because', async (unfit) => {
    const { ahead, begin } = scene(unfit);
    expect([await begin(), await begin(), ahead.size]).toEqual([1, 1, 0]);
  });

  test.each(UNFIT)('is prepared again in another form, if $because', async (unfit) => {
    const { begin } = scene(unfit);
    expect([await begin(), await begin('y')]).toEqual([1, 2]);
  });

  test.each(UNFIT)('is prepared again after the Subscription needed none for a time, if $because', async (unfit) => {
    const { ahead, begin } = scene(unfit);
    await begin();
    ahead.drop('ops/a');
    expect(await begin()).toBe(2);
  });

  test.each([
    { ...UNFIT[0]!, times: 2 },
    { ...UNFIT[1]!, times: 1 },
  ])('is prepared $times times within ten minutes and a second, if $because', async ({ times, ...unfit }) => {
    const { clock, begin } = scene(unfit);
    await begin();
    await advance(clock, 601);
    expect(await begin()).toBe(times);
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
    const ahead = { begin, take: async () => undefined, drop: () => undefined, noteWork: () => undefined };
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
