/** A team installs with an account of its own, under the policy, with the rights that the guide gives it and with fewer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stepsOf, typeSteps } from '../../../scripts/shell-steps.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, restartCollector, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, isReady, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { packageDocuments, publishBundle, publishCatalog } from '../../lib/publish.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { until } from '../../lib/until.ts';
import { makeNamespaces } from '../../lib/writes.ts';

const cluster = useCluster();
const GUIDE = 'docs/how-to/install-with-a-service-account.md';
const BEACON = { kind: 'subscription', name: 'beacon', namespace: 'lights' };
let manager: RunningManager;
let before: ReadonlySet<string>;

interface Granting {
  readonly kind: string;
  readonly rules?: readonly { readonly verbs: readonly string[] }[];
}

/** The roles and bindings of the guide. */
const granted = [...readFileSync(join(ROOT, GUIDE), 'utf8').matchAll(/```yaml\n(?<text>[^`]*)```/g)]
  .flatMap(({ groups }) => loadAll(groups?.['text'] ?? '') as Granting[])
  .filter(({ kind }) => /Role(Binding)?$/.test(kind));

/** The same without the verbs by which users grant rights that they lack. */
const withoutGiving = granted.map((object) => ({
  ...object,
  ...(object.rules !== undefined && {
    rules: object.rules.map((rule) => ({
      ...rule,
      verbs: rule.verbs.filter((verb) => verb !== 'escalate' && verb !== 'bind'),
    })),
  }),
}));

/** One of the team that the guide gives rights to. */
const TEAM = ['--as', 'tina', '--as-group', 'team'];

async function apply(objects: readonly object[], as: readonly string[] = []): Promise<void> {
  const items = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  await cluster().kubectl([...as, 'apply', '-f', '-'], items);
}

/** The rights on Slipway's kinds, as the guide has them typed, and the role `edit`. */
async function setUpTeam(): Promise<void> {
  const steps = stepsOf(GUIDE).filter(({ script }) => script.includes('slipway-team'));
  expect(steps).toHaveLength(1);
  const { kubeconfig, tools } = cluster();
  await typeSteps(steps, { tools, variables: { KUBECONFIG: kubeconfig } });
  const edit = ['create', 'rolebinding', 'team-edits', '--clusterrole=edit', '--group=team'];
  await cluster().kubectl([...edit, '-n', BEACON.namespace]);
}

async function inForce(): Promise<string | undefined> {
  const text = await (await fetch(`${manager.url}/metrics`)).text();
  return /^slipway_accounts_policy_in_force (.*)$/m.exec(text)?.[1];
}

function wanting(version: string, further: object = {}): object {
  const watched = { watchNamespaces: [BEACON.namespace] };
  const spec = { package: 'beacon-operator', serviceAccountName: 'installer', version, ...watched, ...further };
  return JSON.parse(subscriptionTo(BEACON.name, BEACON.namespace, spec)) as object;
}

beforeAll(async () => {
  await installSlipway(cluster());
  await restartCollector(cluster());
  manager = await startManager(cluster());
  const { registry } = cluster();
  const images = await Promise.all(
    ['1.0.0', '1.1.0'].map((version) =>
      publishBundle(join(ROOT, 'bundles/examples/beacon-operator', version), `${registry}/beacon:v${version}`),
    ),
  );
  const [first = '', second = ''] = images;
  const versions = [
    { version: '1.0.0', image: first },
    { version: '1.1.0', image: second, replaces: '1.0.0' },
  ];
  await publishCatalog(packageDocuments('beacon-operator', versions), `${registry}/catalog:latest`);
  await apply([JSON.parse(catalogOf('examples', `${registry}/catalog:latest`)) as object]);
  await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
  await makeNamespaces(cluster(), [BEACON.namespace]);
  await setUpTeam();
  before = await snapshot(cluster());
  await cluster().kubectl(['-n', BEACON.namespace, 'create', 'serviceaccount', 'installer']);
});
afterAll(async () => {
  await manager?.stop();
});

test('the manager reports that the policy is in force', async () => {
  await until('the metric says so', async () => (await inForce()) === '1');
  expect(manager.log()).toContain('the policy slipway-accounts is in force');
});

test('a team cannot have the manager install for it', async () => {
  await expect(apply([wanting('1.0.0', { serviceAccountName: undefined })], TEAM)).rejects.toThrow(
    'without spec.serviceAccountName Subscription lights/beacon would act as the manager',
  );
});

test('the rights of the guide make no team an administrator of the cluster', () => {
  const clusterWide = granted.filter(({ kind }) => kind === 'ClusterRole').flatMap(({ rules = [] }) => rules);
  expect(clusterWide.length).toBeGreaterThan(0);
  expect(
    clusterWide.flatMap(({ verbs }) => verbs).filter((verb) => /^(escalate|bind|impersonate|\*)$/.test(verb)),
  ).toEqual([]);
});

test('an account that may make roles and bindings cannot give away by a bundle what it does not have', async () => {
  await apply(withoutGiving);
  await apply([wanting('1.0.0')], TEAM);
  const refused = await waitFor(cluster(), BEACON, (one) => condition(one, 'Ready')?.reason === 'Forbidden');
  expect(condition(refused, 'Reconciling')?.message).toContain(
    'attempting to grant RBAC permissions not currently held',
  );
  const roles = await cluster().kubectl(['get', 'clusterroles,clusterrolebindings', '-l', 'slipway.dev/owner']);
  expect(roles.trim()).toBe('');
});

test('the rights of the guide are enough to install, and to upgrade by hand', async () => {
  await apply(granted);
  await waitFor(cluster(), BEACON, runs('1.0.0'));
  await apply([wanting('>=1.0.0', { approval: 'Manual' })], TEAM);
  const waiting = await waitFor(cluster(), BEACON, ({ status }) => pendingOf(status) !== undefined);
  const approve = ['patch', 'revision', pendingOf(waiting.status)!, '--type=merge', '-p', '{"spec":{"approved":true}}'];
  await cluster().kubectl([...TEAM, '-n', BEACON.namespace, ...approve]);
  await waitFor(cluster(), BEACON, runs('1.1.0'));
});

test('the operator is removed with its Subscription, although the account and its rights are gone', async () => {
  await cluster().kubectl(['-n', BEACON.namespace, 'delete', 'serviceaccount', 'installer']);
  await cluster().kubectl(['delete', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: granted }));
  await cluster().kubectl(['-n', BEACON.namespace, 'delete', BEACON.kind, BEACON.name, '--wait=false', ...TEAM]);
  await cluster().kubectl(['-n', BEACON.namespace, 'wait', '--for=delete', 'subscription/beacon', '--timeout=180s']);
  await expectUnchanged(cluster(), before);
});

test('the manager warns when it starts and the policy is missing', async () => {
  await manager.stop();
  await cluster().kubectl(['delete', '-f', join(ROOT, 'deploy/policies')]);
  manager = await startManager(cluster());
  await until('the metric says so', async () => (await inForce()) === '0');
  expect(manager.log()).toContain('the policy slipway-accounts is not there');
});

function pendingOf(status: Judged['status']): string | undefined {
  return (status?.['pending'] as { readonly revision?: string } | undefined)?.revision;
}
