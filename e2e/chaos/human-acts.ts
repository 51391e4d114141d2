/** What people do to a Subscription and to the objects of its operator, with good reason or by mistake. */
import type { Revision } from '../../api/revision.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { list, pathOf } from '../lib/objects.ts';
import { requestReconcile } from '../lib/writes.ts';
import type { Person } from './person.ts';

export interface HumanAct {
  readonly name: string;
  readonly weight: number;
  /** Rejects if the API server refuses it. */
  readonly carryOut: (cluster: TestCluster, person: Person) => Promise<unknown>;
}

const ON_FAILURE = { bakeTime: '0s', progressDeadline: '5s' };

const subscribe =
  (spec: (person: Person) => object): HumanAct['carryOut'] =>
  (_, person) =>
    person.subscribe({ onFailure: ON_FAILURE, ...spec(person) });

const patch =
  (kind: string, change: object, suffix = ''): HumanAct['carryOut'] =>
  (cluster, { operator: { name } }) =>
    cluster.request('PATCH', pathOf(kind, `${name}${suffix}`, name), change);

const remove =
  (kind: string, suffix = ''): HumanAct['carryOut'] =>
  (cluster, { operator: { name } }) =>
    cluster.request('DELETE', pathOf(kind, `${name}${suffix}`, name));

export const HUMAN_ACTS: readonly HumanAct[] = [
  {
    name: 'install the old version',
    weight: 5,
    carryOut: subscribe(({ operator }) => ({ version: operator.versions.old })),
  },
  { name: 'upgrade', weight: 5, carryOut: subscribe(({ operator }) => ({ version: operator.versions.next })) },
  {
    name: 'upgrade to a version that fails',
    weight: 3,
    carryOut: subscribe(({ operator: { versions } }) => ({ version: `${versions.old} || ${versions.bad}` })),
  },
  {
    name: 'configure',
    weight: 3,
    carryOut: subscribe(({ operator }) => ({
      version: operator.versions.next,
      config: { env: [{ name: 'A', value: '1' }] },
    })),
  },
  {
    name: 'upgrade with approval',
    weight: 2,
    carryOut: subscribe(({ operator }) => ({ version: operator.versions.next, approval: 'Manual' })),
  },
  { name: 'approve', weight: 2, carryOut: approve },
  { name: 'uninstall', weight: 4, carryOut: (_, person) => person.unsubscribe() },
  { name: 'suspend', weight: 1, carryOut: patch('subscription', { spec: { suspend: true } }) },
  { name: 'resume', weight: 2, carryOut: patch('subscription', { spec: { suspend: false } }) },
  {
    name: 'request a reconcile',
    weight: 2,
    carryOut: (cluster, { operator: { name } }) =>
      requestReconcile(cluster, { kind: 'subscription', name, namespace: name }),
  },
  { name: 'create a custom resource', weight: 3, carryOut: (_, person) => person.createInstance() },
  { name: 'delete a custom resource', weight: 2, carryOut: (_, person) => person.deleteInstance() },
  { name: 'delete the Deployment', weight: 2, carryOut: remove('deployment') },
  { name: 'scale the Deployment', weight: 2, carryOut: patch('deployment', { spec: { replicas: 2 } }) },
  { name: 'edit a ConfigMap', weight: 2, carryOut: patch('configmap', { data: { version: 'mine' } }, '-same') },
  { name: 'delete a ConfigMap', weight: 2, carryOut: remove('configmap', '-both') },
];

async function approve(cluster: TestCluster, { operator: { name } }: Person): Promise<void> {
  const newest = (await list<Revision>(cluster, 'revision', { namespace: name })).toSorted(
    (a, b) => b.spec.number - a.spec.number,
  )[0];
  if (newest === undefined) throw new Error('there is no Revision to approve');
  await cluster.request('PATCH', pathOf('revision', newest.metadata.name, name), { spec: { approved: true } });
}
