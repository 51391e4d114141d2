/** The writes that replace the active Revision by a new one: their order and number, and failures and crashes between them. */
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { FINALIZER } from '../../api/names.ts';
import { refOf } from '../../api/object.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import { refusal } from '../../api/testing/refusal.ts';
import { sampleCrd } from '../../apply/testing/sample-objects.ts';
import {
  createFakeCluster,
  type FakeCluster,
  type FakeOptions,
  type FakeRequest,
} from '../../kube/testing/fake-cluster.ts';
import { packManifests } from '../manifests.ts';
import { act } from './act.ts';
import type { Announcement } from './attempt.ts';
import type { SubscriptionDeps } from './deps.ts';
import type { Action } from './action.ts';
import type { PreparedBundle } from './prepare-bundle.ts';
import { catalog, facts, revision, subscription } from './testing/facts.ts';
import { IMAGE, reconcileOf, revisionsOf } from './testing/one-image.ts';
import { activeOf } from '../../api/revision.ts';

/** A Subscription whose configuration was changed: the active Revision gadget-1 is to be replaced. */
const installed = { bundle: 'gadget.v1.0.0', version: '1.0.0', image: IMAGE, catalog: 'main', revision: 'gadget-1' };
const owner = subscription({
  status: { installed },
  metadata: { finalizers: [FINALIZER] },
  spec: { config: { nodeSelector: { disk: 'ssd' } } },
});
const first = revision({ ready: true, image: IMAGE, configHash: 'before' });

function clusterOf(options: FakeOptions = {}, active = first): FakeCluster {
  const cluster = createFakeCluster(options);
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(sampleCrd('Revision', { group: 'slipway.dev' }));
  for (const object of [owner, active]) cluster.put(object);
  return cluster;
}

const states = (cluster: FakeCluster): readonly string[] =>
  revisionsOf(cluster).map(({ metadata, spec }) => `${metadata.name} ${spec.state}`);
const secrets = (cluster: FakeCluster): number => cluster.objects().filter(({ kind }) => kind === 'Secret').length;
const isWriteOf = ({ verb, ref }: FakeRequest): boolean => verb !== 'get' && ref.kind !== 'Namespace';
const isSecretWrite = ({ verb, ref }: FakeRequest): boolean => verb === 'create' && ref.kind === 'Secret';

test('a new Revision takes four writes, and is created active when the status, its Secret and the old one are written', async () => {
  const cluster = clusterOf();
  await reconcileOf(cluster)();
  const writes = cluster.requests.filter(isWriteOf).map(({ verb, ref }) => `${verb} ${ref.kind} ${ref.name}`);
  expect(
    writes
      .slice(0, 3)
      .map((write) => write.split(' ').slice(0, 2).join(' '))
      .sort(),
  ).toEqual(['create Secret', 'patch Revision', 'patch Subscription']);
  expect(writes.slice(3)).toEqual(['create Revision gadget-2']);
  expect(states(cluster)).toEqual(['gadget-1 Archived', 'gadget-2 Active']);
});

test('two Revisions are never active at the same time', async () => {
  const seen: number[] = [];
  const cluster = clusterOf({
    after: (_request, it) => void seen.push(revisionsOf(it).filter(({ spec }) => spec.state === 'Active').length),
  });
  await reconcileOf(cluster)();
  expect(Math.max(...seen)).toBe(1);
});

describe('the manifests that are handed to the reader of the new Revision', () => {
  /** Notes what is handed over, and dropped. */
  function handing(): { readonly noted: string[]; readonly handed: NonNullable<SubscriptionDeps['handed']> } {
    const noted: string[] = [];
    const handed = {
      put: ({ digest }: { readonly digest: string }) => void noted.push(`put ${digest}`),
      drop: (digest: string) => void noted.push(`drop ${digest}`),
    };
    return { noted, handed };
  }

  test('are those that its digest names', async () => {
    const cluster = clusterOf();
    const { noted, handed } = handing();
    await reconcileOf(cluster, { handed })();
    expect(noted).toEqual([`put ${revisionsOf(cluster)[1]?.spec.manifests.digest}`]);
  });

  test.each([
    { kind: 'Secret', because: 'they cannot be stored' },
    { kind: 'Revision', because: 'it is refused' },
  ])('are dropped if $because', async ({ kind }) => {
    const cluster = clusterOf({
      before: ({ verb, ref }) => {
        if (verb === 'create' && ref.kind === kind) throw refusal(403, 'Forbidden', 'exceeded quota');
      },
    });
    const { noted, handed } = handing();
    await reconcileOf(cluster, { handed })().catch(() => undefined);
    expect(noted).toEqual([expect.stringMatching('^put sha256:'), noted[0]?.replace('put', 'drop')]);
  });
});

describe('if the manifests cannot be stored', () => {
  const refusing = (): FakeCluster =>
    clusterOf({
      before: (request) => {
        if (isSecretWrite(request)) throw refusal(403, 'Forbidden', 'exceeded quota');
      },
    });

  test('the Revision that works stays active, however often it is tried', async () => {
    const cluster = refusing();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await expect(reconcileOf(cluster)()).rejects.toMatchObject({ reason: 'Forbidden' });
      expect(states(cluster)).toEqual(['gadget-1 Active']);
    }
  });

  test('the Revision that works is left alone from the second attempt on', async () => {
    const cluster = refusing();
    await reconcileOf(cluster)().catch(() => undefined);
    const before = cluster.requests.length;
    await reconcileOf(cluster)().catch(() => undefined);
    expect(
      cluster.requests.slice(before).filter(({ verb, ref }) => verb === 'patch' && ref.kind === 'Revision'),
    ).toEqual([]);
  });
});

test('the Revision that works is active again if the API server refuses the next one', async () => {
  const cluster = clusterOf({
    before: ({ verb, ref }) => {
      if (verb === 'create' && ref.kind === 'Revision') throw refusal(403, 'Forbidden', 'a quota is used up');
    },
  });
  const seen = [];
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await reconcileOf(cluster)().catch(() => undefined);
    seen.push(states(cluster));
  }
  expect(seen).toEqual(Array.from({ length: 3 }, () => ['gadget-1 Active']));
});

test.each([
  { because: 'the connection broke after it was carried out', code: 503, reason: 'ServiceUnavailable' },
  { because: 'the API server timed out after it was carried out', code: 504, reason: 'Timeout' },
])('only the next Revision is active if the answer to its creation is lost: $because', async ({ code, reason }) => {
  const seen: number[] = [];
  let isLost = false;
  const cluster = clusterOf({
    after: ({ verb, ref }, it) => {
      seen.push(revisionsOf(it).filter(({ spec }) => spec.state === 'Active').length);
      if (verb !== 'create' || ref.kind !== 'Revision' || isLost) return;
      isLost = true;
      throw refusal(code, reason, 'no answer');
    },
  });
  for (let attempt = 1; attempt <= 3; attempt += 1) await reconcileOf(cluster)().catch(() => undefined);
  expect(isLost).toBe(true);
  expect(Math.max(...seen)).toBe(1);
  expect(states(cluster)).toEqual(['gadget-1 Archived', 'gadget-2 Active']);
});

describe('after a crash that left no Revision active', () => {
  const archived = revision({ ready: true, image: IMAGE, configHash: 'before', state: 'Archived' });
  const target = {
    bundle: catalog({ versions: ['1.0.0'] }).content('gadget')?.bundles[0] as CatalogBundle,
    catalog: 'main',
    channel: 'stable',
    configHash: 'after',
  };
  type Creation = Extract<Action, { do: 'create' }>;
  async function actOn(
    cluster: FakeCluster,
    prepared: Promise<PreparedBundle>,
    {
      hold,
      written = Promise.resolve(owner),
      ...more
    }: Pick<SubscriptionDeps, 'issueAhead'> & Partial<Pick<Creation, 'hold'> & Pick<Announcement, 'written'>> = {},
  ): Promise<void> {
    const deps = { cluster, record: () => undefined, ...more } as unknown as SubscriptionDeps;
    const [instead] = revisionsOf(cluster);
    const action = { do: 'create', target, hold, ...(instead !== undefined && { instead }) } as const;
    const given = facts({ subscription: owner, revisions: revisionsOf(cluster), nextNumber: 2 });
    const signal = new AbortController().signal;
    const announcement = { written, isRepeated: false };
    await act(deps, given, { action, installed: instead, announcement, prepared, signal });
  }

  async function bundleOf(): Promise<PreparedBundle> {
    const certificates = [{ deployment: 'a', secretName: 'b', serviceName: 'c', dnsNames: ['d'], injectInto: [] }];
    return {
      image: IMAGE,
      manifests: await packManifests([]),
      images: new Map(),
      certificates,
      leftOut: [],
      notJudged: [],
    };
  }

  test('the one that worked stays archived if the Subscription was read from a cache that lags', async () => {
    const cluster = clusterOf({}, archived);
    const stale = Promise.reject(
      new ReasonedError({ reason: 'Conflict', retry: 'backoff', message: 'it has changed' }),
    );
    const gone = new ReasonedError({
      reason: 'ImageNotFound',
      retry: 'backoff',
      message: 'the registry has no such image',
    });
    stale.catch(() => undefined);
    const prepared = Promise.reject(gone);
    prepared.catch(() => undefined);
    await expect(actOn(cluster, prepared, { written: stale })).rejects.toMatchObject({ reason: 'Conflict' });
    expect(states(cluster)).toEqual(['gadget-1 Archived']);
    await expect(actOn(cluster, prepared)).rejects.toMatchObject({ reason: 'ImageNotFound' });
    expect(states(cluster)).toEqual(['gadget-1 Active']);
  });

  test.each([
    { hold: undefined, begun: ['b ops'], because: 'it is active at once' },
    { hold: { missing: [] } as unknown as Creation['hold'], begun: [], because: 'it may wait for days' },
  ])('the certificates of the new one are issued meanwhile: $begun, because $because', async ({ hold, begun }) => {
    const cluster = clusterOf({}, archived);
    const names: string[] = [];
    const issueAhead: SubscriptionDeps['issueAhead'] = (required, namespace) => {
      expect(secrets(cluster)).toBe(0);
      names.push(...required.map(({ secretName }) => `${secretName} ${namespace}`));
    };
    await actOn(cluster, bundleOf(), { hold, issueAhead });
    expect(names).toEqual(begun);
  });

  test('the new one is made, and names the one that worked before it', async () => {
    const cluster = clusterOf({}, archived);
    await actOn(cluster, bundleOf());
    expect(states(cluster)).toEqual(['gadget-1 Archived', 'gadget-2 Active']);
    expect(activeOf(revisionsOf(cluster))?.spec.previous).toBe('gadget-1');
  });

  test.each([
    { reason: 'RegistryUnavailable', active: true, because: 'the registry may be silent for hours' },
    { reason: 'LeaderLost', active: false, because: 'another manager decides' },
    { reason: 'ApiUnavailable', active: false, because: 'the new one may have been made' },
  ] as const)(
    'the one that works is made active again after $reason: $active, because $because',
    async ({ reason, active }) => {
      const cluster = clusterOf({}, archived);
      const error = new ReasonedError({ reason, retry: 'backoff', message: 'no' });
      await expect(actOn(cluster, Promise.reject(error))).rejects.toBe(error);
      expect(states(cluster)).toEqual([`gadget-1 ${active ? 'Active' : 'Archived'}`]);
    },
  );
});

test('killed before or after any request, the next reconciles end as an undisturbed one does', async () => {
  const calm = clusterOf();
  await reconcileOf(calm)();
  const total = calm.requests.length;
  expect(total).toBeGreaterThan(3);
  for (const when of ['before', 'after'] as const)
    for (let killed = 1; killed <= total; killed += 1) {
      let requests = 0;
      const cluster = clusterOf({
        [when]: () => {
          requests += 1;
          if (requests >= killed && requests <= total) throw new Error('killed');
        },
      });
      await reconcileOf(cluster)().catch(() => undefined);
      requests = total;
      for (let round = 0; round < 3; round += 1) await reconcileOf(cluster)();
      expect([when, killed, ...states(cluster)]).toEqual([when, killed, 'gadget-1 Archived', 'gadget-2 Active']);
      expect(activeOf(revisionsOf(cluster))?.spec.previous).toBe('gadget-1');
      expect(secrets(cluster)).toBe(1);
    }
});

test('a Revision that another manager has changed since is not replaced', async () => {
  const cluster = clusterOf({
    before: ({ verb, ref }, it) => {
      if (verb !== 'create' || ref.kind !== 'Secret') return;
      it.change(refOf(first), (object) => ({
        ...object,
        metadata: { ...object.metadata, annotations: { other: 'x' } },
      }));
    },
  });
  await reconcileOf(cluster)().catch(() => undefined);
  expect(revisionsOf(cluster).filter(({ spec }) => spec.state === 'Active')).toHaveLength(1);
});
