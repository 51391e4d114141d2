/**
 * Slipway's own metrics, beside those of the runtime: what the caches hold is counted when it is asked for, so every
 * replica answers alike; what happened is counted where it happens, on the leader.
 */
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Catalog } from '../../api/catalog.ts';
import { findCondition, type Condition, type ConditionType } from '../../api/conditions.ts';
import type { Reason } from '../../api/reasons.ts';
import type { RegistryPolicy } from '../../api/registry-policy.ts';
import type { Revision } from '../../api/revision.ts';
import { SUBSCRIPTION, type Subscription } from '../../api/subscription.ts';
import type { CatalogContent } from '../../controllers/catalog-content.ts';
import { intervalSeconds, isPinned } from '../../controllers/catalog/poll.ts';
import type { EventFacts, RecordEvent } from '../../controllers/events.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import type { RepairCause } from '../../controllers/revision/repair/drift.ts';
import type { CountRepair } from '../../controllers/revision/repair/report.ts';
import { createRuntimeMetrics, type RuntimeMetrics } from '../../kube/metrics.ts';

/** A registry with the metrics of the process and those of the controllers. */
export function createMetrics(): { readonly metrics: Registry; readonly runtime: RuntimeMetrics } {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  return { metrics, runtime: createRuntimeMetrics(metrics) };
}

export interface MeasuredState {
  readonly catalogs: Pick<Informer<Catalog>, 'list'>;
  readonly subscriptions: Pick<Informer<Subscription>, 'list'>;
  readonly revisions: Pick<Informer<Revision>, 'list'>;
  readonly registryPolicies: Pick<Informer<RegistryPolicy>, 'list'>;
  readonly content: CatalogContent;
}

/** Registers the metrics that are counted from the caches; call it once per registry. */
export function registerState(
  registry: Registry,
  { catalogs, subscriptions, revisions, registryPolicies, content }: MeasuredState,
): void {
  const allSubscriptions = (): readonly Subscription[] => subscriptions.list();
  const allRevisions = (): readonly Revision[] => revisions.list();
  gauge(
    registry,
    'slipway_subscriptions',
    'Subscriptions, by their Ready condition.',
    ['ready', 'reason'],
    (metric) => {
      for (const { status } of allSubscriptions()) metric.inc(readiness(status?.conditions));
    },
  );
  gauge(registry, 'slipway_upgrades_available', 'Subscriptions for which there is a newer version.', [], (metric) => {
    const waiting = allSubscriptions().filter(({ status }) => is(status?.conditions, 'UpgradeAvailable'));
    metric.set(waiting.length);
  });
  const reported = 'Subscriptions with a true condition that needs a person, by condition, ready or not.';
  gauge(registry, 'slipway_subscriptions_with_condition', reported, ['condition'], (metric) => {
    for (const type of NEED_A_PERSON) {
      const affected = allSubscriptions().filter(({ status }) => is(status?.conditions, type));
      metric.set({ condition: type }, affected.length);
    }
  });
  registerWaits(registry, allSubscriptions);
  gauge(registry, 'slipway_revisions', 'Revisions, by state and Ready condition.', ['state', 'ready'], (metric) => {
    for (const { spec, status } of allRevisions())
      metric.inc({ state: spec.state, ready: readiness(status?.conditions).ready });
  });
  registerCatalogs(registry, { catalogs, content });
  const usable = 'Whether a RegistryPolicy can be used: if not, every image below its prefix is refused.';
  gauge(registry, 'slipway_registry_policy_ready', usable, ['policy'], (metric) => {
    for (const { metadata, status } of registryPolicies.list())
      metric.set({ policy: metadata.name }, is(status?.conditions, 'Ready') ? 1 : 0);
  });
}

function registerCatalogs(
  registry: Registry,
  { catalogs, content }: Pick<MeasuredState, 'catalogs' | 'content'>,
): void {
  const allCatalogs = (): readonly Catalog[] => catalogs.list();
  gauge(registry, 'slipway_catalog_ready', 'Whether a Catalog is ready.', ['catalog'], (metric) => {
    for (const { metadata, status } of allCatalogs())
      metric.set({ catalog: metadata.name }, is(status?.conditions, 'Ready') ? 1 : 0);
  });
  const stale = '1 if the last check of a Catalog failed and it goes on serving earlier content, else 0.';
  gauge(registry, 'slipway_catalog_stale', stale, ['catalog'], (metric) => {
    for (const { metadata, status } of allCatalogs())
      metric.set({ catalog: metadata.name }, readiness(status?.conditions).reason === 'CatalogStale' ? 1 : 0);
  });
  gauge(registry, 'slipway_catalog_served', 'Whether this replica serves a Catalog.', ['catalog'], (metric) => {
    for (const { metadata } of allCatalogs())
      metric.set({ catalog: metadata.name }, content.get(metadata.name) === undefined ? 0 : 1);
  });
  const followed = (): readonly Catalog[] =>
    allCatalogs().filter((catalog) => !isPinned(catalog) && !catalog.spec.suspend);
  const checked =
    'When the registry of a Catalog was asked last, with success; without those that are not asked again.';
  gauge(registry, 'slipway_catalog_last_checked_timestamp_seconds', checked, ['catalog'], (metric) => {
    for (const { metadata, status } of followed()) {
      if (status?.lastChecked !== undefined)
        metric.set({ catalog: metadata.name }, Date.parse(status.lastChecked) / 1000);
    }
  });
  const interval = 'How often the registry of a Catalog is asked; without those that are not asked again.';
  gauge(registry, 'slipway_catalog_interval_seconds', interval, ['catalog'], (metric) => {
    for (const catalog of followed()) metric.set({ catalog: catalog.metadata.name }, intervalSeconds(catalog));
  });
  gauge(registry, 'slipway_catalog_bundles', 'Bundles that a Catalog offers.', ['catalog'], (metric) => {
    for (const { metadata, status } of allCatalogs()) metric.set({ catalog: metadata.name }, status?.bundles ?? 0);
  });
}

function registerWaits(registry: Registry, allSubscriptions: () => readonly Subscription[]): void {
  const waiting = 'Subscriptions whose next Revision waits or cannot be made, by the reason.';
  gauge(registry, 'slipway_upgrades_waiting', waiting, ['reason'], (metric) => {
    for (const reason of WAITS) metric.set({ reason }, 0);
    for (const { status } of allSubscriptions()) {
      const { status: isReported, reason = '' } = findCondition(status?.conditions, 'UpgradeAvailable') ?? {};
      if (isReported === 'True' && !GOES_ON.has(reason)) metric.inc({ reason });
    }
  });
}

/** Reasons of UpgradeAvailable for which nothing waits: the upgrade is being made, or has failed. */
const GOES_ON: ReadonlySet<string> = new Set<Reason>(['UpgradeAvailable', 'Quarantined']);

/** Why a Revision waits; an error that keeps it from being made has its own reason. */
const WAITS: readonly Reason[] = [
  'ApprovalRequired',
  'ApprovalVoid',
  'AwaitingApproval',
  'DependencyNotReady',
  'InvalidSpec',
  'OperatorNotUpgradeable',
  'OutsideWindow',
  'PlanFailed',
  'Planning',
];

/** Conditions that Ready says nothing of. */
const NEED_A_PERSON: readonly ConditionType[] = ['UpgradeFailed', 'CustomResourcesLost', 'Contested'];

const CAUSES: readonly RepairCause[] = ['Changed', 'Deleted', 'Replaced'];

/** Counts repaired objects, by the cause of the repair. */
export function countRepairs(registry: Registry): CountRepair {
  const repairs = new Counter({
    name: 'slipway_repaired_objects_total',
    help: 'Objects that were repaired, by the cause: Changed, Deleted, or Replaced by another one.',
    labelNames: ['cause'],
    registers: [registry],
  });
  for (const cause of CAUSES) repairs.inc({ cause }, 0);
  return (cause) => repairs.inc({ cause });
}

/** Registers whether the policy about accounts is in force; nothing is said while that is unknown. */
export function registerAccountsPolicy(registry: Registry, inForce: () => boolean | undefined): void {
  const help =
    'Whether the policy slipway-accounts refuses Subscriptions of users who may not act as their ServiceAccount: 1 also if its bindings select some namespaces only; absent while that cannot be read.';
  gauge(registry, 'slipway_accounts_policy_in_force', help, [], (metric) => {
    const known = inForce();
    if (known === undefined) metric.remove();
    else metric.set(known ? 1 : 0);
  });
}

/** Events that are alerted on: counted from 0, since the first one of a series that begins with it is no increase. */
const COUNTED_FROM_THE_START: readonly ({ readonly kind: string } & Omit<EventFacts, 'note'>)[] = [
  { kind: SUBSCRIPTION.kind, type: 'Warning', action: 'Upgrade', reason: 'RollingBack' },
];

/** Counts every event beside recording it: installs, upgrades, rollbacks and failures, by reason. */
export function countEvents(registry: Registry, record: RecordEvent): RecordEvent {
  const events = new Counter({
    name: 'slipway_events_total',
    help: 'Events about objects, by kind, action and reason.',
    labelNames: ['kind', 'type', 'action', 'reason'],
    registers: [registry],
  });
  for (const { kind, type, action, reason } of COUNTED_FROM_THE_START) events.inc({ kind, type, action, reason }, 0);
  return (regarding, event) => {
    const { type, action, reason } = event;
    events.inc({ kind: regarding.kind, type, action, reason });
    record(regarding, event);
  };
}

function gauge<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[],
  fill: (metric: Gauge<Label>) => void,
): void {
  const metric = new Gauge<Label>({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      metric.reset();
      fill(metric);
    },
  });
}

function readiness(conditions: readonly Condition[] | undefined): { readonly ready: string; readonly reason: string } {
  const { status = 'Unknown', reason = '' } = conditions?.find(({ type }) => type === 'Ready') ?? {};
  return { ready: status, reason };
}

function is(conditions: readonly Condition[] | undefined, wanted: string): boolean {
  return conditions?.some(({ type, status }) => type === wanted && status === 'True') ?? false;
}
