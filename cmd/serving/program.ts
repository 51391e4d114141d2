/** Parts of the main file that the programs in a cluster share: log, connection, the end. */
import { delimiter } from 'node:path';
import { stdTimeFunctions, type LoggerOptions } from 'pino';
import { ReasonedError } from '../../api/errors.ts';
import type { Log } from '../../kube/log.ts';
import { loadKubeconfig } from '../../kube/kubeconfig/kubeconfig.ts';
import { inClusterConfig, readPodNamespace, type ConnectionConfig } from '../../kube/transport/config.ts';

export interface LogOptions {
  readonly 'log-level': 'debug' | 'info' | 'warn' | 'error';
  readonly 'log-format': 'numbers' | 'words';
}

export function logSettings(options: LogOptions): LoggerOptions {
  const level = options['log-level'];
  if (options['log-format'] === 'numbers') return { level };
  return { level, timestamp: stdTimeFunctions.isoTime, formatters: { level: (word) => ({ level: word }) } };
}

export interface ConnectionOptions {
  readonly kubeconfig?: string | undefined;
  readonly namespace?: string | undefined;
  readonly 'service-host'?: string | undefined;
  readonly 'service-port': string;
  readonly 'account-folder': string;
}

/** The API server and the namespace of the program. @throws ReasonedError InvalidConfiguration, KubeconfigInvalid */
export async function connectionOf(
  options: ConnectionOptions,
): Promise<{ readonly config: ConnectionConfig; readonly namespace: string }> {
  if (options.kubeconfig !== undefined) {
    const { config, namespace } = await loadKubeconfig(
      options.kubeconfig.split(delimiter).filter((path) => path !== ''),
    );
    return { config, namespace: options.namespace ?? namespace };
  }
  const host = options['service-host'];
  if (host === undefined) {
    throw new ReasonedError({
      reason: 'InvalidConfiguration',
      retry: 'never',
      message: 'No API server: neither --kubeconfig nor KUBERNETES_SERVICE_HOST is set',
      hint: 'Run in a Pod with a ServiceAccount, or name a kubeconfig',
    });
  }
  const folder = options['account-folder'];
  const config = inClusterConfig({ host, port: options['service-port'], folder });
  return { config, namespace: options.namespace ?? (await readPodNamespace(folder)) };
}

/** Logs an error that nothing handles, with its stack; then it ends the process as ever. */
export function logCrash(log: Pick<Log, 'error'>): void {
  process.on('uncaughtExceptionMonitor', (err, origin) =>
    log.error({ err, origin }, 'ending by an error that nothing handles: this is a defect of the program'),
  );
}

/** The error that ended a program, in words for its log. */
export function describeEnd(program: string, error: unknown): string {
  const message = error instanceof ReasonedError ? error.describe() : ((error as Error).stack ?? String(error));
  return `${program}: ${message}\n`;
}
