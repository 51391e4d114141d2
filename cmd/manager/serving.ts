/** Opens the manager's two ports: content and metrics within limits, and probes. */
import type { Registry } from 'prom-client';
import { createInFlight } from '../../catalog/http/in-flight.ts';
import { createCatalogHandler, type ServeOptions } from '../../catalog/serve.ts';
import type { CatalogContent } from '../../controllers/catalog-content.ts';
import type { Log } from '../../kube/log.ts';
import type { Checks } from '../serving/answer-checks.ts';
import { createHttpMetrics } from './http-metrics.ts';
import type { ManagerOptions } from './options.ts';
import { serveContent, serveProbes } from '../serving/server.ts';

export interface ServingOptions {
  readonly options: ManagerOptions;
  readonly content: Pick<CatalogContent, 'borrow'>;
  readonly checks: Checks;
  readonly metrics: Registry;
  readonly log: Log;
  /** Decides whether a client may read content; if absent, every client that reaches the port may. */
  readonly authorize?: ServeOptions['authorize'];
}

/** Both ports, until it is disposed of. */
export async function startServing(serving: ServingOptions): Promise<AsyncDisposable> {
  const { options, content, checks, metrics, log, authorize } = serving;
  const bodies = createInFlight({
    total: options['max-catalog-bodies'],
    perClient: options['max-catalog-bodies-per-address'],
  });
  const http = createHttpMetrics(metrics, () => bodies.count());
  const catalogs = createCatalogHandler({
    borrow: (name) => content.borrow(name),
    bodies,
    onFull: http.full,
    onError: (err, catalog) => log.error({ err, catalog }, 'catalog content cannot be served'),
    ...(authorize !== undefined && { authorize }),
  });
  const probes = await serveProbes({ listen: options['listen-probes'], checks });
  const server = await serveContent({
    listen: options.listen,
    limits: {
      connections: options['max-connections'],
      perAddress: options['max-connections-per-address'],
      stallMs: options['client-timeout'] * 1000,
    },
    facts: http.facts,
    checks,
    metrics,
    catalogs,
  });
  log.info({ port: probes.port }, 'serving probes');
  log.info({ port: server.port }, 'serving metrics and catalogs');
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all([server.close(), probes.close()]);
    },
  };
}
