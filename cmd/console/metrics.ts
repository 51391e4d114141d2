/** Metrics of the console, beside those of the process and of its requests to the API server. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { FullSlots } from '../../apply/shared-slots.ts';
import type { LiveHub } from '../../console/server/live/hub.ts';
import { createRuntimeMetrics, type RuntimeMetrics } from '../../kube/metrics.ts';
import type { ServerEvents } from '../serving/limited-server.ts';

export interface ConsoleMetrics {
  readonly registry: Registry;
  readonly runtime: RuntimeMetrics;
  readonly facts: ServerEvents;
  readonly computed: (seconds: number) => void;
  readonly act: (kind: string, outcome: 'done' | 'refused') => void;
  /** A login was refused, as too many wait from its address, or from all. */
  readonly loginsFull: (full: FullSlots) => void;
  /** Counts what is open in the hub from now on. */
  watch(hub: Pick<LiveHub, 'counts'>): void;
}

export function createConsoleMetrics(): ConsoleMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const connections = new Gauge({ name: 'slipway_console_connections', help: 'Connections of browsers.', registers });
  const closed = new Counter({
    name: 'slipway_console_closed_total',
    help: 'Connections that the console closed, by the limit or the wait that was the cause.',
    labelNames: ['cause'],
    registers,
  });
  for (const cause of ['total', 'address', 'request', 'answer']) closed.inc({ cause }, 0);
  const views = new Histogram({
    name: 'slipway_console_view_duration_seconds',
    help: 'Time to compute a view, with the reads that it asks for.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const acts = new Counter({
    name: 'slipway_console_acts_total',
    help: 'Acts of people, by kind, and whether the API server accepted them.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const logins = new Counter({
    name: 'slipway_console_logins_refused_total',
    help: 'Logins that the console refused since too many waited, of all or of their address.',
    labelNames: ['cause'],
    registers,
  });
  for (const cause of ['total', 'address']) logins.inc({ cause }, 0);
  return {
    registry,
    runtime: createRuntimeMetrics(registry),
    facts: {
      connections: (open) => connections.set(open),
      refused: (cause) => closed.inc({ cause }),
      cut: (cause) => closed.inc({ cause }),
    },
    computed: (seconds) => views.observe(seconds),
    act: (kind, outcome) => acts.inc({ kind, outcome }),
    loginsFull: (full) => logins.inc({ cause: full === 'all' ? 'total' : 'address' }),
    watch(hub) {
      const streams: Gauge = new Gauge({
        name: 'slipway_console_streams',
        help: 'Pages that are open in browsers.',
        registers,
        collect: () => streams.set(hub.counts.streams),
      });
      const shown: Gauge = new Gauge({
        name: 'slipway_console_views',
        help: 'Views that are computed for them: browsers of one person that show the same view share one.',
        registers,
        collect: () => shown.set(hub.counts.views),
      });
    },
  };
}
