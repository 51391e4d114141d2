/** A team installs with an account of its own, with the rights that the guide gives it and with fewer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishBundle, publishCatalog } from '../../lib/publish.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';

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

/** The same without the rights that let somebody give away what he does not have. */
const withoutGiving = granted.map((object) => ({
  ...object,
  ...(object.rules !== undefined && {
    rules: object.rules.map((rule) => ({
      ...rule,
      verbs: rule.verbs.filter((verb) => verb !== 'escalate' && verb !== 'bind'),
    })),
  }),
}));

async function apply(objects: readonly object[]): Promise<void> {
  await cluster().kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
}

function wanting(version: string): object {
  const spec = { package: 'beacon-operator', serviceAccountName: 'installer', version };
  return JSON.parse(subscriptionTo(BEACON.name, BEACON.namespace, spec)) as object;
}

beforeAll(async () => {
  await installSlipway(cluster());
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
  await cluster().kubectl(['create', 'namespace', BEACON.namespace]);
  before = await snapshot(cluster());
  await cluster().kubectl(['-n', BEACON.namespace, 'create', 'serviceaccount', 'installer']);
});
afterAll(async () => {
  await manager?.stop();
});

test('an account that may make roles and bindings cannot give away by a bundle what it does not have', async () => {
  await apply(withoutGiving);
  await apply([wanting('1.0.0')]);
  const refused = await waitFor(cluster(), BEACON, (one) => condition(one, 'Ready')?.reason === 'Forbidden');
  expect(condition(refused, 'Ready')?.message).toContain('attempting to grant RBAC permissions not currently held');
  const roles = await cluster().kubectl(['get', 'clusterroles,clusterrolebindings', '-l', 'slipway.dev/owner']);
  expect(roles.trim()).toBe('');
});

test('the rights of the guide are enough to install and to upgrade', async () => {
  await apply(granted);
  await waitFor(cluster(), { ...BEACON, timeoutSeconds: 120 }, runs('1.0.0'));
  await apply([wanting('>=1.0.0')]);
  await waitFor(cluster(), { ...BEACON, timeoutSeconds: 120 }, runs('1.1.0'));
});

test('the operator goes with its Subscription, although the account and its rights are gone', async () => {
  await cluster().kubectl(['-n', BEACON.namespace, 'delete', 'serviceaccount', 'installer']);
  await cluster().kubectl(['delete', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: granted }));
  await cluster().kubectl(['-n', BEACON.namespace, 'delete', BEACON.kind, BEACON.name, '--timeout=60s']);
  await expectUnchanged(cluster(), before);
});
