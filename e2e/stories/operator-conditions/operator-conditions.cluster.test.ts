/**
 * An operator holds its own upgrades by the OperatorCondition of OLM v0, in a cluster without OLM. The operator is played
 * as its library does it: it reads the name from the variable of its container, and writes as the account of its Pods.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../../api/untyped.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { stepsOf, typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, publishFiles, type PackageVersion } from '../../lib/publish.ts';
import { tinyBundle } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces, remove, requestReconcile } from '../../lib/writes.ts';

const OPS = { kind: 'Subscription', name: 'gadget', namespace: 'ops' };
const TENANT = { kind: 'Subscription', name: 'gadget', namespace: 'tenant' };
const CATALOG = { kind: 'Catalog', name: 'gadgets' };
const VERSIONS = ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0', '1.5.0'];
const KIND = { apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition' };

const cluster = useCluster();
let manager: RunningManager;
let transport: Transport;
let client: Client;

beforeAll(async () => {
  const { config } = await loadKubeconfig(cluster().kubeconfig);
  transport = createTransport(config);
  client = createClient(transport);
  await type(applyKind);
  const crd = join(ROOT, 'deploy/olm/operatorconditions.yaml');
  await cluster().kubectl(['wait', '--for=condition=Established', '--timeout=180s', '-f', crd]);
  await installSlipway(cluster());
  manager = await startManager(cluster());
  await makeNamespaces(cluster(), [OPS.namespace, TENANT.namespace]);
  await publish(1);
  await apply(cluster(), subscriptionTo(OPS.name, OPS.namespace, SPEC));
  await waitFor(cluster(), OPS, runs('1.0.0'));
});
afterAll(async () => {
  await manager?.stop();
  transport?.close();
});

const [applyKind, override] = stepsOf('docs/how-to/let-operators-hold-upgrades.md') as [Step, Step];

async function type(step: Step): Promise<void> {
  const { tools, kubeconfig } = cluster();
  await typeSteps([step], { tools, variables: { KUBECONFIG: kubeconfig } });
}

const SPEC = { package: 'gadget', onFailure: { bakeTime: '0s' } };

/** The bundle of an operator that asks for rights on OperatorConditions, as those that use one do. */
function bundleOf(version: string): ReadonlyMap<string, Uint8Array> {
  const files = new Map(tinyBundle({ name: 'gadget', version }));
  const csv = JSON.parse(new TextDecoder().decode(files.get('manifests/csv.json'))) as KubeObject;
  const { permissions } = fieldsOf(fieldsOf(fieldsOf(csv['spec'])['install'])['spec']);
  const rule = { apiGroups: ['operators.coreos.com'], resources: ['operatorconditions'], verbs: ['get', 'update'] };
  for (const permission of listOf(permissions)) (permission['rules'] as object[]).push(rule);
  return files.set('manifests/csv.json', Buffer.from(JSON.stringify(csv)));
}

async function publish(count: number): Promise<void> {
  const { registry } = cluster();
  const published: PackageVersion[] = [];
  for (const [at, version] of VERSIONS.slice(0, count).entries()) {
    const image = await publishFiles(bundleOf(version), `${registry}/gadget:v${version}`);
    published.push({ version, image, ...(at > 0 && { replaces: VERSIONS[at - 1]! }) });
  }
  await publishCatalog(packageDocuments('gadget', published), `${registry}/gadgets:latest`);
  await apply(cluster(), catalogOf('gadgets', `${registry}/gadgets:latest`, {}));
  const asked = String(Date.now());
  await requestReconcile(cluster(), CATALOG, asked);
  // until then a new Subscription would take the head of the former content
  await waitFor(cluster(), CATALOG, (one) => one.status?.['lastHandledReconcileAt'] === asked);
}

interface Place {
  readonly namespace: string;
}

/** The name that the container of the running operator learns. */
async function nameIn({ namespace }: Place): Promise<string> {
  const deployment = await client.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'gadget' });
  const template = fieldsOf(fieldsOf(fieldsOf(deployment?.['spec'])['template'])['spec']);
  const [container] = listOf(template['containers']);
  return textOf(listOf(container?.['env']).find(({ name }) => name === 'OPERATOR_CONDITION_NAME')?.['value']);
}

const upgradeable = (status: string, more: object = {}): object => ({
  type: 'Upgradeable',
  status,
  reason: 'Migrating',
  message: 'a migration of the store runs',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...more,
});

/** As the library of operators: read the object, set the condition, update it; with the rights of the Pods. */
async function reports(place: Place, status: string): Promise<void> {
  const { namespace } = place;
  const own = client.as({ user: `system:serviceaccount:${namespace}:gadget` });
  const ref = { ...KIND, namespace, name: await nameIn(place) };
  const { resourceVersion } = (await own.get(ref))?.metadata ?? {};
  await own.patch(ref, { metadata: { resourceVersion }, spec: { conditions: [upgradeable(status)] } });
}

const waitsFor =
  (version: string) =>
  (object: Judged): boolean => {
    const { pending } = (object.status ?? {}) as { pending?: { readonly version: string; readonly reason: string } };
    return pending?.version === version && pending.reason === 'OperatorNotUpgradeable';
  };

describe('an operator that uses an OperatorCondition', () => {
  test('learns the name of its own, and may write it but no other one', async () => {
    expect(await nameIn(OPS)).toBe('gadget.v1.0.0');
    await reports(OPS, 'True');
    const own = client.as({ user: 'system:serviceaccount:ops:gadget' });
    const patch = { spec: { conditions: [upgradeable('False')] } };
    await expect(own.patch({ ...KIND, namespace: 'tenant', name: 'gadget.v1.0.0' }, patch)).rejects.toMatchObject({
      reason: 'Forbidden',
    });
  });

  test('holds its upgrade while it reports Upgradeable=False', async () => {
    await reports(OPS, 'False');
    await publish(2);
    const held = await waitFor(cluster(), OPS, waitsFor('1.1.0'));
    expect(held.status?.installed?.version).toBe('1.0.0');
    expect(condition(held, 'Ready')?.status).toBe('True');
    expect(condition(held, 'UpgradeAvailable')?.message).toContain('Migrating: a migration of the store runs');
    const shown = await cluster().kubectl(['-n', 'ops', 'get', 'subscriptions.slipway.dev', 'gadget']);
    expect(shown).toContain('a migration of the store runs');
    await until('an event reports the wait', async () => {
      const events = await client.list({ apiVersion: 'events.k8s.io/v1', kind: 'Event' }, { namespace: 'ops' });
      return events.some(({ reason }) => reason === 'OperatorNotUpgradeable');
    });
    expect(manager.log()).toContain('OperatorNotUpgradeable');
    const metrics = async (): Promise<string> => (await fetch(`${manager.url}/metrics`)).text();
    await expect.poll(metrics).toMatch(/^slipway_upgrades_waiting\{reason="OperatorNotUpgradeable"\} 1$/m);
  });

  test('is upgraded as soon as it reports True', async () => {
    await reports(OPS, 'True');
    await waitFor(cluster(), OPS, runs('1.1.0'));
    expect(await nameIn(OPS)).toBe('gadget.v1.1.0');
    await until('the object of the old version is pruned', async () => {
      const left = await client.list(KIND, { namespace: 'ops' });
      return left.length === 1 && left[0]?.metadata.name === 'gadget.v1.1.0';
    });
  });

  test('is upgraded in spite of its report if a person types the command of the message', async () => {
    await reports(OPS, 'False');
    await publish(3);
    const held = await waitFor(cluster(), OPS, waitsFor('1.2.0'));
    const message = condition(held, 'UpgradeAvailable')?.message ?? '';
    expect(message).toContain(override.script.trim());
    await type(override);
    await waitFor(cluster(), OPS, runs('1.2.0'));
  });

  test('holds nothing any more once its object is deleted: Slipway creates an empty one', async () => {
    await reports(OPS, 'False');
    await publish(4);
    await waitFor(cluster(), OPS, waitsFor('1.3.0'));
    await client.delete({ ...KIND, namespace: 'ops', name: 'gadget.v1.2.0' });
    await waitFor(cluster(), OPS, runs('1.3.0'));
  });

  test('of the version v1 holds it by its status, and not by one about an older generation for ever', async () => {
    const ref = { ...KIND, namespace: 'ops', name: 'gadget.v1.3.0' };
    const { generation = 0 } = (await client.get(ref))?.metadata ?? {};
    const report = (observedGeneration: number): Promise<KubeObject> =>
      client.patch(
        ref,
        { status: { conditions: [upgradeable('True', { observedGeneration })] } },
        { subresource: 'status' },
      );
    await report(generation - 1);
    await publish(5);
    const held = await waitFor(cluster(), OPS, waitsFor('1.4.0'));
    expect(condition(held, 'UpgradeAvailable')?.message).toContain(`generation ${generation - 1} of ${generation}`);
    await report(generation);
    // A status makes no new generation, which is all that the manager's watch reports.
    await requestReconcile(cluster(), OPS);
    await waitFor(cluster(), OPS, runs('1.4.0'));
  });

  test('is upgraded if it does not know: as with OLM v0, Unknown holds nothing', async () => {
    await reports(OPS, 'Unknown');
    await publish(6);
    await waitFor(cluster(), OPS, runs('1.5.0'));
  });

  test('is uninstalled with its OperatorCondition and its rights', async () => {
    await remove(cluster(), OPS);
    expect(await client.list(KIND, { namespace: 'ops' })).toEqual([]);
    const rbac = 'rbac.authorization.k8s.io/v1';
    expect(await client.list({ apiVersion: rbac, kind: 'Role' }, { namespace: 'ops' })).toEqual([]);
    expect(await client.list({ apiVersion: rbac, kind: 'RoleBinding' }, { namespace: 'ops' })).toEqual([]);
  });
});

describe("a tenant's operator", () => {
  test("holds the upgrades of the tenant's Subscription, with the rights of its account", async () => {
    const { namespace } = TENANT;
    await publish(1);
    const account = { kind: 'ServiceAccount', name: 'installer', namespace };
    await cluster().kubectl(['-n', namespace, 'create', 'serviceaccount', account.name]);
    await cluster().kubectl(['-n', namespace, 'create', 'rolebinding', 'installer', '--clusterrole=cluster-admin', `--serviceaccount=${namespace}:installer`]); // prettier-ignore
    const spec = { ...SPEC, serviceAccountName: account.name, watchNamespaces: [namespace] };
    await apply(cluster(), subscriptionTo(TENANT.name, namespace, spec));
    await waitFor(cluster(), TENANT, runs('1.0.0'));
    await reports(TENANT, 'False');
    await publish(2);
    await waitFor(cluster(), TENANT, waitsFor('1.1.0'));
    await reports(TENANT, 'True');
    await requestReconcile(cluster(), TENANT);
    await waitFor(cluster(), TENANT, runs('1.1.0'));
    await remove(cluster(), TENANT);
    expect(await client.list(KIND, {})).toEqual([]);
  });
});
