/** The plan of a Revision that waits: its summary in the status, the whole in a Secret, and when it is made again. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '../../api/object.ts';
import { REVISION, Revision as RevisionSchema, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { sample, sampleCrd, sampleOperator } from '../../apply/testing/sample-objects.ts';
import type { Client } from '../../kube/client/client.ts';
import { silentLog } from '../../kube/log.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { createManualClock, type ManualClock } from '../../kube/testing/manual-clock.ts';
import { planChange } from '../../plan/plan.ts';
import { configHash } from '../config-hash.ts';
import { packManifests } from '../manifests.ts';
import { createRevision } from '../subscription/revisions.ts';
import { NOW, subscription } from '../subscription/testing/facts.ts';
import { gatherFacts } from './facts.ts';
import { inputOf, sideOfRevision } from './input.ts';
import { packPlan } from './pack.ts';
import type { StoredPlan } from '../../plan/stored-plan.ts';
import { createPlanReconciler } from './reconcile.ts';
import { planSecretName } from './secret.ts';

const KEY = { namespace: 'ops', name: 'gadget' };
const IMAGE = 'registry.example/operator:v1';
const EXTRA = sample('v1', 'ConfigMap', 'extra', { data: { a: 'b' } });
const OLD = sampleOperator({ image: IMAGE });
const NEW = [...sampleOperator({ image: 'registry.example/operator:v2' }), EXTRA];

interface World {
  readonly cluster: FakeCluster;
  readonly first: () => Revision;
  readonly next: () => Revision;
  /** One reconcile; returns the pause until the next. */
  readonly run: () => Promise<number | undefined>;
  readonly pass: (seconds: number) => void;
  readonly edit: (change: (subscription: Subscription) => Subscription) => void;
  readonly clock: ManualClock;
}

interface Parts {
  readonly spec?: object;
  readonly before?: readonly KubeObject[] | undefined;
  readonly after?: readonly KubeObject[];
  /** Whether the Subscription waits with the second Revision. */
  readonly waits?: boolean;
  /** How the manager sees the cluster. */
  readonly seenAs?: (cluster: FakeCluster) => Client;
}

/** A Subscription with an active Revision, and one that waits. */
async function world({ spec = {}, after = NEW, waits = true, seenAs, ...parts }: Parts = {}): Promise<World> {
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  const before = 'before' in parts ? parts.before : OLD;
  let wanted = subscription({ spec, ...(waits && { status: { pending: PENDING } }) });
  if (before !== undefined) await store(cluster, wanted, { number: 1, version: '1.0.0', objects: before });
  await store(cluster, wanted, { number: 2, version: '1.1.0', objects: after });
  const revisions = (): readonly Revision[] =>
    cluster.objects().filter((one): one is Revision => one.kind === REVISION.kind);
  let now = NOW.getTime();
  const clock = createManualClock();
  const reconcile = createPlanReconciler({
    caches: {
      subscriptions: { get: () => wanted },
      revisions: { byIndex: () => revisions() },
      namespaces: { get: () => undefined },
    },
    client: seenAs?.(cluster) ?? cluster,
    now: () => new Date(now),
    clock,
  });
  const context = { signal: new AbortController().signal, log: silentLog };
  return {
    cluster,
    first: () => revisions().find(({ spec: { number } }) => number === 1) as Revision,
    next: () => revisions().find(({ spec: { number } }) => number === 2) as Revision,
    run: async () => (await reconcile(KEY, context))?.requeueAfterSeconds,
    pass: (seconds) => void (now += seconds * 1000),
    edit: (change) => void (wanted = change(wanted)),
    clock,
  };
}

const PENDING = { revision: 'gadget-2', bundle: 'gadget.v1.1.0', version: '1.1.0', reason: 'Planning' };

async function store(
  cluster: FakeCluster,
  wanted: Subscription,
  { number, version, objects }: { number: number; version: string; objects: readonly KubeObject[] },
): Promise<Revision> {
  const bundle = {
    name: `gadget.v${version}`,
    package: 'gadget',
    version,
    image: '',
    properties: [],
    relatedImages: [],
  };
  return createRevision(cluster, {
    subscription: wanted,
    revisions: [],
    number,
    target: { bundle, catalog: 'main', channel: 'stable', configHash: configHash(wanted) },
    bundle: { image: `registry.example/gadget@sha256:${'a'.repeat(64)}`, manifests: await packManifests(objects) },
    approved: number === 1,
    active: number === 1,
  });
}

/** As the controller of Subscriptions leaves it before it makes the next Revision active. */
function archiveFirst(cluster: FakeCluster, inventory: readonly object[]): void {
  const first = { apiVersion: 'slipway.dev/v1alpha1', kind: REVISION.kind, namespace: 'ops', name: 'gadget-1' };
  cluster.change(first, (object) => ({
    ...object,
    spec: { ...fieldsOf(object['spec']), state: 'Archived' },
    status: { ...fieldsOf(object['status']), inventory },
  }));
}

function storedPlan({ cluster, next }: World): StoredPlan {
  const name = next().status?.plan?.secret;
  const secret = cluster.objects().find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
  const data = String(fieldsOf(secret?.['data'])['plan']);
  return JSON.parse(gunzipSync(Buffer.from(data, 'base64')).toString()) as StoredPlan;
}

describe('the plan of a Revision that waits', () => {
  test('is summarized in its status, within the bounds of the CRD', async () => {
    const given = await world({ spec: { upgradePolicy: { automatic: 'Patch' } } });
    await given.run();
    const { plan } = given.next().status ?? {};
    expect(plan).toMatchObject({
      from: '1.0.0',
      risk: 'low',
      objects: { created: 1, changed: 1, deleted: 0 },
      heldBy: [{ rule: 'automatic' }],
      secret: 'gadget-2-plan',
    });
    expect(RevisionSchema.safeParse(given.next()).success).toBe(true);
  });

  test('stays as it is while the version before it is archived and it is not active yet', async () => {
    const given = await world();
    await given.run();
    const before = given.next().status?.plan;
    given.cluster.change(refOf(given.first()), (object) => ({
      ...object,
      spec: { ...fieldsOf(object['spec']), state: 'Archived' },
      status: { ...fieldsOf(object['status']), firstReadyTime: NOW.toISOString() },
    }));
    await given.run();
    expect(before?.from).toBe('1.0.0');
    expect(given.next().status?.plan).toEqual(before);
  });

  test('has the hash of the plan that a person makes of the same Revisions', async () => {
    const given = await world();
    await given.run();
    const { cluster } = given;
    const [from, to] = cluster.objects().filter((one): one is Revision => one.kind === REVISION.kind);
    const input = {
      ...inputOf(subscription()),
      from: await sideOfRevision(cluster, from!),
      to: await sideOfRevision(cluster, to!),
    };
    const signal = new AbortController().signal;
    const facts = await gatherFacts(
      { acting: cluster, cluster },
      { input, subscription: subscription(), inventory: [], signal },
    );
    const plan = planChange({ ...input, facts });
    expect(given.next().status?.plan?.hash).toBe(plan.hash);
    expect(storedPlan(given).plan).toEqual(JSON.parse(JSON.stringify(plan)));
  });

  test('is in a Secret that belongs to the Revision', async () => {
    const given = await world();
    await given.run();
    const secret = given.cluster.objects().find(({ metadata }) => metadata.name === 'gadget-2-plan');
    expect(secret).toMatchObject({ type: 'slipway.dev/plan' });
    expect(secret?.metadata.ownerReferences).toMatchObject([{ kind: 'Revision', uid: given.next().metadata.uid }]);
  });

  test('costs no request for an unchanged object', async () => {
    const many = Array.from({ length: 200 }, (_, at) => sample('v1', 'ConfigMap', `same-${at}`, {}));
    const [few, lots] = [await world(), await world({ before: [...OLD, ...many], after: [...NEW, ...many] })];
    const counts = [];
    for (const one of [few, lots]) {
      const before = one.cluster.requests.length;
      await one.run();
      counts.push(one.cluster.requests.length - before);
    }
    expect(counts[1]).toBe(counts[0]);
  });

  test('costs nothing if no Revision waits', async () => {
    const given = await world({ waits: false });
    const before = given.cluster.requests.length;
    expect(await given.run()).toBeUndefined();
    expect(given.cluster.requests.length).toBe(before);
  });

  test('stays as it is while the objects of a version that never worked are still there', async () => {
    const given = await world();
    await given.run();
    const { plan } = given.next().status ?? {};
    archiveFirst(given.cluster, [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'widget-config', uid: 'a', hash: 'b' }]);
    given.pass(600);
    expect(await given.run()).toBeUndefined();
    expect([plan?.from, given.next().status?.plan]).toEqual(['1.0.0', plan]);
  });

  test('is that of a first installation if the version before it has written nothing', async () => {
    const given = await world();
    archiveFirst(given.cluster, []);
    await given.run();
    expect(given.next().status?.plan?.from).toBeUndefined();
    expect(given.next().status?.plan?.hash).toBeDefined();
  });

  test('is made of a first installation without a version before it, and no policy holds that', async () => {
    const given = await world({
      before: undefined,
      spec: { approval: 'Manual', upgradePolicy: { rights: 'MayNotGrow' } },
    });
    await given.run();
    const { plan } = given.next().status ?? {};
    expect(plan?.hash).toBeDefined();
    expect([plan?.from, plan?.heldBy]).toEqual([undefined, undefined]);
  });
});

describe('the plan is made again', () => {
  test('not at once, but after a while, since no watch reports all facts', async () => {
    const given = await world();
    const pause = (await given.run()) ?? 0;
    const before = given.cluster.requests.length;
    await given.run();
    expect(given.cluster.requests.length).toBe(before);
    given.pass(pause);
    await given.run();
    expect(given.cluster.requests.length).toBeGreaterThan(before);
  });

  test.each([
    {
      because: 'the policy',
      change: {
        upgradePolicy: {
          automatic: 'Minor',
          rights: 'MayGrow',
          unsignedBundles: 'Proceed',
          unsafeCRDs: 'Proceed',
          irreversible: 'Proceed',
        },
      },
    },
    { because: 'the approval', change: { approve: { version: '1.1.0', plan: `sha256:${'1'.repeat(64)}` } } },
    {
      because: 'a waiver',
      change: { crdUpgradeSafety: { enforcement: 'Enforce', waivers: [{ crd: 'a.example.com', rule: 'enum' }] } },
    },
  ] as const)('at once if another input changes: $because', async ({ change }) => {
    const given = await world();
    await given.run();
    const before = given.next().status?.plan?.inputs;
    given.edit((one) => ({ ...one, spec: { ...one.spec, ...change } }));
    await given.run();
    expect(given.next().status?.plan?.inputs).not.toBe(before);
  });

  test('with another hash if an object of another owner is in the way by then', async () => {
    const given = await world();
    const pause = (await given.run()) ?? 0;
    const before = given.next().status?.plan?.hash;
    given.cluster.put({ ...EXTRA, metadata: { ...EXTRA.metadata, namespace: 'ops' } });
    given.pass(pause);
    await given.run();
    const { hash, reasons } = given.next().status?.plan ?? {};
    expect(hash).not.toBe(before);
    expect(reasons?.[0]).toContain('belongs to');
  });
});

describe('the plan of a tenant whose bundle changes a CRD', () => {
  const crd = (pattern: string): KubeObject => {
    const schema = { openAPIV3Schema: { type: 'object', properties: { word: { type: 'string', pattern } } } };
    const { spec, ...rest } = sampleCrd('Thing');
    return { ...rest, spec: { ...fieldsOf(spec), versions: [{ name: 'v1', served: true, storage: true, schema }] } };
  };

  test.each([
    { because: 'it is the tenant’s', owner: 'ops/gadget', uid: 'u', isRead: true },
    {
      because: 'another owner has it, of whose objects the tenant is to learn nothing',
      owner: 'lab/thing',
      uid: 'v',
      isRead: false,
    },
  ])('is made of its custom resources too: $isRead, since $because', async ({ owner, uid, isRead }) => {
    const spec = { serviceAccountName: 'installer' };
    const given = await world({ spec, before: [...OLD, crd('^.')], after: [...NEW, crd('^a')] });
    const annotations = { 'slipway.dev/owner': owner, 'slipway.dev/owner-uid': uid };
    const status = { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] };
    given.cluster.put({ ...crd('^.'), status, metadata: { ...crd('^.').metadata, annotations } });
    given.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'lab' } });
    const metadata = { name: 'one', namespace: 'lab' };
    given.cluster.put({ apiVersion: 'example.com/v1', kind: 'Thing', metadata, word: 'bread' });
    await given.run();
    expect(given.cluster.requests.some(({ ref }) => ref.kind === 'Thing')).toBe(isRead);
    expect(storedPlan(given).plan.crds).toMatchObject([{ customResources: isRead ? 1 : 'NotKnown' }]);
  });
});

/** A cluster that does not answer a question, until the question is given up; and the moment of the question. */
function silentAbout(
  method: 'get' | 'allows',
  isAbout: (subject: unknown) => boolean,
): { seenAs: (cluster: FakeCluster) => Client; asked: Promise<void> } {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const seenAs = (cluster: Client): Client => {
    const ask = (subject: never, signal: AbortSignal): Promise<unknown> => {
      if (!isAbout(subject)) return cluster[method](subject, signal);
      resolve();
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    };
    return { ...cluster, [method]: ask, as: (user) => seenAs(cluster.as(user)) };
  };
  return { seenAs, asked };
}

describe('the time for one plan', () => {
  test('ends, and the facts that were not read by then are not known', async () => {
    const { seenAs, asked } = silentAbout('get', (ref) => fieldsOf(ref)['name'] === 'extra');
    const given = await world({ seenAs, spec: { upgradePolicy: { unsafeCRDs: 'Wait' } } });
    const done = given.run();
    await asked;
    given.clock.advance(30);
    expect(await done).toBe(300);
    const { plan } = given.next().status ?? {};
    expect(plan?.unknown).toEqual([
      expect.stringContaining('whether ConfigMap ops/extra exists already') as string,
      expect.stringContaining('any further fact of the cluster') as string,
    ]);
    expect(plan?.heldBy?.map(({ rule }) => rule)).toContain('unsafeCRDs');
    expect(given.clock.timers).toBe(0);
  });

  test('ends while the rights of the account are asked for, which then are not known', async () => {
    const { seenAs, asked } = silentAbout('allows', () => true);
    const given = await world({ seenAs, spec: { serviceAccountName: 'installer' } });
    const done = given.run();
    await asked;
    given.clock.advance(30);
    await done;
    const { plan } = given.next().status ?? {};
    expect([plan?.hash === undefined, plan?.missingRights]).toEqual([false, undefined]);
  });
});

describe('facts and manifests that are missing', () => {
  test('a plan without its manifests says so, and has no hash', async () => {
    const given = await world();
    const { secrets } = given.next().spec.manifests;
    await given.cluster.delete({ apiVersion: 'v1', kind: 'Secret', namespace: 'ops', name: secrets[0] ?? '' });
    const pause = await given.run();
    expect(given.next().status?.plan).toEqual({
      inputs: expect.any(String) as string,
      problem: expect.stringMatching(/missing.*Delete that Revision/s) as string,
    });
    expect(pause).toBeLessThan(60);
  });

  test('an object that the account may not read is not known, and is asked for again soon', async () => {
    const given = await world({ spec: { serviceAccountName: 'installer' } });
    given.cluster.restrict(() => false);
    const pause = await given.run();
    expect(given.next().status?.plan?.unknown).toEqual([expect.stringContaining('extra') as string]);
    expect(pause).toBeLessThan(60);
  });

  test('an object of a kind that the cluster does not serve is named, and counts for the hash', async () => {
    const foreign = sample('monitoring.coreos.com/v1', 'ServiceMonitor', 'extra', { namespace: 'ops' });
    const given = await world({ after: [...NEW, foreign] });
    await given.run();
    const { plan } = given.next().status ?? {};
    expect(plan).toMatchObject({ risk: 'high' });
    expect(plan?.reasons?.[0]).toContain('ServiceMonitor.monitoring.coreos.com ops/extra');
    given.cluster.put(sampleCrd('ServiceMonitor', { group: 'monitoring.coreos.com' }));
    given.pass(600);
    await given.run();
    const served = given.next().status?.plan;
    expect([served?.risk, served?.hash === plan?.hash]).toEqual(['low', false]);
  });

  test('an object of a kind that the bundle itself defines need not be served yet', async () => {
    const own = [sampleCrd('Gizmo'), sample('example.com/v1', 'Gizmo', 'extra', { namespace: 'ops' })];
    const given = await world({ after: [...NEW, ...own] });
    await given.run();
    expect(given.next().status?.plan).toMatchObject({ risk: 'low' });
  });

  test('a plan that is too large for the status is cut there, and whole in its Secret', async () => {
    const many = Array.from({ length: 300 }, (_, at) =>
      sample('v1', 'Service', `${'long-'.repeat(100)}${at}`, { namespace: 'ops', spec: { type: 'NodePort' } }),
    );
    const given = await world({ after: [...NEW, ...many] });
    await given.run();
    expect(RevisionSchema.safeParse(given.next())).toMatchObject({ success: true });
    expect(given.next().status?.plan).toMatchObject({ risk: 'high', objects: { created: 301 } });
    expect(storedPlan(given).plan.risk.reasons.length).toBeGreaterThan(300);
    expect(storedPlan(given).omitted).toBeUndefined();
  });

  test('the status records which bytes the Secret has, so that a reader notices others', async () => {
    const given = await world();
    await given.run();
    const { secret, digest } = given.next().status?.plan ?? {};
    const stored = given.cluster.objects().find(({ metadata }) => metadata.name === secret);
    const bytes = Buffer.from(String(fieldsOf(stored?.['data'])['plan']), 'base64');
    expect(digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
  });

  test('a Secret of a person is left as it is, and the summary says where the whole plan is not', async () => {
    const given = await world();
    const name = planSecretName(given.next());
    const own = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'ops' },
      type: 'Opaque',
      data: { a: 'Yg==' },
    };
    given.cluster.put(own);
    await given.run();
    const { plan } = given.next().status ?? {};
    expect(plan).toMatchObject({
      hash: expect.any(String) as string,
      omitted: expect.stringContaining(name) as string,
    });
    expect(given.cluster.objects().find(({ metadata }) => metadata.name === name)).toMatchObject({
      data: { a: 'Yg==' },
    });
  });

  test('a plan that is too large names the parts that it leaves out, the longest first', async () => {
    const given = await world();
    await given.run();
    const stored = storedPlan(given);
    const omitted: (string | undefined)[] = [];
    for (let mostBytes = 900_000; omitted.length < 4;) {
      const packed = await packPlan(stored, mostBytes);
      const read = JSON.parse(gunzipSync(packed.bytes).toString()) as StoredPlan;
      expect(read.omitted).toBe(packed.omitted);
      omitted.push(packed.omitted);
      mostBytes = packed.bytes.length - 1;
    }
    expect(omitted).toEqual([
      undefined,
      'the fields of changed objects',
      'the objects, the images and the findings about CRDs',
      'the whole plan, which is too large for a Secret even without its lists',
    ]);
  });
});
