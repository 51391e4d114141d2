/** The console in a cluster: its parts, its ports, and its end. */
import { readFile } from 'node:fs/promises';
import { aborted } from '../../api/aborted.ts';
import { clientOfAddress } from '../../console/server/client-of-address.ts';
import { assembleConsole, type AssembledConsole } from '../../console/server/assemble.ts';
import { documentsOfManager } from '../../console/server/documents.ts';
import { loadPages } from '../../console/server/load-pages.ts';
import { scopesOfCluster } from '../../console/server/scopes.ts';
import { VIEWS } from '../../console/data/views.ts';
import { createClient, type Client } from '../../kube/client/client.ts';
import { impersonating } from '../../kube/client/impersonate.ts';
import { systemClock } from '../../kube/clock.ts';
import type { Log } from '../../kube/log.ts';
import { fileSource } from '../../kube/transport/config.ts';
import { createTransport, type RootTransport } from '../../kube/transport/transport.ts';
import { MANAGER } from '../../report/manager.ts';
import { startServer, type ListenOptions, type RunningServer } from '../serving/limited-server.ts';
import { connectionOf } from '../serving/program.ts';
import { serveContent, serveProbes } from '../serving/server.ts';
import { VERSION } from '../serving/version.ts';
import { readyChecks } from './checks.ts';
import { loginOf } from './logins.ts';
import { createConsoleMetrics, type ConsoleMetrics } from './metrics.ts';
import { connectionsPerAddress, warningsOf } from './option-rules.ts';
import type { ConsoleFlags } from './options.ts';
import { sessionKeys } from './session-keys.ts';

/** Until the signal aborts. @throws ReasonedError InvalidConfiguration, KubeconfigInvalid */
export async function run(options: ConsoleFlags, log: Log, signal: AbortSignal): Promise<void> {
  for (const warning of warningsOf(options)) log.warn({ url: options['external-url'] }, warning);
  const { config, namespace } = await connectionOf(options);
  const metrics = createConsoleMetrics();
  const onRequest = metrics.runtime.requests(new URL(config.server).host);
  const transport = createTransport(config, { onRequest, userAgent: 'slipway-console' });
  const client = createClient(transport);
  try {
    const assembled = await assemble(options, { client, transport, namespace, log, metrics });
    metrics.watch(assembled.hub);
    assembled.start(signal);
    await using _ports = await openPorts(options, { assembled, metrics, log });
    await aborted(signal);
    log.info({}, 'ending');
  } finally {
    transport.close();
  }
}

interface Wiring {
  readonly client: Client;
  readonly transport: RootTransport;
  readonly namespace: string;
  readonly log: Log;
  readonly metrics: ConsoleMetrics;
}

async function assemble(options: ConsoleFlags, wiring: Wiring): Promise<AssembledConsole> {
  const { client, transport, namespace, log, metrics } = wiring;
  const keys = sessionKeys(options['session-keys']);
  await keys();
  if (options['session-keys'] === undefined && !options.login.has('proxy'))
    log.warn({}, 'sessions end with this process, and replicas do not share them: set --session-keys');
  const url = options['manager-url'] ?? `http://${MANAGER}.${namespace}.svc`;
  const token = options['content-token-file'];
  return assembleConsole({
    views: VIEWS,
    client,
    scopes: scopesOfCluster(namespace),
    acting: {
      clientOf: (person) => client.as(person),
      transportOf: (person) => impersonating(transport, person),
    },
    documents: documentsOfManager({ url, ...(token !== undefined && { token: tokenIn(token) }) }),
    login: (endSession) => loginOf({ options, transport, keys, log, endSession, onFull: metrics.loginsFull }),
    hosts: { origin: options['external-url'] },
    pages: loadPages,
    readOnly: options['read-only'],
    systemNamespace: namespace,
    version: VERSION,
    log,
    streams: {
      mostStreams: options['max-streams'],
      mostStreamsOfPerson: options['max-streams-per-person'],
      onComputed: metrics.computed,
    },
    onAct: metrics.act,
  });
}

function tokenIn(file: string): () => Promise<string> {
  const text = fileSource(file);
  return async () => (await text()).trim();
}

interface Ports {
  readonly assembled: AssembledConsole;
  readonly metrics: ConsoleMetrics;
  readonly log: Log;
}

/** Longer than the time between two heartbeats. */
const STALL_MS = 60_000;
const METRICS_LIMITS = { connections: 64, perAddress: 32, stallMs: 10_000 };

async function openPorts(options: ConsoleFlags, { assembled, metrics, log }: Ports): Promise<AsyncDisposable> {
  const checks = { ready: readyChecks(assembled.caches), live: new Map() };
  const probes = await serveProbes({ listen: options['listen-probes'], checks });
  const numbers = await serveContent({
    listen: options['listen-metrics'],
    limits: METRICS_LIMITS,
    checks,
    metrics: metrics.registry,
  });
  const tls = await readTls(options);
  const server = await startServer({
    listen: options.listen,
    limits: {
      connections: options['max-connections'],
      perAddress: connectionsPerAddress(options),
      clientOf: clientOfAddress,
      stallMs: STALL_MS,
    },
    facts: metrics.facts,
    answer: assembled.handler,
    ...(tls !== undefined && { tls }),
  });
  const stopRenewing = tls === undefined ? () => undefined : renewing(options, server, log);
  log.info({ port: probes.port }, 'serving probes');
  log.info({ port: numbers.port }, 'serving metrics');
  log.info({ port: server.port, url: options['external-url'] }, 'serving the console');
  return {
    async [Symbol.asyncDispose]() {
      stopRenewing();
      await Promise.all([server.close(), numbers.close(), probes.close()]);
    },
  };
}

type Tls = NonNullable<ListenOptions['tls']>;

async function readTls(options: ConsoleFlags): Promise<Tls | undefined> {
  const { 'tls-cert-file': cert, 'tls-key-file': key, 'proxy-ca-file': ca } = options;
  if (cert === undefined || key === undefined) return undefined;
  return {
    cert: await readFile(cert),
    key: await readFile(key),
    // A client without a certificate gets an answer, which is that it is not the proxy.
    ...(ca !== undefined && { ca: await readFile(ca), requestCert: true, rejectUnauthorized: false }),
  };
}

const RENEW_SECONDS = 60;

/** Certificates are replaced while the console runs. */
function renewing(options: ConsoleFlags, server: RunningServer, log: Log): () => void {
  let cancel = systemClock.after(RENEW_SECONDS, renew);
  function renew(): void {
    void readTls(options)
      .then((tls) => tls !== undefined && server.setCertificate(tls))
      .catch((err: unknown) => log.warn({ err }, 'the certificate cannot be read again'))
      .finally(() => (cancel = systemClock.after(RENEW_SECONDS, renew)));
  }
  return () => cancel();
}
