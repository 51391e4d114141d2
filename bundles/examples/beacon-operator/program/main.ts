#!/usr/bin/env node
/**
 * The beacon operator: an example of a small operator, built on Slipway's controller runtime. Every replica answers
 * health checks and the API server's webhooks; the one that leads keeps the Beacons lit. Ends with 0 after SIGTERM and with
 * 1 when it loses the lead or fails to start.
 */
import { pino } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { inClusterConfig, readPodNamespace, type ConnectionConfig } from '../../../../kube/transport/config.ts';
import { createClient } from '../../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../../kube/kubeconfig/kubeconfig.ts';
import { createLeaseFence } from '../../../../kube/election/fence.ts';
import { createLeaderElection } from '../../../../kube/election/leader-election.ts';
import type { Log } from '../../../../kube/log.ts';
import { createRuntimeMetrics } from '../../../../kube/metrics.ts';
import { createTransport } from '../../../../kube/transport/transport.ts';
import { createBeaconController } from './controller.ts';
import { serveHealth } from './health-server.ts';
import { parseOptions, type Options } from './options.ts';
import { serveWebhooks } from './webhook-server.ts';

const LEASE = 'beacon-operator';

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), process.env);
  const log = pino({ level: 'info', base: { release: options.release } }, pino.destination({ sync: true }));
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort(new Error(name)));
  log.info({ watch: options.watch, api: options['api-version'] }, 'the beacon operator starts');
  if (options.fault === 'crash') {
    log.error({}, 'the table of colours is damaged: expected 3 colours, found 0');
    return 3;
  }
  return run(options, log, stop.signal);
}

async function run(options: Options, log: Log, signal: AbortSignal): Promise<number> {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const runtime = createRuntimeMetrics(metrics);
  const { config, namespace } = await connectionOf(options);
  const transport = createTransport(config, { onRequest: runtime.requests(new URL(config.server).host) });
  const client = createClient(transport, { fieldManager: 'beacon-operator' });
  const deaf = options.fault === 'deaf-webhooks';
  try {
    await using _webhooks = deaf ? undefined : await startWebhooks(options, log);
    await using _health = await serveHealth({ port: options['health-port'], metrics, unready: () => faultOf(options) });
    if (faultOf(options) !== undefined) log.warn({}, `not ready: ${faultOf(options)}`);
    const fence = createLeaseFence();
    const election = createLeaderElection({
      client,
      fence,
      namespace,
      name: LEASE,
      identity: `${options.podName}-${Math.random().toString(36).slice(2, 10)}`,
      log,
      onStarted: (leading) => createBeaconController({ client, fence, options, log, runtime }).run(leading),
    });
    return (await election.run(signal)) === 'lost' ? 1 : 0;
  } finally {
    transport.close();
  }
}

async function startWebhooks(options: Options, log: Log): Promise<AsyncDisposable | undefined> {
  const { certificates } = options;
  if (certificates === undefined) return undefined;
  const deafTo = options.fault === 'deaf-admission' ? ['/default', '/validate'] : [];
  const webhooks = await serveWebhooks({ port: options['webhook-port'], certificates, log, deafTo });
  log.info({ port: webhooks.port }, 'serving webhooks');
  return webhooks;
}

/** Why the program is never ready, if it simulates a fault. */
function faultOf({ fault }: Options): string | undefined {
  return fault === 'never-ready' ? 'the lamp oil has not arrived' : undefined;
}

async function connectionOf(
  options: Options,
): Promise<{ readonly config: ConnectionConfig; readonly namespace: string }> {
  if (options.kubeconfig !== undefined) return loadKubeconfig(options.kubeconfig);
  const { host, servicePort: port, accountFolder: folder } = options;
  if (host === undefined) throw new Error('no API server: neither --kubeconfig nor KUBERNETES_SERVICE_HOST is set');
  return { config: inClusterConfig({ host, port, folder }), namespace: await readPodNamespace(folder) };
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`beacon-operator: ${(error as Error).stack ?? String(error)}\n`);
  process.exitCode = 1;
}
