/** Runs the manager as a process with the environment, the token and the rights of its Pod: never as admin. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestCluster } from '../cluster/cluster.ts';
import { programFile } from '../../scripts/test-programs.ts';
import { COMPILE_CACHE } from './shared.ts';
import { until } from './until.ts';

export const ROOT: string = resolve(import.meta.dirname, '../..');
export const SYSTEM = 'slipway-system';

export interface RunningManager {
  readonly pid: number;
  /** `http://127.0.0.1:port` of metrics and catalogs. */
  readonly url: string;
  /** `http://127.0.0.1:port` of /healthz and /readyz. */
  readonly probes: string;
  /** Everything that it has logged. */
  log(): string;
  /** The file of the log, for a test that reads it piece by piece. */
  readonly logFile: string;
  /** SIGTERM, and waits for the end; resolves with the exit code. */
  stop(): Promise<number | null>;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Resolves when its process has ended, for whatever reason; with the exit code, null if a signal ended it. */
  readonly ended: Promise<number | null>;
}

/**
 * For tests that wait until objects of an owner of Slipway's kinds are gone, or until dependents of an object of OLM are orphaned:
 * the collector of kube-controller-manager learns of kinds every half a minute, and when it starts.
 */
export function restartCollector(cluster: TestCluster): Promise<void> {
  return cluster.restart('kube-controller-manager');
}

/** Applies the CRDs, the rights and, unless it is not wanted, the policy of deploy/, as `kubectl apply` would. */
export async function installSlipway(cluster: TestCluster, { policy = true } = {}): Promise<void> {
  const folders = ['rbac', 'crds', ...(policy ? ['policies'] : [])];
  await cluster.kubectl(['apply', ...folders.flatMap((folder) => ['-f', join(ROOT, 'deploy', folder)])]);
  await cluster.kubectl(['wait', '--for=condition=Established', '--timeout=180s', '-f', join(ROOT, 'deploy/crds')]);
}

/** Whether its process runs, or is stopped. */
export function isAlive({ pid }: RunningManager): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

let count = 0;
/** A machine with much other work takes many times as long as a quiet one. */
const STARTS_WITHIN_SECONDS = 180;

/** Starts the manager and resolves when it is ready; `program` is the file that Node runs, with Node's options. */
export async function startManager(
  cluster: TestCluster,
  env: Readonly<Record<string, string>> = {},
  program: readonly string[] = [programFile('manager')],
): Promise<RunningManager> {
  const folder = join(cluster.folder, 'manager', String(++count));
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, 'log');
  const output = openSync(logFile, 'a');
  const child = spawn(process.execPath, program, {
    cwd: folder,
    env: {
      ...(await podEnvironment(cluster)),
      SLIPWAY_DATA_FOLDER: join(cluster.folder, 'manager', 'data'),
      POD_NAME: `manager-${count}`,
      // No kubelet restarts it when it loses the lead, which happens on a busy machine.
      SLIPWAY_LEASE_SECONDS: '60',
      ...env,
    },
    stdio: ['ignore', output, output],
  });
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  const log = (): string => readFileSync(logFile, 'utf8');
  const { url, probes } = await addressesOf(child, log);
  await until(`the manager is ready`, async () => (await fetch(`${probes}/readyz`)).ok, {
    timeoutSeconds: STARTS_WITHIN_SECONDS,
    explain: log,
  });
  return {
    pid: child.pid ?? 0,
    url,
    probes,
    log,
    logFile,
    stop: () => signalToEnd(child, 'SIGTERM', ended),
    kill: async (signal) => void (await signalToEnd(child, signal, ended)),
    ended,
  };
}

async function podEnvironment(cluster: TestCluster): Promise<Record<string, string>> {
  const { hostname, port } = new URL(cluster.server);
  return {
    PATH: process.env['PATH'] ?? '',
    ...COMPILE_CACHE,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    SLIPWAY_ACCOUNT_FOLDER: await cluster.podFiles(SYSTEM, 'slipway-manager'),
    SLIPWAY_LISTEN: '127.0.0.1:0',
    SLIPWAY_LISTEN_PROBES: '127.0.0.1:0',
    SLIPWAY_PLAIN_HTTP: cluster.registry,
    SLIPWAY_PROBE_WEBHOOKS: String(runsPods(cluster)),
  };
}

/** Pods on fake nodes report that they are ready, and no program in them answers. */
function runsPods(cluster: TestCluster): boolean {
  return [...cluster.processes().keys()].some((name) => name.startsWith('node-'));
}

/** The release before has one port for both, and logs one line. */
const SERVING = /"port":(\d+).*serving (?:metrics|health)/;
const PROBED = /"port":(\d+).*serving (?:probes|health)/;

async function addressesOf(child: ChildProcess, log: () => string): Promise<Pick<RunningManager, 'url' | 'probes'>> {
  await until('the manager listens', () => child.exitCode !== null || SERVING.test(log()), {
    timeoutSeconds: STARTS_WITHIN_SECONDS,
    explain: log,
  });
  const [url, probes] = [SERVING, PROBED].map((line) => `http://127.0.0.1:${line.exec(log())?.[1]}`);
  if (!SERVING.test(log())) throw new Error(`the manager ended with ${child.exitCode}:\n${log()}`);
  return { url: url!, probes: probes! };
}

function signalToEnd(
  child: ChildProcess,
  signal: NodeJS.Signals,
  ended: Promise<number | null>,
): Promise<number | null> {
  child.kill(signal);
  return ended;
}
