/**
 * A bundle that is published again under its name is an upgrade: it waits for a person, is reported, and is rolled back if it
 * fails. A leftover that a finalizer holds, and an uninstall that a policy of the cluster refuses, are reported until they end.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import {
  catalogOf,
  condition,
  get,
  isReady,
  pathOf,
  runs,
  subscriptionTo,
  waitFor,
  type Judged,
} from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, isThere, makeNamespaces, startRemoval } from '../../lib/writes.ts';

const OPS = { kind: 'Subscription', name: 'gadget', namespace: 'ops' };
const SPEC = { package: 'gadget', onFailure: { bakeTime: '0s' } };

const cluster = useCluster();
let manager: RunningManager;

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
  await makeNamespaces(cluster(), [OPS.namespace]);
});
afterAll(async () => {
  await manager?.stop();
});

const configMap = (name: string, data: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

/** Publishes the bundle with these objects, and has the Catalog offer it; returns its image. */
async function publish(...further: readonly object[]): Promise<string> {
  const image = await publishTiny(cluster().registry, { name: 'gadget', version: '1.0.0', further });
  const documents = packageDocuments('gadget', [{ version: '1.0.0', image }]);
  await apply(cluster(), catalogOf('gadgets', await publishCatalog(documents, `${cluster().registry}/gadgets:latest`)));
  return image;
}

const runsImage =
  (image: string) =>
  (subscription: Judged): boolean =>
    runs('1.0.0')(subscription) && imageOf(subscription) === image;

function imageOf({ status }: Judged): unknown {
  return (status?.installed as { readonly image?: string } | undefined)?.image;
}

/** `Upgrading: gadget.v1.0.0 is to follow …` of the events about the Subscription. */
function events(): Promise<string> {
  const path = '{range .items[*]}{.reason}: {.note}{"\\n"}{end}';
  return cluster().kubectl(['-n', OPS.namespace, 'get', 'events.events.k8s.io', '-o', `jsonpath=${path}`]);
}

describe('a bundle that is published again under its name', () => {
  let second: string;

  test('waits for approval by hand, which says so', async () => {
    const first = await publish();
    await apply(cluster(), subscriptionTo(OPS.name, OPS.namespace, SPEC));
    await waitFor(cluster(), OPS, runsImage(first));
    await apply(cluster(), subscriptionTo(OPS.name, OPS.namespace, { ...SPEC, approval: 'Manual' }));
    second = await publish(configMap('added'));
    const waiting = await waitFor(
      cluster(),
      OPS,
      (one) => condition(one, 'UpgradeAvailable')?.reason === 'ApprovalRequired',
    );
    expect(imageOf(waiting)).toBe(first);
    expect(waiting.status?.['pending']).toMatchObject({ revision: 'gadget-2', reason: 'ApprovalRequired' });
  });

  test('is applied once a person approves it, with events', async () => {
    await cluster().request('PATCH', '/apis/slipway.dev/v1alpha1/namespaces/ops/revisions/gadget-2', {
      spec: { approved: true },
    });
    await waitFor(cluster(), OPS, runsImage(second));
    await until('the end is reported', async () =>
      /Succeeded: gadget.v1.0.0.*\n(.*\n)*.*Succeeded/.test(await events()),
    );
  });

  test('is rolled back if it fails, and not tried again', async () => {
    await apply(cluster(), subscriptionTo(OPS.name, OPS.namespace, SPEC));
    await publish(configMap('added'), configMap('broken', { 'no key': 'x' }));
    const failed = await waitFor(
      cluster(),
      OPS,
      (one) => isReady(one) && condition(one, 'UpgradeFailed')?.message.includes('runs again') === true,
    );
    expect(condition(failed, 'UpgradeFailed')?.message).toMatch(/^The gadget.v1.0.0 that was published again failed/);
    expect(imageOf(failed)).toBe(second);
    expect(await events()).toContain('is to follow gadget.v1.0.0, published again with another content');
  });
});

test('a leftover that a finalizer holds is named until it is gone, and its Revision is at rest meanwhile', async () => {
  const added = '/api/v1/namespaces/ops/configmaps/added';
  await cluster().request('PATCH', added, { metadata: { finalizers: ['example.com/hold'] } });
  await publish();
  const revision = { kind: 'revision', name: '', namespace: OPS.namespace };
  const subscription = await waitFor(
    cluster(),
    OPS,
    (one) => condition(one, 'Reconciling')?.message.includes('example.com/hold') === true,
  );
  revision.name = (subscription.status?.installed as { readonly revision?: string } | undefined)?.revision ?? '';
  const before = await reconciles();
  await pause(3000);
  // Ten times a second, or once because a status was written.
  expect((await reconciles()) - before).toBeLessThan(10);
  await cluster().request('PATCH', added, { metadata: { finalizers: [] } });
  await waitFor(cluster(), revision, (one) => isReady(one) && condition(one, 'Reconciling') === undefined);
});

/** How often Revisions were reconciled. */
async function reconciles(): Promise<number> {
  const text = await (await fetch(`${manager.url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => /^controller_runtime_reconcile_total\{.*revision/i.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test('an uninstall that a policy of the cluster refuses says so, and ends once the policy is gone', async () => {
  await cluster().kubectl(['apply', '-f', '-'], refusal());
  const { status } = await get(cluster(), 'subscription', OPS.name, OPS.namespace);
  const { revision = '' } = (status?.installed ?? {}) as { readonly revision?: string };
  await until('the policy is in force', async () => {
    const tried = cluster().kubectl(['-n', 'ops', 'delete', 'revision', revision, '--dry-run=server']);
    return tried.then(
      () => false,
      (error: Error) => error.message.includes('denied request'),
    );
  });
  await startRemoval(cluster(), OPS);
  const refused = await waitFor(cluster(), OPS, (one) => condition(one, 'Ready')?.reason === 'ObjectInvalid');
  expect(condition(refused, 'Ready')?.message).toContain('Revisions are kept');
  await cluster().kubectl(['delete', 'validatingadmissionpolicybinding,validatingadmissionpolicy', 'keep-revisions']);
  const path = pathOf('subscription', OPS.name, OPS.namespace);
  await until('the Subscription is gone', async () => !(await isThere(cluster(), path)));
});

/** A policy that lets no Revision be deleted. */
function refusal(): string {
  const api = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'keep-revisions' } };
  const rule = { apiGroups: ['slipway.dev'], apiVersions: ['*'], operations: ['DELETE'], resources: ['revisions'] };
  const items = [
    {
      ...api,
      kind: 'ValidatingAdmissionPolicy',
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: 'false', message: 'Revisions are kept' }],
      },
    },
    {
      ...api,
      kind: 'ValidatingAdmissionPolicyBinding',
      spec: { policyName: 'keep-revisions', validationActions: ['Deny'] },
    },
  ];
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}
