import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { CatalogContent } from '../../controllers/catalog-content.ts';
import { countEvents, countRepairs, registerState } from './metrics.ts';

const condition = (type: string, status: string, reason: string): object => ({ type, status, reason });
const object = (name: string, spec: object, status?: object): object => ({ metadata: { name }, spec, status });

const ready = { conditions: [condition('Ready', 'True', 'Succeeded'), condition('UpgradeAvailable', 'True', 'X')] };
const broken = { conditions: [condition('Ready', 'False', 'PackageNotFound')] };

const followed = { source: { image: { ref: 'registry.example/c:v1' } } };
const checked = { lastChecked: '1970-01-01T00:01:00Z' };

function registryOf(subscriptions: object[]): Registry {
  const registry = new Registry();
  const listed = (objects: object[]) => ({ list: () => objects as never });
  const content = { get: (name: string) => (name === 'served' ? {} : undefined) } as CatalogContent;
  registerState(registry, {
    subscriptions: listed(subscriptions),
    revisions: listed([object('r1', { state: 'Active' }, ready), object('r2', { state: 'Archived' })]),
    catalogs: listed([
      object('served', followed, { ...ready, ...checked, bundles: 7 }),
      object('rare', { ...followed, interval: '24h' }, { ...ready, ...checked }),
      object('lost', followed, broken),
      object('stale', followed, { conditions: [condition('Ready', 'True', 'CatalogStale')] }),
      object('pinned', { source: { image: { ref: 'registry.example/c@sha256:abc' } } }, { ...ready, ...checked }),
      object('suspended', { ...followed, suspend: true }, { ...ready, ...checked }),
    ]),
    registryPolicies: listed([object('good', {}, ready), object('bad', {}, broken)]),
    content,
  });
  return registry;
}

test('what is there is counted when it is asked for, by readiness and reason', async () => {
  const subscriptions = [object('a', {}, ready), object('b', {}, broken), object('c', {}, broken), object('d', {})];
  const registry = registryOf(subscriptions);
  const text = await registry.metrics();
  for (const line of [
    'slipway_subscriptions{ready="True",reason="Succeeded"} 1',
    'slipway_subscriptions{ready="False",reason="PackageNotFound"} 2',
    'slipway_subscriptions{ready="Unknown",reason=""} 1',
    'slipway_upgrades_available 1',
    'slipway_revisions{state="Active",ready="True"} 1',
    'slipway_revisions{state="Archived",ready="Unknown"} 1',
    'slipway_catalog_ready{catalog="served"} 1',
    'slipway_catalog_ready{catalog="lost"} 0',
    'slipway_catalog_stale{catalog="stale"} 1',
    'slipway_catalog_stale{catalog="lost"} 0',
    'slipway_registry_policy_ready{policy="good"} 1',
    'slipway_registry_policy_ready{policy="bad"} 0',
    'slipway_catalog_served{catalog="served"} 1',
    'slipway_catalog_served{catalog="lost"} 0',
    'slipway_catalog_last_checked_timestamp_seconds{catalog="served"} 60',
    'slipway_catalog_interval_seconds{catalog="served"} 300',
    'slipway_catalog_interval_seconds{catalog="rare"} 86400',
    'slipway_catalog_bundles{catalog="served"} 7',
  ])
    expect(text.split('\n')).toContain(line);
  subscriptions.length = 0;
  expect(await registry.metrics()).not.toContain('slipway_subscriptions{');
});

test('what a person is to know of Subscriptions that work is counted by condition, from 0', async () => {
  const failed = { conditions: [...ready.conditions, condition('UpgradeFailed', 'True', 'WorkloadUnhealthy')] };
  const registry = registryOf([object('a', {}, failed), object('b', {}, failed), object('c', {}, ready)]);
  const text = await registry.metrics();
  for (const line of ['UpgradeFailed"} 2', 'CustomResourcesLost"} 0', 'Contested"} 0'])
    expect(text).toContain(`slipway_subscriptions_with_condition{condition="${line}`);
});

test('upgrades that wait or cannot be begun are counted by the reason, from 0, although the operators work', async () => {
  const working = (reason: string): object => {
    const upgrade = condition('UpgradeAvailable', 'True', reason);
    return object(reason, {}, { conditions: [condition('Ready', 'True', 'Succeeded'), upgrade] });
  };
  const reasons = ['PlanFailed', 'InvalidSpec', 'Unsigned', 'Unsigned', 'UpgradeAvailable', 'Quarantined'];
  const text = await registryOf(reasons.map(working)).metrics();
  for (const line of ['PlanFailed"} 1', 'InvalidSpec"} 1', 'Unsigned"} 2', 'OutsideWindow"} 0'])
    expect(text).toContain(`slipway_upgrades_waiting{reason="${line}`);
  expect(text).not.toMatch(/slipway_upgrades_waiting\{reason="(UpgradeAvailable|Quarantined)"/);
});

test('repaired objects are counted by the cause of the repair, from 0', async () => {
  const registry = new Registry();
  const count = countRepairs(registry);
  const name = 'slipway_repaired_objects_total';
  for (const cause of ['Changed', 'Deleted', 'Replaced'])
    expect(await registry.metrics()).toContain(`${name}{cause="${cause}"} 0\n`);
  count('Changed');
  expect(await registry.metrics()).toContain(`${name}{cause="Changed"} 1\n`);
});

test.each([
  { catalog: 'pinned', because: 'what a digest stands for cannot change' },
  { catalog: 'suspended', because: 'a person has said so' },
])('a Catalog whose registry is not asked again has no time of asking: $because', async ({ catalog }) => {
  const text = await registryOf([]).metrics();
  expect(text).toContain(`slipway_catalog_ready{catalog="${catalog}"} 1`);
  for (const name of ['last_checked_timestamp', 'interval'])
    expect(text).not.toContain(`slipway_catalog_${name}_seconds{catalog="${catalog}"}`);
});

test('what is alerted on is counted from 0, so that the first one is an increase', async () => {
  const registry = new Registry();
  const record = countEvents(registry, () => undefined);
  const rollbacks = 'slipway_events_total{kind="Subscription",type="Warning",action="Upgrade",reason="RollingBack"}';
  expect(await registry.metrics()).toContain(`${rollbacks} 0\n`);
  const event = { type: 'Warning', reason: 'RollingBack', action: 'Upgrade', note: 'x' } as const;
  record({ apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', metadata: { name: 'a' } }, event);
  expect(await registry.metrics()).toContain(`${rollbacks} 1\n`);
});

test('an event is counted, and recorded all the same', async () => {
  const registry = new Registry();
  const told: unknown[] = [];
  const record = countEvents(registry, (_, event) => told.push(event));
  const event = { type: 'Warning', reason: 'ApplyFailed', action: 'Install', note: 'x' } as const;
  record({ apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', metadata: { name: 'a' } }, event);
  expect(told).toEqual([event]);
  expect(await registry.metrics()).toContain(
    'slipway_events_total{kind="Subscription",type="Warning",action="Install",reason="ApplyFailed"} 1',
  );
});
