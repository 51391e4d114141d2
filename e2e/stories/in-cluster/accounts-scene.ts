/**
 * A namespace in which an administrator, the manager and teams have Subscriptions, each acting as another account, and
 * those who want to do something about them.
 */
import { ANNOTATION, API_VERSION, FINALIZER, LABEL } from '../../../api/names.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { SYSTEM } from '../../lib/manager.ts';
import type { Act, Person } from './persons.ts';

export const NAMESPACE = 'lights';

/** Their rights are given in setAccountsScene. */
export const PERSONS = {
  /** Administers the cluster. */
  admin: { user: 'alice', groups: ['system:masters'] },
  /** Has the role `edit`, and the rights that the guide gives to a team. */
  tina: { user: 'tina', groups: ['team'] },
  /** Has the role `edit`, and every right on Subscriptions, Revisions and their status. */
  theo: { user: 'theo', groups: ['tenants'] },
  /** Has every right on Subscriptions and Revisions, and may impersonate `installer`. */
  mona: { user: 'mona', groups: ['members'] },
  /** Has every right on Subscriptions and Revisions, and may impersonate no account. */
  clark: { user: 'clark', groups: ['clerks'] },
  /** Has every right on Subscriptions and Revisions, and may impersonate the manager. */
  paula: { user: 'paula', groups: ['platform'] },
  manager: { user: `system:serviceaccount:${SYSTEM}:slipway-manager` },
  collector: { user: 'system:serviceaccount:kube-system:generic-garbage-collector' },
  /** kube-controller-manager where its controllers have no accounts of their own. */
  controllers: { user: 'system:kube-controller-manager', groups: ['clerks'] },
} as const satisfies Record<string, Person>;

/** Gives the persons their rights, and makes the Subscriptions and Revisions that the cases are about. */
export async function setAccountsScene(cluster: TestCluster): Promise<void> {
  const create = (...args: readonly string[]): Promise<string> => cluster.kubectl(['create', ...args]);
  await create('namespace', NAMESPACE);
  for (const account of ['installer', 'auditor']) await create('serviceaccount', account, '-n', NAMESPACE);
  const bind = (group: string, role: string): Promise<string> =>
    create(
      'rolebinding',
      `${group}-${role.replace('/', '-')}`,
      '-n',
      NAMESPACE,
      `--${role.replace('/', '=')}`,
      `--group=${group}`,
    );
  await create('clusterrole', 'subscribe', '--verb=*', '--resource=subscriptions.slipway.dev');
  await create('clusterrole', 'approve', '--verb=get,list,watch,patch', '--resource=revisions.slipway.dev');
  const all = ['subscriptions', 'revisions'].flatMap((kind) => [`${kind}.slipway.dev`, `${kind}.slipway.dev/status`]);
  await create('clusterrole', 'everything', '--verb=*', `--resource=${all.join(',')}`);
  const impersonate = ['--verb=impersonate', '--resource=serviceaccounts'];
  await create('role', 'act-as-installer', '-n', NAMESPACE, ...impersonate, '--resource-name=installer');
  await create('role', 'act-as-manager', '-n', SYSTEM, ...impersonate, '--resource-name=slipway-manager');
  await create('rolebinding', 'platform', '-n', SYSTEM, '--role=act-as-manager', '--group=platform');
  for (const role of ['clusterrole/edit', 'clusterrole/subscribe', 'clusterrole/approve']) await bind('team', role);
  for (const group of ['tenants', 'members', 'clerks', 'platform']) await bind(group, 'clusterrole/everything');
  await bind('tenants', 'clusterrole/edit');
  await bind('members', 'role/act-as-installer');
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: THERE }));
}

interface Made {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** As the manager would have marked it. */
export const MARKS = {
  labels: { team: 'lights', [LABEL.dependency]: 'true' },
  annotations: { note: 'old', [ANNOTATION.requestedBy]: '0' },
  finalizers: [FINALIZER],
};

export function subscription(name: string, spec: object, metadata: object = {}): Made {
  return {
    apiVersion: API_VERSION,
    kind: 'Subscription',
    metadata: { name, namespace: NAMESPACE, ...metadata },
    spec: { package: 'beacon-operator', ...spec },
  };
}

export function revision(name: string, spec: object, metadata: object = {}): Made {
  return {
    apiVersion: API_VERSION,
    kind: 'Revision',
    metadata: { name, namespace: NAMESPACE, ...metadata },
    spec: {
      subscription: name.replace(/-\d+$/, ''),
      number: 1,
      package: 'beacon-operator',
      bundle: 'beacon-operator.v1.0.0',
      version: '1.0.0',
      catalog: 'examples',
      image: `registry.example/beacon@sha256:${'0'.repeat(64)}`,
      configHash: 'x',
      manifests: { secrets: ['mine'], digest: `sha256:${'0'.repeat(64)}`, objects: 1 },
      certificates: 'Manager',
      state: 'Archived',
      approved: false,
      ...spec,
    },
  };
}

export const OWNER = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'owner',
  uid: '11111111-1111-1111-1111-111111111111',
};

/** `managers` acts as the manager, `own` as installer, `other` as auditor; of each there is a Revision that waits. */
const ACCOUNTS = { managers: {}, own: { serviceAccountName: 'installer' }, other: { serviceAccountName: 'auditor' } };
const THERE: readonly Made[] = Object.entries(ACCOUNTS).flatMap(([name, account]) => [
  subscription(name, account, MARKS),
  revision(`${name}-1`, account, MARKS),
]);

export type Kind = 'subscriptions' | 'revisions';

export function pathTo(kind: Kind, name = ''): string {
  return `/apis/${API_VERSION}/namespaces/${NAMESPACE}/${kind}${name && `/${name}`}`;
}

export function create(made: Made): Act {
  return { method: 'POST', path: pathTo(`${made.kind.toLowerCase()}s` as Kind), body: made };
}

/** JSON merge patch, as `kubectl patch` and `kubectl annotate` send one. */
export function merge(path: string, body: object): Act {
  return { method: 'PATCH', path, body, type: 'application/merge-patch+json' };
}

export function jsonPatch(path: string, body: readonly object[]): Act {
  return { method: 'PATCH', path, body, type: 'application/json-patch+json' };
}

/** Server-side apply; a field that is not named and has no other manager is taken away. */
export function apply(made: Made, path = pathTo(`${made.kind.toLowerCase()}s` as Kind, made.metadata.name)): Act {
  const query = { fieldManager: 'kubectl', force: 'true' };
  return { method: 'PATCH', path, body: made, type: 'application/apply-patch+yaml', query };
}

/** As `kubectl replace`: sends the new object, without fields of the existing one. */
export function replace(made: Made): Act {
  return { method: 'PUT', path: pathTo(`${made.kind.toLowerCase()}s` as Kind, made.metadata.name), body: made };
}

export function remove(path: string, query: Readonly<Record<string, string>> = {}): Act {
  return { method: 'DELETE', path, query };
}

export function metadata(fields: object): object {
  return { metadata: fields };
}
