/** An operator of OLM v0 is adopted by the manager, against a cluster in memory that plays OLM and the collector. */
import { beforeEach, describe, expect, test } from 'vitest';
import { CSV_CLEANUP, OLM } from '../../../adoption/olm-v0/kinds.ts';
import { findCondition } from '../../../api/conditions.ts';
import { ReasonedError } from '../../../api/errors.ts';
import { API_VERSION } from '../../../api/names.ts';
import { describeRef, type Kind, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { NEVER } from '../../../api/testing/never.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import { createFakeCluster, type FakeCluster, type FakeOptions } from '../../../kube/testing/fake-cluster.ts';
import type { EventFacts } from '../../events.ts';
import { advanceAdoption, type Advance, type AdoptionDeps } from './advance.ts';
import type { RenderPinned } from './refusal.ts';

const OWN = { apiVersion: API_VERSION, kind: 'Subscription', namespace: 'ops', name: 'gadget' };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ops', name: 'gadget' };
const BACKUP = { apiVersion: 'v1', kind: 'Secret', namespace: 'slipway-system', name: 'slipway-adoption.ops.gadget' };
const olm = (kind: keyof typeof OLM, name: string): ObjectRef => ({ ...OLM[kind], namespace: 'ops', name });
const SPEC = {
  package: 'gadget-operator',
  certificates: 'Manager',
  approval: 'Automatic',
  adopt: { from: 'OLMv0', subscription: 'gadget' },
};

let events: EventFacts[];

function object(ref: ObjectRef, more: object = {}, metadata: object = {}): KubeObject {
  const { apiVersion, kind, namespace, name } = ref;
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }), ...metadata }, ...more };
}

function crdOf({ apiVersion, kind }: Kind): KubeObject {
  const [group = '', version = ''] = apiVersion.split('/');
  const plural = `${kind.toLowerCase()}s`;
  const names = { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() };
  const scope = kind === 'Operator' ? 'Cluster' : 'Namespaced';
  const versions = [{ name: version, served: true, storage: true, schema: {} }];
  const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `${plural}.${group}` };
  return object(ref, { spec: { group, scope, names, versions } });
}

/** OLM has installed the operator `gadget.v1` in `ops`, and Slipway's Subscription asks for it. */
function clusterWith(spec: object = SPEC, options: FakeOptions = {}): FakeCluster {
  const cluster = createFakeCluster(options);
  for (const kind of Object.values(OLM)) cluster.put(crdOf(kind));
  const labels = { 'olm.managed': 'true', 'operators.coreos.com/gadget-operator.ops': '' };
  const owner = { ...OLM.csv, name: 'gadget.v1', uid: 'csv' };
  for (const one of [
    object({ apiVersion: 'v1', kind: 'Namespace', name: 'ops' }),
    object({ apiVersion: 'v1', kind: 'Namespace', name: 'slipway-system' }),
    object(
      olm('subscription', 'gadget'),
      {
        spec: { name: 'gadget-operator', channel: 'stable' },
        status: { installedCSV: 'gadget.v1', currentCSV: 'gadget.v1', state: 'AtLatestKnown' },
      },
      { uid: 'olm' },
    ),
    object(
      olm('csv', 'gadget.v1'),
      { spec: { version: '1.0.0' }, status: { phase: 'Succeeded' } },
      { uid: 'csv', finalizers: [CSV_CLEANUP], annotations: { 'olm.operatorGroup': 'all' } },
    ),
    object(olm('operatorGroup', 'all'), { spec: {}, status: { namespaces: [''] } }),
    object(DEPLOYMENT, { spec: {} }, { labels, ownerReferences: [owner] }),
    object(OWN, { spec, status: {} }, { uid: 'own', generation: 1 }),
  ])
    cluster.put(one);
  return cluster;
}

function own(cluster: FakeCluster): Subscription {
  return cluster.objects().find(({ apiVersion, kind }) => apiVersion === API_VERSION && kind === 'Subscription') as Subscription; // prettier-ignore
}

const find = (cluster: FakeCluster, ref: ObjectRef): Promise<KubeObject | undefined> => cluster.get(ref);

/** The Catalog has the version that OLM has installed, with this Deployment. */
let render: RenderPinned;

function advance(cluster: FakeCluster, client: AdoptionDeps['client'] = cluster): Promise<Advance> {
  const deps = { client, namespace: 'slipway-system', now: () => new Date(0), sleep: async () => undefined };
  const record = (_: KubeObject, event: EventFacts): void => void events.push(event);
  return advanceAdoption({ ...deps, record }, own(cluster), NEVER, render);
}

/** Plays the roll-out: the version that OLM had is applied and works. */
function rollOut(cluster: FakeCluster): void {
  cluster.change(OWN, (one) => {
    const status = fieldsOf(one['status']);
    const conditions = (status['conditions'] as { type: string }[]).filter(({ type }) => type === 'Adopted');
    const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 1 }; // prettier-ignore
    const installed = { bundle: 'gadget.v1', version: '1.0.0' };
    return { ...one, status: { ...status, observedGeneration: 1, installed, conditions: [...conditions, ready] } };
  });
}

const adopted = (cluster: FakeCluster): ReturnType<typeof findCondition> =>
  findCondition(own(cluster).status?.conditions, 'Adopted');

/** Until it is over; a process that is killed is followed by another one. */
async function toTheEnd(cluster: FakeCluster): Promise<readonly string[]> {
  const states: string[] = [];
  for (let rounds = 0; adopted(cluster)?.reason !== 'Adopted'; rounds++) {
    if (rounds > 100) throw new Error(`stands still: ${JSON.stringify(own(cluster).status)}`);
    const { state } = await advance(cluster).catch((error: unknown) => {
      if (error instanceof Killed) return { state: 'killed' };
      throw error;
    });
    if (states.at(-1) !== state) states.push(state);
    if (own(cluster).status?.adoption?.stage === 'TakingOver') rollOut(cluster);
  }
  return states;
}

class Killed extends Error {}

beforeEach(() => {
  events = [];
  render = async () => [object(DEPLOYMENT, { spec: {} })];
});

async function expectAdopted(cluster: FakeCluster): Promise<void> {
  expect(adopted(cluster)).toMatchObject({ status: 'True', reason: 'Adopted' });
  expect(own(cluster).status?.adoption).toEqual({
    subscription: 'gadget',
    stage: 'HandedOver',
    step: 'Done',
    version: '1.0.0',
    backup: { namespace: BACKUP.namespace, name: BACKUP.name },
  });
  expect(own(cluster).spec).toEqual(SPEC);
  expect(await find(cluster, olm('subscription', 'gadget'))).toBeUndefined();
  expect(await find(cluster, olm('csv', 'gadget.v1'))).toBeUndefined();
  expect((await find(cluster, BACKUP))?.metadata.annotations).toEqual({ 'slipway.dev/adoption-stage': 'HandedOver' });
  const { labels, annotations, ownerReferences } = (await find(cluster, DEPLOYMENT))?.metadata ?? {};
  expect({ labels, annotations, ownerReferences }).toEqual({
    labels: {},
    annotations: { 'slipway.dev/adopt-by': 'ops/gadget' },
    ownerReferences: [],
  });
}

describe('an operator is adopted', () => {
  test('nothing is installed before OLM has released it, then its version, then upgrades go on', async () => {
    const cluster = clusterWith();
    expect(await toTheEnd(cluster)).toEqual(['takingOver', 'none']);
    await expectAdopted(cluster);
    expect(events.map(({ reason }) => reason)).toEqual(['Adopting', 'Adopting', 'Adopting', 'Adopted']);
    expect(events.every(({ type }) => type === 'Normal')).toBe(true);
  });

  test('the same end is reached wherever the process is killed', async () => {
    let kills = 0;
    for (let at = 1; kills === at - 1; at++) {
      let writes = 0;
      const cluster = clusterWith(SPEC, {
        after: ({ verb }) => {
          if (verb === 'get' || verb === 'list' || ++writes !== at) return;
          kills += 1;
          throw new Killed(`after write ${at}`);
        },
      });
      await toTheEnd(cluster);
      await expectAdopted(cluster);
    }
    expect(kills).toBeGreaterThan(20);
  });

  test('although its Pods are replaced, if spec.adopt allows that', async () => {
    const cluster = clusterWith({ ...SPEC, adopt: { ...SPEC.adopt, restarts: 'Allow' } });
    render = async () => [object(DEPLOYMENT, { spec: { template: { spec: { hostNetwork: true } } } })];
    await toTheEnd(cluster);
    expect(adopted(cluster)?.reason).toBe('Adopted');
  });

  test('its version is rendered as if it were pinned, before anything is changed', async () => {
    const cluster = clusterWith({ ...SPEC, version: '>=2.0.0', approval: 'Manual' });
    const asked: Subscription['spec'][] = [];
    render = async ({ spec }) => {
      asked.push(spec);
      expect(await find(cluster, BACKUP)).toBeUndefined();
      return [];
    };
    await advance(cluster);
    expect(asked).toEqual([
      expect.objectContaining({ version: '1.0.0', approval: 'Automatic', dependencies: 'Ignore' }),
    ]);
  });

  test('it goes on although spec.adopt is taken out once OLM has released it', async () => {
    const cluster = clusterWith();
    await advance(cluster);
    const { adopt: _adopt, ...spec } = SPEC;
    cluster.change(OWN, (one) => ({ ...one, spec }));
    await toTheEnd(cluster);
    expect(adopted(cluster)?.reason).toBe('Adopted');
  });

  test('afterwards no request is sent for it', async () => {
    const cluster = clusterWith();
    await toTheEnd(cluster);
    const before = cluster.requests.length;
    expect(await advance(cluster)).toMatchObject({ state: 'none' });
    expect(cluster.requests).toHaveLength(before);
  });

  test('no request is sent while its version is rolled out', async () => {
    const cluster = clusterWith();
    await advance(cluster);
    const before = cluster.requests.length;
    expect(await advance(cluster)).toMatchObject({ state: 'takingOver', againSeconds: 2 });
    expect(cluster.requests).toHaveLength(before);
  });
});

describe('an operator is not adopted, and nothing but the status is written', () => {
  const failed = (cluster: FakeCluster): void =>
    cluster.change(olm('csv', 'gadget.v1'), (one) => ({ ...one, status: { phase: 'Failed' } }));
  test.each<{ because: string; spec?: object; change?: (cluster: FakeCluster) => void; says: string; reason?: string }>(
    [
      { because: 'it is of another package', spec: { ...SPEC, package: 'lamp' }, says: 'spec.package is "lamp"' },
      {
        because: 'it would watch other namespaces, with other Pods',
        spec: { ...SPEC, watchNamespaces: ['ops'] },
        says: 'spec.watchNamespaces is ["ops"], and OLM has absent',
      },
      {
        because: 'it would have another configuration, with other Pods',
        spec: { ...SPEC, config: { env: [{ name: 'A', value: 'b' }] } },
        says: 'spec.config is',
      },
      { because: 'it does not work', change: failed, says: 'NotSucceeded' },
      {
        because: 'OLM has no such Subscription',
        spec: { ...SPEC, adopt: { ...SPEC.adopt, subscription: 'lamp' } },
        says: 'SubscriptionNotFound',
      },
    ],
  )('$because', async ({ spec, change, says, reason = 'AdoptionRefused' }) => {
    const cluster = clusterWith(spec);
    change?.(cluster);
    expect(await advance(cluster)).toMatchObject({ state: 'holding', againSeconds: 30 });
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason });
    expect(adopted(cluster)?.message).toContain(says);
    expect(findCondition(own(cluster).status?.conditions, 'Stalled')?.reason).toBe(reason);
    expect(writesOf(cluster)).toEqual(['patch Subscription.slipway.dev ops/gadget']);
    expect(events.map(({ type }) => type)).toEqual(['Warning']);
    await advance(cluster);
    expect(events).toHaveLength(1);
  });

  const dependent = (cluster: FakeCluster): void => {
    const required = [{ name: 'gadgets.example.com', version: 'v1', kind: 'Gadget' }];
    const [owned, requires] = [{ owned: required }, { required }].map((one) => ({ customresourcedefinitions: one }));
    cluster.change(olm('csv', 'gadget.v1'), (one) => ({ ...one, spec: { ...fieldsOf(one['spec']), ...owned } }));
    cluster.put(object(olm('csv', 'lamp.v1'), { spec: requires, status: { phase: 'Succeeded' } }, { uid: 'lamp' }));
  };

  test.each<{
    because: string;
    change?: (cluster: FakeCluster) => void;
    render?: RenderPinned;
    reason: string;
    says: string;
  }>([
    {
      because: 'another operator requires it, and OLM would install it again',
      change: dependent,
      reason: 'AdoptionRefused',
      says: 'Required: lamp.v1 of the same namespace requires it',
    },
    {
      because: 'its Pods would be replaced',
      render: async () => [object(DEPLOYMENT, { spec: { template: { spec: { hostNetwork: true } } } })],
      reason: 'AdoptionRefused',
      says: 'the Pods of Deployment.apps ops/gadget would be replaced (spec.template',
    },
    {
      because: 'no Catalog has its version',
      render: () =>
        Promise.reject(new ReasonedError({ reason: 'VersionNotFound', retry: 'backoff', message: 'no 1.0.0' })),
      reason: 'VersionNotFound',
      says: 'no 1.0.0',
    },
  ])('$because', async ({ change, render: rendered = render, reason, says }) => {
    const cluster = clusterWith();
    change?.(cluster);
    render = rendered;
    expect(await advance(cluster)).toMatchObject({ state: 'holding', againSeconds: 30 });
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason });
    expect(adopted(cluster)?.message).toContain(says);
    expect(await find(cluster, BACKUP)).toBeUndefined();
    expect(new Set(writesOf(cluster))).toEqual(
      new Set(
        reason === 'AdoptionRefused' && change === undefined
          ? ['patch Subscription.slipway.dev ops/gadget', 'apply Deployment.apps ops/gadget']
          : ['patch Subscription.slipway.dev ops/gadget'],
      ),
    );
  });

  test('OLM is at work on it: that passes by itself', async () => {
    const cluster = clusterWith();
    cluster.change(olm('csv', 'gadget.v1'), (one) => ({ ...one, status: { phase: 'Installing' } }));
    expect(await advance(cluster)).toMatchObject({ state: 'holding', againSeconds: 2 });
    expect(adopted(cluster)?.reason).toBe('Adopting');
    expect(findCondition(own(cluster).status?.conditions, 'Reconciling')?.reason).toBe('Adopting');
  });

  test('another Subscription of Slipway has begun to adopt it', async () => {
    const cluster = clusterWith();
    await advance(cluster);
    cluster.put(object({ ...OWN, name: 'other' }, { spec: SPEC, status: {} }, { uid: 'other', generation: 1 }));
    const other = (await find(cluster, { ...OWN, name: 'other' })) as Subscription;
    const deps = { client: cluster, namespace: 'slipway-system', now: () => new Date(0), sleep: async () => undefined };
    await advanceAdoption({ ...deps, record: () => undefined }, other, NEVER, render);
    const { status } = (await find(cluster, { ...OWN, name: 'other' })) as Subscription;
    expect(findCondition(status?.conditions, 'Adopted')?.message).toContain('handed over to Subscription gadget');
  });

  test('the Subscription has installed an operator by itself, which goes on', async () => {
    const cluster = clusterWith();
    cluster.change(OWN, (one) => ({ ...one, status: { installed: { bundle: 'gadget.v1', version: '1.0.0' } } }));
    expect(await advance(cluster)).toMatchObject({ state: 'none' });
    expect(adopted(cluster)?.reason).toBe('AdoptionRefused');
    expect(findCondition(own(cluster).status?.conditions, 'Ready')).toBeUndefined();
  });

  test('the cluster has no OLM, as when it is built again from Git: the operator is installed', async () => {
    const cluster = createFakeCluster();
    cluster.put(object({ apiVersion: 'v1', kind: 'Namespace', name: 'ops' }));
    cluster.put(object(OWN, { spec: SPEC, status: {} }, { uid: 'own', generation: 1 }));
    expect(await advance(cluster)).toMatchObject({ state: 'none' });
    expect(adopted(cluster)).toBeUndefined();
  });
});

describe('the rights', () => {
  const isOlms = ({ apiVersion }: ObjectRef): boolean => apiVersion.startsWith('operators.coreos.com/');

  test("without rights on OLM's objects nothing is changed, and the condition names the overlay and the command", async () => {
    const cluster = clusterWith();
    const manager = cluster.actingAs('manager', ({ verb, ref }) => verb === 'list' || !isOlms(ref));
    expect(await advance(cluster, manager)).toMatchObject({ state: 'holding', againSeconds: 30 });
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason: 'Forbidden' });
    expect(adopted(cluster)?.message).toContain('deploy/overlays/adoption-olm-v0');
    expect(adopted(cluster)?.message).toContain('slipway adopt run ops/gadget');
    expect(writesOf(cluster)).toEqual(['patch Subscription.slipway.dev ops/gadget']);
  });

  const tenants = { ...SPEC, serviceAccountName: 'installer' };
  const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'of-others' };

  test('of a tenant without any on OLM: nothing is changed, and no backup is kept', async () => {
    const cluster = clusterWith(tenants);
    cluster.restrict(({ ref }) => !isOlms(ref));
    await advance(cluster);
    expect(adopted(cluster)).toMatchObject({ reason: 'Forbidden' });
    expect(adopted(cluster)?.message).toContain('ServiceAccount installer');
    expect(writesOf(cluster)).toEqual(['patch Subscription.slipway.dev ops/gadget']);
  });

  test.each([
    { because: 'it may not take the marks of OLM off', verbs: 'patch' },
    { because: 'it may not delete what it takes over', verbs: 'delete' },
  ])('of a tenant that lack one in the middle are found before the first step: $because', async ({ verbs }) => {
    const cluster = clusterWith(tenants);
    cluster.restrict(({ verb, ref }) => verb !== verbs || ref.kind !== 'Deployment');
    await advance(cluster);
    expect(adopted(cluster)).toMatchObject({ reason: 'Forbidden' });
    expect(adopted(cluster)?.message).toContain('grant it this right');
    expect(await find(cluster, BACKUP)).toBeUndefined();
    expect(await find(cluster, olm('subscription', 'gadget'))).toBeDefined();
  });

  test('of a tenant who has an InstallPlan name an object of others: it is not changed, and OLM keeps the operator', async () => {
    const cluster = clusterWith(tenants);
    const labels = { 'olm.managed': 'true' };
    cluster.put(object(ROLE, { rules: [] }, { labels }));
    const resource = { group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole', name: ROLE.name };
    cluster.put(object(olm('installPlan', 'install-x'), { status: { plan: [{ resolving: 'gadget.v1', resource }] } }));
    const isTheirs = ({ namespace }: ObjectRef): boolean => namespace === 'ops';
    cluster.restrict(({ verb, ref }) => verb === 'get' || verb === 'list' || isTheirs(ref));
    await advance(cluster);
    expect(adopted(cluster)).toMatchObject({ reason: 'Forbidden' });
    expect(adopted(cluster)?.message).toContain('of-others');
    expect((await find(cluster, ROLE))?.metadata).toMatchObject({ labels });
    expect((await find(cluster, ROLE))?.metadata.annotations).toBeUndefined();
    expect(own(cluster).status?.adoption?.stage).toBe('Preparing');
  });

  test('of a tenant suffice for an operator that has objects in the namespace only', async () => {
    const cluster = clusterWith(tenants);
    const isTheirs = ({ namespace }: ObjectRef): boolean => namespace === 'ops';
    cluster.restrict(({ verb, ref }) => verb === 'get' || verb === 'list' || isTheirs(ref));
    await toTheEnd(cluster);
    expect(adopted(cluster)?.reason).toBe('Adopted');
    expect(await find(cluster, BACKUP)).toBeDefined();
  });
});

function writesOf({ requests }: FakeCluster): readonly string[] {
  const writes = requests.filter(({ verb }) => verb !== 'get' && verb !== 'list');
  return writes.map(({ verb, ref }) => `${verb} ${describeRef(ref)}`);
}
