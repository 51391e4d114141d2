/**
 * The policy that is installed with Slipway: who decides what a Subscription installs may impersonate the account as
 * which it acts, before the change and after it. Most is rehearsed, so that each case finds the scene as it was.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, restartCollector, ROOT } from '../../lib/manager.ts';
import { until } from '../../lib/until.ts';
import { TEAM_CASES } from './accounts-cases.ts';
import {
  apply,
  create,
  merge,
  metadata,
  NAMESPACE,
  pathTo,
  PERSONS,
  remove,
  revision,
  setAccountsScene,
  subscription,
} from './accounts-scene.ts';
import { openPersons, type Act, type Outcome, type Persons } from './persons.ts';

const cluster = useCluster();
const kubectl = (...args: readonly string[]): Promise<string> => cluster().kubectl(args);
let persons: Persons;

const managers = pathTo('subscriptions', 'managers');
const own = pathTo('subscriptions', 'own');
const other = pathTo('subscriptions', 'other');
const installer = { serviceAccountName: 'installer' };
const { admin, tina, theo, manager, collector, controllers } = PERSONS;

beforeAll(async () => {
  await installSlipway(cluster());
  await restartCollector(cluster());
  await setAccountsScene(cluster());
  persons = await openPersons(cluster());
  const refusal = async (): Promise<boolean> =>
    (await persons.rehearse(theo, create(subscription('probe', {})))).outcome === 'policy';
  await until('the policy is at work', refusal);
  const mayImpersonate = async (): Promise<boolean> =>
    (await persons.rehearse(theo, create(subscription('probe', installer)))).outcome === 'accepted';
  await until('the role edit is put together', mayImpersonate);
});
afterAll(() => persons?.[Symbol.asyncDispose]());

test('the policy has no findings of the API server about its expressions', async () => {
  const policy = JSON.parse(await kubectl('get', 'validatingadmissionpolicy', 'slipway-accounts', '-o', 'json')) as {
    readonly status?: { readonly typeChecking?: { readonly expressionWarnings?: readonly object[] } };
  };
  expect(policy.status?.typeChecking?.expressionWarnings ?? []).toEqual([]);
});

describe('a team with the rights of the guide', () => {
  test.each(TEAM_CASES)('$what: $tina, because $because', async ({ act, tina: wanted }) => {
    expect((await persons.rehearse(tina, act)).outcome).toBe(wanted);
  });
});

describe('a team with every right on Subscriptions and Revisions', () => {
  test.each(TEAM_CASES)('$what, because $because', async ({ act, tina: guide, theo: wanted = guide }) => {
    expect((await persons.rehearse(theo, act)).outcome).toBe(wanted);
  });
});

describe('the account', () => {
  const CASES: readonly { who: keyof typeof PERSONS; act: Act; wanted: Outcome; because: string }[] = [
    {
      who: 'mona',
      act: create(subscription('new', installer)),
      wanted: 'accepted',
      because: 'she may impersonate installer',
    },
    {
      who: 'mona',
      act: create(subscription('new', { serviceAccountName: 'auditor' })),
      wanted: 'policy',
      because: 'she may not impersonate auditor',
    },
    { who: 'mona', act: merge(other, { spec: { channel: 'x' } }), wanted: 'policy', because: 'it acts as auditor' },
    { who: 'mona', act: merge(other, { spec: installer }), wanted: 'policy', because: 'what was is asked about' },
    {
      who: 'mona',
      act: merge(own, { spec: { serviceAccountName: 'auditor' } }),
      wanted: 'policy',
      because: 'what will be is asked about',
    },
    { who: 'mona', act: remove(other), wanted: 'policy', because: 'it acts as auditor' },
    { who: 'mona', act: remove(own), wanted: 'accepted', because: 'it acts as installer' },
    {
      who: 'mona',
      act: merge(pathTo('revisions', 'other-1'), { spec: { approved: true } }),
      wanted: 'policy',
      because: 'it is applied as auditor',
    },
    {
      who: 'mona',
      act: merge(pathTo('revisions', 'own-1'), { spec: { approved: true } }),
      wanted: 'accepted',
      because: 'it is applied as installer',
    },
    {
      who: 'clark',
      act: create(subscription('new', installer)),
      wanted: 'policy',
      because: 'to name an account is to act as it',
    },
    { who: 'clark', act: remove(own), wanted: 'policy', because: 'rights on Subscriptions alone are not enough' },
    {
      who: 'clark',
      act: merge(own, metadata({ annotations: { note: 'x' } })),
      wanted: 'accepted',
      because: 'notes are left to RBAC',
    },
    { who: 'paula', act: create(subscription('new', {})), wanted: 'accepted', because: 'she may act as the manager' },
    {
      who: 'paula',
      act: create(subscription('new', installer)),
      wanted: 'accepted',
      because: 'as the manager she may act as each account',
    },
    {
      who: 'paula',
      act: merge(managers, { spec: installer }),
      wanted: 'accepted',
      because: 'handed over by a user who may act as both',
    },
    { who: 'paula', act: remove(managers), wanted: 'accepted', because: 'she may act as the manager' },
    { who: 'paula', act: remove(pathTo('subscriptions')), wanted: 'accepted', because: 'she may act as each' },
    {
      who: 'admin',
      act: merge(managers, { spec: installer }),
      wanted: 'accepted',
      because: 'an administrator may do everything',
    },
    {
      who: 'admin',
      act: create(revision('new-1', {})),
      wanted: 'accepted',
      because: 'an administrator may do everything',
    },
    {
      who: 'admin',
      act: remove(pathTo('revisions')),
      wanted: 'accepted',
      because: 'an administrator may do everything',
    },
  ];
  test.each(CASES)('$who is answered "$wanted": $because', async ({ who, act, wanted }) => {
    expect((await persons.rehearse(PERSONS[who], act)).outcome).toBe(wanted);
  });
});

describe('the manager is not in its own way when it', () => {
  const marks = metadata({ labels: { 'slipway.dev/x': 'y' }, annotations: { 'slipway.dev/x': 'y' } });
  const CASES: readonly { what: string; act: Act }[] = [
    { what: 'makes a Subscription that others depend on', act: create(subscription('needed', {})) },
    { what: 'makes one that acts as an account', act: create(subscription('needed', installer)) },
    { what: 'takes off the finalizer of a Subscription', act: merge(managers, metadata({ finalizers: null })) },
    { what: 'puts one onto a Subscription of a team', act: merge(own, metadata({ finalizers: ['a.example/b'] })) },
    { what: 'marks a Subscription', act: merge(own, marks) },
    { what: 'removes a dependency', act: remove(own) },
    { what: 'writes the status of a Subscription', act: merge(`${own}/status`, { status: { quarantined: [] } }) },
    { what: 'makes a Revision', act: create(revision('new-1', {})) },
    { what: 'makes one that acts as an account', act: create(revision('new-1', installer)) },
    { what: 'makes a Revision active', act: merge(pathTo('revisions', 'own-1'), { spec: { state: 'Active' } }) },
    {
      what: 'archives and approves at once',
      act: merge(pathTo('revisions', 'own-1'), { spec: { approved: true, state: 'Archived' } }),
    },
    {
      what: 'takes off the finalizer of a Revision',
      act: merge(pathTo('revisions', 'own-1'), metadata({ finalizers: null })),
    },
    { what: 'marks a Revision', act: merge(pathTo('revisions', 'managers-1'), marks) },
    { what: 'deletes a Revision', act: remove(pathTo('revisions', 'managers-1')) },
    {
      what: 'writes an inventory',
      act: merge(`${pathTo('revisions', 'own-1')}/status`, { status: { inventory: [] } }),
    },
  ];
  test.each(CASES)('$what', async ({ act }) => {
    expect(await persons.rehearse(manager, act)).toEqual({ outcome: 'accepted', message: '' });
  });
});

describe('Kubernetes itself', () => {
  test.each([
    { who: 'the garbage collector', as: collector },
    { who: 'a kube-controller-manager without accounts of its controllers', as: controllers },
  ])('may carry out what others were allowed to do, as $who', async ({ as }) => {
    for (const act of [remove(managers), merge(managers, metadata({ finalizers: null, ownerReferences: null }))])
      expect((await persons.rehearse(as, act)).outcome).toBe('accepted');
  });

  test('empties a namespace that is deleted, Subscriptions of all accounts in it', async () => {
    await kubectl('create', 'namespace', 'doomed');
    for (const spec of [{}, installer]) {
      const made = subscription(spec === installer ? 'own' : 'managers', spec);
      await applied({ ...made, metadata: { ...made.metadata, namespace: 'doomed' } });
    }
    await kubectl('delete', 'namespace', 'doomed', '--timeout=180s');
  });

  test.each(['background', 'foreground', 'orphan'])('carries out a deletion with --cascade=%s', async (cascade) => {
    await kubectl('-n', NAMESPACE, 'create', 'configmap', 'owner');
    const uid = await kubectl('-n', NAMESPACE, 'get', 'configmap', 'owner', '-o', 'jsonpath={.metadata.uid}');
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true };
    await applied(subscription('owned', {}, { ownerReferences: [owner] }));
    await kubectl('-n', NAMESPACE, 'delete', 'configmap', 'owner', `--cascade=${cascade}`, '--timeout=180s');
    if (cascade === 'orphan') {
      const owners = ['get', 'subscription', 'owned', '-o', 'jsonpath={.metadata.ownerReferences}'];
      await until('it has no owner', async () => (await kubectl('-n', NAMESPACE, ...owners)) === '');
      await kubectl('-n', NAMESPACE, 'delete', 'subscription', 'owned');
    }
    await kubectl('-n', NAMESPACE, 'wait', '--for=delete', 'subscription/owned', '--timeout=180s');
  });

  test('deletes the Revisions of a Subscription that is deleted in the foreground', async () => {
    await applied(subscription('parent', installer));
    const uid = await kubectl('-n', NAMESPACE, 'get', 'subscription', 'parent', '-o', 'jsonpath={.metadata.uid}');
    const owner = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', name: 'parent', uid };
    const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
    await applied(revision('parent-1', installer, { ownerReferences }));
    const foreground = remove(pathTo('subscriptions', 'parent'), { propagationPolicy: 'Foreground' });
    expect((await persons.send(theo, foreground)).outcome).toBe('accepted');
    const gone = ['wait', '--for=delete', 'subscription/parent', 'revision/parent-1', '--timeout=180s'];
    await kubectl('-n', NAMESPACE, ...gone);
  });
});

describe('in the scenes of the review', () => {
  const setScene = (name: string): Promise<unknown> =>
    applied(subscription(name, {}, { finalizers: ['slipway.dev/cleanup'] }));

  test.each([tina, theo])('an administrator’s Subscription is neither taken over nor deleted by $user', async (who) => {
    await setScene('astore');
    const path = pathTo('subscriptions', 'astore');
    const destroy = { uninstall: { customResources: 'Delete' } };
    for (const spec of [destroy, { ...installer, ...destroy }, installer])
      expect((await persons.send(who, merge(path, { spec }))).outcome).toBe('policy');
    for (const act of [remove(path), remove(pathTo('subscriptions'), { fieldSelector: 'metadata.name=astore' })])
      expect((await persons.send(who, act)).outcome).toBe('policy');
    const left = JSON.parse(await kubectl('-n', NAMESPACE, 'get', 'subscription', 'astore', '-o', 'json')) as {
      readonly spec: object;
      readonly metadata: object;
    };
    expect(left.spec).not.toHaveProperty('serviceAccountName');
    expect(left.metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('a tenant deletes neither an administrator’s Subscription nor its Revision', async () => {
    for (const act of [remove(managers), remove(pathTo('revisions', 'managers-1'))])
      expect((await persons.send(theo, act)).outcome).toBe('policy');
  });
});

describe('as large as the API server takes them', () => {
  /** Keys of three letters cost the most comparisons for their length. */
  const keys = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index.toString(36)}`, '']));
  const path = pathTo('subscriptions', 'wide');
  const another = merge(path, { spec: { channel: 'x' } });

  test.each([
    { what: 'labels', fields: { labels: keys(30_000) }, because: 'they have no limit of their own' },
    { what: 'annotations', fields: { annotations: keys(40_000) }, because: 'each field manager names them once more' },
    {
      what: 'a long annotation',
      fields: { annotations: { a: 'x'.repeat(1025) } },
      because: 'they have a limit together',
    },
  ])('an administrator’s Subscription is not filled with $what by a team: $because', async ({ fields }) => {
    await applied(subscription('wide', {}));
    for (const who of [tina, theo])
      expect((await persons.send(who, merge(path, metadata(fields)))).outcome).toBe('policy');
  });

  test('an administrator’s Subscription has no more than 16 field managers by a team', async () => {
    await applied(subscription('wide', {}));
    const own = (name: string): Act => ({
      ...apply(subscription('wide', {}, { labels: { team: 'lights' } })),
      query: { fieldManager: name, force: 'true' },
    });
    const outcomes: string[] = [];
    for (let index = 0; index < 20; index++) outcomes.push((await persons.send(tina, own(`m${index}`))).outcome);
    expect(outcomes.slice(0, 3)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(outcomes.at(-1)).toBe('policy');
    expect((await persons.rehearse(admin, own('another'))).outcome).toBe('accepted');
  });

  test('an administrator’s Subscription is annotated as far as the API server takes it by administrators', async () => {
    const annotated = merge(path, metadata({ annotations: keys(40_000) }));
    expect((await persons.send(admin, annotated)).outcome).toBe('accepted');
  });

  test('an administrator’s Subscription can still be written by administrators and the manager', async () => {
    expect((await persons.send(admin, merge(path, metadata({ labels: keys(30_000) })))).outcome).toBe('accepted');
    const finalizers = metadata({ finalizers: ['slipway.dev/cleanup'] });
    for (const who of [manager, admin])
      for (const act of [another, merge(path, finalizers), remove(path)])
        expect(await persons.rehearse(who, act)).toEqual({ outcome: 'accepted', message: '' });
    for (const act of [another, remove(path)]) expect((await persons.rehearse(theo, act)).outcome).toBe('policy');
  });
});

describe('a refusal names the user, the missing right, the ServiceAccount, and the remedy', () => {
  const CASES: readonly { who: keyof typeof PERSONS; act: Act; says: readonly string[] }[] = [
    {
      who: 'theo',
      act: create(subscription('new', {})),
      says: [
        'without spec.serviceAccountName Subscription lights/new would act as the manager',
        'theo may not impersonate ServiceAccount slipway-system/slipway-manager',
        'name a ServiceAccount of the namespace',
      ],
    },
    {
      who: 'clark',
      act: create(subscription('new', installer)),
      says: [
        'Subscription lights/new would act as ServiceAccount lights/installer, which clark may not impersonate',
        'ask an administrator of the namespace for that right',
      ],
    },
    {
      who: 'theo',
      act: remove(managers),
      says: [
        'Subscription lights/managers names no ServiceAccount and acts as the manager',
        'theo may not impersonate ServiceAccount slipway-system/slipway-manager',
        'ask an administrator of the cluster',
      ],
    },
    {
      who: 'clark',
      act: remove(own),
      says: ['Subscription lights/own acts as ServiceAccount lights/installer, which clark may not impersonate'],
    },
    {
      who: 'theo',
      act: create(revision('new-1', installer)),
      says: ['Revision lights/new-1 cannot be made by hand', 'ask for the version with a Subscription'],
    },
    {
      who: 'theo',
      act: merge(pathTo('revisions', 'own-1'), { spec: { state: 'Active' } }),
      says: ['of Revision lights/own-1 only spec.approved can be changed by hand'],
    },
    {
      who: 'theo',
      act: merge(`${own}/status`, { status: { quarantined: [] } }),
      says: ['the status of Subscription lights/own is written by the manager only', 'theo may not impersonate'],
    },
  ];
  test.each(CASES)('$says.0', async ({ who, act, says }) => {
    const { outcome, message } = await persons.rehearse(PERSONS[who], act);
    expect(outcome).toBe('policy');
    for (const part of says) expect(message).toContain(part);
  });
});

test('without the policy, as the overlay for that leaves it out, RBAC alone decides', async () => {
  const policy = join(ROOT, 'deploy/policies/accounts.yaml');
  expect(loadAll(readFileSync(policy, 'utf8'))).toHaveLength(2);
  await kubectl('delete', '-f', policy);
  await until(
    'RBAC alone decides',
    async () => (await persons.rehearse(theo, remove(managers))).outcome === 'accepted',
  );
  expect((await persons.rehearse(tina, apply(subscription('new', {})))).outcome).toBe('accepted');
});

function applied(object: object): Promise<string> {
  return cluster().kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(object));
}
