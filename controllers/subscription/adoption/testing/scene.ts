/** An operator that OLM has installed, and a manager that adopts it, in a cluster in memory. */
import { CSV_CLEANUP, OLM } from '../../../../adoption/olm-v0/kinds.ts';
import { findCondition } from '../../../../api/conditions.ts';
import { API_VERSION } from '../../../../api/names.ts';
import { describeRef, type Kind, type KubeObject, type ObjectRef } from '../../../../api/object.ts';
import type { Subscription } from '../../../../api/subscription.ts';
import { NEVER } from '../../../../api/testing/never.ts';
import { fieldsOf } from '../../../../api/untyped.ts';
import { createFakeCluster, type FakeCluster, type FakeOptions } from '../../../../kube/testing/fake-cluster.ts';
import type { EventFacts } from '../../../events.ts';
import { advanceAdoption, type Advance, type AdoptionDeps } from '../advance.ts';
import { Patience } from '../patience.ts';
import type { RenderPinned } from '../pinned.ts';

export const OWN = { apiVersion: API_VERSION, kind: 'Subscription', namespace: 'ops', name: 'gadget' };
export const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ops', name: 'gadget' };
export const BACKUP = {
  apiVersion: 'v1',
  kind: 'Secret',
  namespace: 'slipway-system',
  name: 'slipway-adoption.ops.gadget',
};
export const olm = (kind: keyof typeof OLM, name: string): ObjectRef => ({ ...OLM[kind], namespace: 'ops', name });
export const SPEC = {
  package: 'gadget-operator',
  certificates: 'Manager',
  approval: 'Automatic',
  adopt: { from: 'OLMv0', subscription: 'gadget' },
};

export function object(ref: ObjectRef, more: object = {}, metadata: object = {}): KubeObject {
  const { apiVersion, kind, namespace, name } = ref;
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }), ...metadata }, ...more };
}

/** A CRD that accepts any object. */
export function crdOf({ apiVersion, kind }: Kind): KubeObject {
  const [group = '', version = ''] = apiVersion.split('/');
  const plural = `${kind.toLowerCase()}s`;
  const names = { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() };
  const scope = ['Operator', 'ClusterExtension'].includes(kind) ? 'Cluster' : 'Namespaced';
  const versions = [{ name: version, served: true, storage: true, schema: {} }];
  const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `${plural}.${group}` };
  return object(ref, { spec: { group, scope, names, versions } });
}

/** OLM has installed the operator `gadget.v1` in `ops`, and Slipway's Subscription asks for it. */
export function clusterWith(spec: object = SPEC, options: FakeOptions = {}): FakeCluster {
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

export function own(cluster: FakeCluster): Subscription {
  return cluster.objects().find(({ apiVersion, kind }) => apiVersion === API_VERSION && kind === 'Subscription') as Subscription; // prettier-ignore
}

export const find = (cluster: FakeCluster, ref: ObjectRef): Promise<KubeObject | undefined> => cluster.get(ref);

/** Plays the roll-out: the version that OLM had is applied and works. */
function rollOut(cluster: FakeCluster): void {
  cluster.change(OWN, (one) => {
    const status = fieldsOf(one['status']);
    const conditions = (status['conditions'] as { type: string }[]).filter(({ type }) => type === 'Adopted');
    const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 1 }; // prettier-ignore
    const { version = '' } = (one as Subscription).status?.adoption ?? {};
    const installed = { bundle: 'gadget.v1', version };
    return { ...one, status: { ...status, observedGeneration: 1, installed, conditions: [...conditions, ready] } };
  });
}

export const adopted = (cluster: FakeCluster): ReturnType<typeof findCondition> =>
  findCondition(own(cluster).status?.conditions, 'Adopted');

export class Killed extends Error {}

/** A manager, or several one after the other. */
export class Adopter {
  readonly events: EventFacts[] = [];
  /** The Catalog has the version that OLM has installed, with this Deployment. */
  render: (pinned: Subscription) => Promise<readonly KubeObject[]> = async () => [object(DEPLOYMENT, { spec: {} })];
  /** Name of the bundle of that version. */
  bundle = 'gadget.v1';
  now = new Date(0);
  readonly #patience = new Patience();
  /** Plays OLM and the collector after each reconcile. */
  olm: (cluster: FakeCluster) => void = () => undefined;

  advance(cluster: FakeCluster, client: AdoptionDeps['client'] = cluster): Promise<Advance> {
    return this.advanceFor(own(cluster), client);
  }

  advanceFor(subscription: Subscription, client: AdoptionDeps['client']): Promise<Advance> {
    const deps = {
      client,
      namespace: 'slipway-system',
      now: () => this.now,
      sleep: async () => undefined,
      patience: this.#patience,
    };
    const record = (_: KubeObject, event: EventFacts): void => void this.events.push(event);
    const render: RenderPinned = async (pinned) => ({ bundle: this.bundle, objects: await this.render(pinned) });
    return advanceAdoption({ ...deps, record }, subscription, NEVER, render);
  }

  /** Until it is over; a process that is killed is followed by another one. */
  async toTheEnd(cluster: FakeCluster): Promise<readonly string[]> {
    const states: string[] = [];
    for (let rounds = 0; adopted(cluster)?.reason !== 'Adopted'; rounds++) {
      if (rounds > 100) throw new Error(`stands still: ${JSON.stringify(own(cluster).status)}`);
      const { state } = await this.advance(cluster).catch((error: unknown) => {
        if (error instanceof Killed) return { state: 'killed' };
        throw error;
      });
      if (states.at(-1) !== state) states.push(state);
      this.olm(cluster);
      if (own(cluster).status?.adoption?.stage === 'TakingOver') rollOut(cluster);
    }
    return states;
  }
}

export function writesOf({ requests }: FakeCluster): readonly string[] {
  const writes = requests.filter(({ verb }) => verb !== 'get' && verb !== 'list');
  return writes.map(({ verb, ref }) => `${verb} ${describeRef(ref)}`);
}
