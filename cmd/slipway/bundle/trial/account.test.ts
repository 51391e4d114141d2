/** The step with the smallest account: its rights, its order, and its traces. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../../api/object.ts';
import { makeBundle, makeCrd } from '../../../../bundles/testing/bundle.ts';
import { createClient, type Client } from '../../../../kube/client/client.ts';
import { startFakeApi, type FakeApi } from '../../../../kube/testing/fake-api.ts';
import { eventually } from '../../../../kube/testing/eventually.ts';
import { resource } from '../../../../kube/testing/fake-kinds.ts';
import { createTransport, type Transport } from '../../../../kube/transport/transport.ts';
import { rolesFor } from '../../../../plan/rights/account-roles.ts';
import { minimalRights } from '../../../../plan/rights/minimal.ts';
import { condition } from '../../../../report/testing/objects.ts';
import { objectsToInstall } from '../../rights/objects.ts';
import { AccountTrial } from './account.ts';

const NAMESPACE = 'ops';
const NAME = 'slipway-test-1';
const ACCOUNT = 'smallest-account';
const BUNDLE = makeBundle({
  objects: [makeCrd()],
  clusterPermissions: [
    { serviceAccountName: 'gadget', rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }] },
  ],
});
const VERSION = BUNDLE.csv.spec.version ?? '';

let api: FakeApi;
let transport: Transport;
let client: Client;
/** Answers to "may this account …?"; those after the last are yes. */
let answers: boolean[];

beforeAll(async () => {
  api = await startFakeApi();
  api.serve(resource('slipway.dev/v1alpha1', 'Subscription', 'subscriptions'));
  api.fault(({ path }, response) => {
    if (!path.endsWith('/selfsubjectaccessreviews')) return false;
    const status = { allowed: answers.shift() ?? true };
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ status }));
    return true;
  });
  transport = createTransport(api.config);
  client = createClient(transport);
});
beforeEach(() => {
  answers = [];
});
afterAll(async () => {
  transport.close();
  await api.close();
});

const trial = (seconds = 60): AccountTrial =>
  new AccountTrial(client, {
    namespace: NAMESPACE,
    name: NAME,
    seconds,
    package: BUNDLE.package,
    repository: 'registry.example/trial',
  });
const signal = new AbortController().signal;

async function listed(kind: string, apiVersion: string): Promise<readonly KubeObject[]> {
  return client.list({ apiVersion, kind }, {}, signal);
}

async function roles(): Promise<readonly KubeObject[]> {
  const rbac = 'rbac.authorization.k8s.io/v1';
  const kinds = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
  return (await Promise.all(kinds.map((kind) => listed(kind, rbac)))).flat();
}

/** As the manager reports the end of an installation. */
function report(found: KubeObject, [status, reason, message]: readonly ['True' | 'False', string, string]): void {
  const { generation: observedGeneration = 1 } = found.metadata;
  const installed = { bundle: BUNDLE.csv.name, version: VERSION, image: 'x', catalog: NAME, revision: 'r' };
  const conditions = [{ ...condition('Ready', status, reason, message), observedGeneration }];
  api.put({ ...found, status: { observedGeneration, conditions, ...(status === 'True' && { installed }) } });
}

const subscriptionNow = async (): Promise<KubeObject | undefined> =>
  (await listed('Subscription', 'slipway.dev/v1alpha1'))[0];

describe('the smallest account', () => {
  test('has exactly the rights of `rights --minimal` while it installs, and more only to be removed', async () => {
    const { run, clean } = bound(trial());
    const running = run();
    const found = await eventually(subscriptionNow);
    expect(found.spec).toMatchObject({ serviceAccountName: ACCOUNT, version: VERSION });
    const expected = rolesFor(
      minimalRights(objectsToInstall(BUNDLE, { namespace: NAMESPACE, name: NAME })),
      { namespace: NAMESPACE, name: ACCOUNT },
      ACCOUNT,
    );
    const granted = (await roles()).map(({ kind, rules, subjects }) => ({ kind, rules, subjects }));
    expect(granted).toHaveLength(expected.length);
    expect(granted).toEqual(
      expect.arrayContaining(expected.map(({ kind, rules, subjects }) => ({ kind, rules, subjects }))),
    );
    report(found, ['True', 'Succeeded', 'it runs']);
    await running;
    expect(await subscriptionNow()).toBeUndefined();
    const removal = (await roles()).filter(({ metadata }) => metadata.name.endsWith(`${ACCOUNT}-removal`));
    expect(removal.flatMap(({ rules = [] }) => rules as readonly { verbs: readonly string[] }[])).toContainEqual(
      expect.objectContaining({ resources: ['gadgets'], verbs: ['get', 'list', 'delete'] }),
    );
    await clean();
    expect(await roles()).toEqual([]);
    expect(await listed('ServiceAccount', 'v1')).toEqual([]);
  });

  test('installs once the API server has taken its roles up', async () => {
    answers = [false];
    const { run, clean } = bound(trial());
    const running = run();
    const found = await eventually(subscriptionNow);
    expect(answers).toEqual([]);
    report(found, ['True', 'Succeeded', 'it runs']);
    await running;
    await clean();
  });

  test.each([
    {
      because: 'a right is missing, for which the manager would wait',
      condition: ['Forbidden', 'may not create deployments'] as const,
      message: 'may not create deployments',
    },
  ])('fails with the message of the manager: $because', async ({ condition: [reason, text], message }) => {
    const { run, clean } = bound(trial());
    const running = run();
    const found = await eventually(subscriptionNow);
    report(found, ['False', reason, text]);
    await expect(running).rejects.toThrow(message);
    await clean();
    expect([await subscriptionNow(), await roles()]).toEqual([undefined, []]);
  });

  test('that was never made leaves nothing to delete', async () => {
    const before = api.requests.length;
    await bound(trial()).clean();
    expect(api.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

function bound(one: AccountTrial) {
  return { run: () => one.run(BUNDLE, signal), clean: () => one.clean(signal) };
}
