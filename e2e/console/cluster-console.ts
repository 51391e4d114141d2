/** Runs the console of a cluster as a process with the account, the token and the rights of its Pod. */
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestCluster } from '../cluster/cluster.ts';
import { pickPorts } from '../cluster/ports.ts';
import { ROOT, SYSTEM } from '../lib/manager.ts';
import { COMPILE_CACHE } from '../lib/shared.ts';
import { until } from '../lib/until.ts';

export interface ClusterConsole {
  readonly pid: number;
  /** `http://127.0.0.1:port`, under which it is reached. */
  readonly address: string;
  /** Address of /metrics. */
  readonly metrics: string;
  log(): string;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts it when the rights of deploy/console are there; `program` is the script that Node runs, with its options. */
export async function startClusterConsole(
  cluster: TestCluster,
  env: Readonly<Record<string, string>> = {},
  program: readonly string[] = [join(ROOT, 'cmd/console/main.ts')],
): Promise<ClusterConsole> {
  await cluster.kubectl(['apply', '-f', join(ROOT, 'deploy/console/rbac.yaml')]);
  const folder = join(cluster.folder, 'console');
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, 'log');
  const output = openSync(logFile, 'a');
  // The console checks the name under which it is reached, so its port has to be known before.
  const [port] = (await pickPorts(1)) as [number];
  const { hostname, port: apiPort } = new URL(cluster.server);
  const child = spawn(process.execPath, program, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      ...COMPILE_CACHE,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: apiPort,
      SLIPWAY_ACCOUNT_FOLDER: await cluster.podFiles(SYSTEM, 'slipway-console'),
      SLIPWAY_CONSOLE_URL: `http://127.0.0.1:${port}`,
      SLIPWAY_CONSOLE_LISTEN: `127.0.0.1:${port}`,
      SLIPWAY_CONSOLE_LISTEN_PROBES: '127.0.0.1:0',
      SLIPWAY_CONSOLE_LISTEN_METRICS: '127.0.0.1:0',
      POD_NAMESPACE: SYSTEM,
      ...env,
    },
    stdio: ['ignore', output, output],
  });
  const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  const log = (): string => readFileSync(logFile, 'utf8');
  const portOf = (line: RegExp): string | undefined => line.exec(log())?.[1];
  const probes = await until('the console listens', () => portOf(/"port":(\d+).*serving probes/), { explain: log });
  await until('the console is ready', async () => (await fetch(`http://127.0.0.1:${probes}/readyz`)).ok, {
    explain: log,
  });
  return {
    pid: child.pid ?? 0,
    address: `http://127.0.0.1:${port}`,
    metrics: `http://127.0.0.1:${portOf(/"port":(\d+).*serving metrics/)}/metrics`,
    log,
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
