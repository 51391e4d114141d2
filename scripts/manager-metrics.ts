/** Every metric of the manager and of the console, as they register them; which metrics of controller-runtime it has, and which not. */
import { createConsoleMetrics } from '../cmd/console/metrics.ts';
import {
  countEvents,
  countRepairs,
  createMetrics,
  registerAccountsPolicy,
  registerState,
} from '../cmd/manager/metrics.ts';
import { createHttpMetrics } from '../cmd/manager/http-metrics.ts';

export interface MetricFacts {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** In the order in which they are registered. */
export function managerMetrics(): readonly MetricFacts[] {
  const { metrics: registry } = createMetrics();
  const none = { list: () => [] };
  const content = { get: () => undefined } as never;
  registerState(registry, { catalogs: none, subscriptions: none, revisions: none, registryPolicies: none, content });
  registerAccountsPolicy(registry, () => undefined);
  countEvents(registry, () => undefined);
  countRepairs(registry);
  createHttpMetrics(registry, () => 0);
  return factsOf(registry);
}

/** Those that the console has beside the metrics of the process and of its requests to the API server. */
export function consoleMetrics(): readonly MetricFacts[] {
  const metrics = createConsoleMetrics();
  metrics.watch({ counts: { streams: 0, views: 0 } });
  return factsOf(metrics.registry).filter(({ name }) => name.startsWith('slipway_'));
}

function factsOf(registry: { readonly getMetricsAsArray: () => readonly unknown[] }): readonly MetricFacts[] {
  const metrics = registry.getMetricsAsArray() as readonly Registered[];
  return metrics.map(({ name, type, labelNames, help }) => ({ name, type, labels: labelNames ?? [], help }));
}

/** What prom-client's metrics have beside what their types say. */
interface Registered {
  readonly name: string;
  readonly type: string;
  readonly labelNames?: readonly string[];
  readonly help: string;
}

/**
 * The metrics that a manager made with controller-runtime 0.22 has by default, without those of Go's own runtime.
 * @see https://book.kubebuilder.io/reference/metrics-reference
 */
export const CONTROLLER_RUNTIME: readonly string[] = [
  'controller_runtime_reconcile_total',
  'controller_runtime_reconcile_errors_total',
  'controller_runtime_terminal_reconcile_errors_total',
  'controller_runtime_reconcile_panics_total',
  'controller_runtime_reconcile_timeouts_total',
  'controller_runtime_reconcile_time_seconds',
  'controller_runtime_max_concurrent_reconciles',
  'controller_runtime_active_workers',
  'controller_runtime_webhook_requests_total',
  'controller_runtime_webhook_requests_in_flight',
  'controller_runtime_webhook_latency_seconds',
  'controller_runtime_webhook_panics_total',
  'controller_runtime_conversion_webhook_panics_total',
  'workqueue_depth',
  'workqueue_adds_total',
  'workqueue_queue_duration_seconds',
  'workqueue_work_duration_seconds',
  'workqueue_unfinished_work_seconds',
  'workqueue_longest_running_processor_seconds',
  'workqueue_retries_total',
  'rest_client_requests_total',
  'leader_election_master_status',
  'certwatcher_read_certificate_total',
  'certwatcher_read_certificate_errors_total',
];

const NO_WEBHOOKS = 'The manager has no webhooks of its own.';
const NO_CERTIFICATES = 'The manager serves without TLS, so it watches no certificate files.';

/** The ones of these that the manager does not have, and the reasons. */
export const NOT_TOLD: ReadonlyMap<string, string> = new Map([
  [
    'controller_runtime_reconcile_panics_total',
    'There are no panics: a defect is an error like others, counted in `controller_runtime_reconcile_errors_total`.',
  ],
  [
    'controller_runtime_reconcile_timeouts_total',
    'A reconcile has no time limit as a whole: each of its requests has one.',
  ],
  ['controller_runtime_webhook_requests_total', NO_WEBHOOKS],
  ['controller_runtime_webhook_requests_in_flight', NO_WEBHOOKS],
  ['controller_runtime_webhook_latency_seconds', NO_WEBHOOKS],
  ['controller_runtime_webhook_panics_total', NO_WEBHOOKS],
  ['controller_runtime_conversion_webhook_panics_total', NO_WEBHOOKS],
  ['certwatcher_read_certificate_total', NO_CERTIFICATES],
  ['certwatcher_read_certificate_errors_total', NO_CERTIFICATES],
]);
