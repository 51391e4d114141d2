/**
 * The runtime's metrics under the names of controller-runtime and client-go, so that existing dashboards and alerts
 * work. Observers' calls update a prom-client registry; another module serves it.
 * @see https://book.kubebuilder.io/reference/metrics-reference
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ControllerObserver } from './controller/controller.ts';
import type { RequestFacts } from './transport/api-request.ts';
import type { QueueObserver, WorkQueue } from './controller/work-queue.ts';

export interface RuntimeMetrics {
  /** For `onRequest` of a transport to `host`. */
  requests(host: string): (facts: RequestFacts) => void;
  /** For `observer` of a controller; one per name. */
  controller(name: string): ControllerObserver;
  /** Records whether this process leads by the lease of that name. */
  leader(name: string, leads: boolean): void;
}

/** Registers the metrics; call it once per registry. */
export function createRuntimeMetrics(registry: Registry): RuntimeMetrics {
  const requests = requestMetrics(registry);
  const queues = queueMetrics(registry);
  const controllers = controllerMetrics(registry);
  const leader = gauge(registry, 'leader_election_master_status', 'Whether this process leads, by lease.', ['name']);
  return {
    requests: (host) => (facts) => requests(host, facts),
    controller: (name) => ({ ...controllers(name, queues.watch), queue: queues.observer(name) }),
    leader: (name, leads) => leader.set({ name }, leads ? 1 : 0),
  };
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

function requestMetrics(registry: Registry): (host: string, facts: RequestFacts) => void {
  const total = counter(registry, 'rest_client_requests_total', 'Requests to the API server.', [
    'code',
    'method',
    'host',
  ]);
  const seconds = histogram(registry, 'rest_client_request_duration_seconds', 'Time of a request.', ['verb', 'host']);
  return (host, { method, status, seconds: took }) => {
    total.inc({ code: status === 0 ? '<error>' : String(status), method, host });
    seconds.observe({ verb: method, host }, took);
  };
}

interface QueueMetrics {
  readonly watch: (name: string, queue: WorkQueue) => void;
  readonly observer: (name: string) => QueueObserver;
}

function queueMetrics(registry: Registry): QueueMetrics {
  const queues = new Map<string, WorkQueue>();
  const each = (name: string, help: string, read: (queue: WorkQueue) => number): void => {
    const metric = gauge(registry, name, help, ['name', 'controller'], () => {
      for (const [queueName, queue] of queues) metric.set(labels(queueName), read(queue));
    });
  };
  each('workqueue_depth', 'Keys that wait for a worker.', (queue) => queue.length);
  each('workqueue_unfinished_work_seconds', 'Time spent so far on keys in work.', (queue) =>
    queue.unfinished().reduce((sum, { seconds }) => sum + seconds, 0),
  );
  each('workqueue_longest_running_processor_seconds', 'Time spent so far on the oldest key in work.', (queue) =>
    Math.max(0, ...queue.unfinished().map(({ seconds }) => seconds)),
  );
  const adds = counter(registry, 'workqueue_adds_total', 'Keys added.', ['name', 'controller']);
  const retries = counter(registry, 'workqueue_retries_total', 'Keys added again after a failure.', [
    'name',
    'controller',
  ]);
  const waited = histogram(registry, 'workqueue_queue_duration_seconds', 'Time a key waits for a worker.', [
    'name',
    'controller',
  ]);
  const worked = histogram(registry, 'workqueue_work_duration_seconds', 'Time a worker takes for a key.', [
    'name',
    'controller',
  ]);
  return {
    watch: (name, queue) => void queues.set(name, queue),
    observer: (name) => ({
      added: () => adds.inc(labels(name)),
      taken: (seconds) => waited.observe(labels(name), seconds),
      finished: (seconds) => worked.observe(labels(name), seconds),
      retried: () => retries.inc(labels(name)),
    }),
  };
}

function labels(name: string): { readonly name: string; readonly controller: string } {
  return { name, controller: name };
}

function controllerMetrics(
  registry: Registry,
): (controller: string, watchQueue: (name: string, queue: WorkQueue) => void) => Omit<ControllerObserver, 'queue'> {
  const prefix = 'controller_runtime';
  const total = counter(registry, `${prefix}_reconcile_total`, 'Reconciles by result.', ['controller', 'result']);
  const errors = counter(registry, `${prefix}_reconcile_errors_total`, 'Reconciles that failed.', ['controller']);
  const terminal = counter(registry, `${prefix}_terminal_reconcile_errors_total`, 'Failures that are not retried.', [
    'controller',
  ]);
  const time = histogram(registry, `${prefix}_reconcile_time_seconds`, 'Time of a reconcile.', ['controller']);
  const active = gauge(registry, `${prefix}_active_workers`, 'Reconciles under way.', ['controller']);
  const most = gauge(registry, `${prefix}_max_concurrent_reconciles`, 'Reconciles at once at most.', ['controller']);
  return (controller, watchQueue) => ({
    attach(queue, concurrency) {
      watchQueue(controller, queue);
      most.set({ controller }, concurrency);
      active.set({ controller }, 0);
      for (const result of ['success', 'requeue', 'requeue_after', 'error']) total.inc({ controller, result }, 0);
    },
    started: () => active.inc({ controller }),
    finished(outcome, seconds) {
      active.dec({ controller });
      time.observe({ controller }, seconds);
      total.inc({ controller, result: outcome === 'terminal_error' ? 'error' : outcome });
      if (outcome === 'error' || outcome === 'terminal_error') errors.inc({ controller });
      if (outcome === 'terminal_error') terminal.inc({ controller });
    },
  });
}

function counter<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: Label[],
): Counter<Label> {
  return new Counter({ name, help, labelNames, registers: [registry] });
}

function gauge<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: Label[],
  collect?: () => void,
): Gauge<Label> {
  return new Gauge({ name, help, labelNames, registers: [registry], ...(collect !== undefined && { collect }) });
}

function histogram<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: Label[],
): Histogram<Label> {
  return new Histogram({ name, help, labelNames, buckets: SECONDS, registers: [registry] });
}
