/** Counts the requests of clients to the HTTP endpoint, and the refused ones; of this replica alone. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Full } from '../../catalog/http/in-flight.ts';
import type { ServerEvents } from '../serving/limited-server.ts';

export interface HttpMetrics {
  readonly facts: ServerEvents;
  /** A request for content was refused, as there were enough bodies. */
  readonly full: (full: Full) => void;
}

const REFUSED = ['connections', 'connections-of-address', 'bodies', 'bodies-of-address'] as const;
const CUT = ['request', 'answer'] as const;

/** @param bodies How many catalog contents are being sent. */
export function createHttpMetrics(registry: Registry, bodies: () => number): HttpMetrics {
  const registers = [registry];
  const open = new Gauge({
    name: 'slipway_http_connections',
    help: 'Connections of clients to metrics and catalog content.',
    registers,
  });
  const sending: Gauge = new Gauge({
    name: 'slipway_http_catalog_bodies',
    help: 'Catalog contents that are being sent.',
    registers,
    collect: () => sending.set(bodies()),
  });
  const refused = new Counter({
    name: 'slipway_http_refused_total',
    help: 'Connections that were closed at once, and requests for content answered with 503, by the limit that was reached.',
    labelNames: ['limit'],
    registers,
  });
  const cut = new Counter({
    name: 'slipway_http_cut_total',
    help: 'Connections that were closed since the request did not arrive in time, or the client read nothing of its answer.',
    labelNames: ['waiting'],
    registers,
  });
  for (const limit of REFUSED) refused.inc({ limit }, 0);
  for (const waiting of CUT) cut.inc({ waiting }, 0);
  const refuse = (limit: (typeof REFUSED)[number]): void => refused.inc({ limit });
  return {
    facts: {
      connections: (count) => open.set(count),
      refused: (why) => refuse(why === 'total' ? 'connections' : 'connections-of-address'),
      cut: (waiting: (typeof CUT)[number]) => cut.inc({ waiting }),
    },
    full: (full) => refuse(full === 'total' ? 'bodies' : 'bodies-of-address'),
  };
}
