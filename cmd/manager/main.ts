#!/usr/bin/env node
/**
 * The manager: one process that runs the six controllers of wire.ts while it leads, and serves catalog content, health and
 * metrics whether it leads or not. Ends with exit code 0 after SIGTERM, and with 1 when it loses the lead: the kubelet then
 * restarts it without any state.
 */
import { pino } from 'pino';
import { createClient } from '../../kube/client/client.ts';
import { createLeaseFence } from '../../kube/election/fence.ts';
import { createLeaderElection } from '../../kube/election/leader-election.ts';
import { createLeaseClient, type LeaseClient } from '../../kube/election/lease-client.ts';
import { leaseTimings } from '../../kube/election/lease-record.ts';
import type { Log } from '../../kube/log.ts';
import type { RequestFacts } from '../../kube/transport/api-request.ts';
import { createTransport, type RootTransport } from '../../kube/transport/transport.ts';
import { createAccountsPolicy } from './accounts-policy.ts';
import type { HealthCheck } from '../serving/answer-checks.ts';
import { createCatalogAccess } from './catalog-access.ts';
import { connectionOf, describeEnd, logCrash, logSettings } from '../serving/program.ts';
import { createReachability, type Reachability } from '../serving/ready.ts';
import { VERSION } from '../serving/version.ts';
import { createLeaseWatch } from './checks.ts';
import { createMetrics, registerAccountsPolicy } from './metrics.ts';
import { describeOptions, parseOptions, type ManagerOptions } from './options.ts';
import { startServing } from './serving.ts';
import type { ManagerContext } from './parts.ts';
import { openFence, wireManager, type Manager } from './wire.ts';

const LEASE = 'slipway-manager';

async function main(): Promise<number> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`Usage: manager [options]\n\n${describeOptions()}\n`);
    return 0;
  }
  const options = parseOptions(process.argv.slice(2), process.env);
  const log = pino(logSettings(options), pino.destination({ sync: true }));
  logCrash(log);
  log.info({ version: VERSION }, 'the manager starts');
  for (const warning of options.warnings) log.warn(warning);
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort(new Error(name)));
  return run(options, log, stop.signal);
}

async function run(options: ManagerOptions, log: Log, signal: AbortSignal): Promise<number> {
  const { config, namespace } = await connectionOf(options);
  const { metrics, runtime } = createMetrics();
  const reachability = createReachability(() => client.raw('/readyz', AbortSignal.timeout(5000)));
  const listeners = [runtime.requests(new URL(config.server).host), reachability.seen];
  const onRequest = (facts: RequestFacts): void => listeners.forEach((listener) => listener(facts));
  const [transport, leaseTransport] = [createTransport(config, { onRequest }), createTransport(config, { onRequest })];
  const client = createClient(transport);
  const leases = createLeaseClient(leaseTransport);
  const over = new AbortController();
  const life = AbortSignal.any([signal, over.signal]);
  const distrust = (seconds: number): void => transport.distrust(seconds);
  const accounts = createAccountsPolicy(client, namespace, log);
  registerAccountsPolicy(metrics, accounts.inForce);
  void accounts.run(life);
  const context = {
    client,
    transport,
    leases,
    distrust,
    options,
    namespace,
    log,
    metrics,
    runtime,
    reachability,
    life,
  };
  try {
    return options['leader-elect'] ? await runElected(context, signal) : await runAlone(context, signal);
  } finally {
    over.abort(new Error('the manager ends'));
    transport.close();
    leaseTransport.close();
  }
}

interface ProgramContext extends Omit<ManagerContext, 'fence'> {
  /** For the lease alone. */
  readonly leases: LeaseClient;
  /** Called when a connection to the API server has proved dead, so that no watch waits on another dead one. */
  readonly distrust: RootTransport['distrust'];
  readonly reachability: Reachability;
  /** For requests about objects without a name, such as reviews of tokens. */
  readonly transport: Pick<RootTransport, 'request'>;
  /** Aborts when the manager ends, for whatever reason. */
  readonly life: AbortSignal;
}

async function runAlone(context: ProgramContext, signal: AbortSignal): Promise<number> {
  const manager = wireManager({ ...context, fence: openFence() });
  await using _server = await serveManager(context, manager);
  manager.informers.start(context.life);
  context.runtime.leader(LEASE, true);
  await manager.run(signal);
  return 0;
}

async function runElected(context: ProgramContext, signal: AbortSignal): Promise<number> {
  const { options, runtime, leases, namespace, log, distrust, life } = context;
  runtime.leader(LEASE, false);
  const fence = createLeaseFence();
  const manager = wireManager({ ...context, fence });
  const timings = leaseTimings(options['lease-seconds']);
  const lease = createLeaseWatch(timings.leaseSeconds);
  await using _server = await serveManager(context, manager, new Map([['lease', lease.check]]));
  manager.informers.start(life);
  const standingBy = new AbortController();
  const followed = manager.follow(AbortSignal.any([signal, standingBy.signal]));
  const election = createLeaderElection({
    client: lease.watch(leases),
    fence,
    namespace,
    name: LEASE,
    identity: `${options.identity}-${Math.random().toString(36).slice(2, 10)}`,
    log,
    timings,
    onSilence: distrust,
    onStarted: async (leading) => {
      runtime.leader(LEASE, true);
      lease.leads(true);
      standingBy.abort(new Error('this replica leads'));
      await followed;
      return manager.run(leading);
    },
    onStopped: () => {
      runtime.leader(LEASE, false);
      lease.leads(false);
    },
  });
  const ended = await election.run(signal);
  await followed;
  if (ended === 'lost') log.error({ lease: LEASE }, 'another replica leads; ending');
  return ended === 'lost' ? 1 : 0;
}

function serveManager(
  { transport, options, reachability, metrics, log }: ProgramContext,
  manager: Manager,
  live: ReadonlyMap<string, HealthCheck> = new Map(),
): Promise<AsyncDisposable> {
  const ready = new Map([
    ['informers', manager.cachesReady],
    ['api-server', reachability.check],
    ['catalogs', manager.catalogsReady],
    ['reconciles', manager.work],
  ]);
  const authorize = options['catalog-auth'] === 'token' ? createCatalogAccess({ transport, log }) : undefined;
  const checks = { live, ready };
  return startServing({ options, metrics, log, content: manager.content, checks, ...(authorize && { authorize }) });
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(describeEnd('manager', error));
  process.exitCode = 1;
}
// A replica that has lost the lead and does not end keeps the kubelet from starting its successor.
process.exit();
