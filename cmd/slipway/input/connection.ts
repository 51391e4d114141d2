/** Connects to the cluster that kubectl would use: kubeconfig files by flag, variable or home, or the account of a Pod. */
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig, type Kubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { inClusterConfig, readPodNamespace } from '../../../kube/transport/config.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import type { Environment } from '../environment.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

/** The flags that choose a cluster and a namespace. */
export interface KubeFlags {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface Connection {
  readonly client: Client;
  /** For answers that are no objects, such as logs, and for requests that are written out. */
  readonly transport: Pick<Transport, 'request' | 'stream'>;
  /** That of the flag, else that of the context. */
  readonly namespace: string;
}

/** Field manager of the writes of the command line; `slipway` is the manager's. */
const CLI_FIELD_MANAGER = 'slipway-cli';

/** About a second, in place of five: most servers that do not answer a person's first request are never going to. */
const FIRST_ATTEMPTS = 4;

/**
 * Runs `work` with a connection, and closes it. @throws ReasonedError InputInvalid, KubeconfigInvalid, and the errors of
 * the API server. @param hint What to do if no kubeconfig exists.
 */
export async function withCluster<Result>(
  environment: Environment,
  flags: KubeFlags,
  work: (connection: Connection) => Promise<Result>,
  hint = 'Name a file by --kubeconfig or KUBECONFIG',
): Promise<Result> {
  const { config, namespace } = await configOf(environment, flags, hint);
  const options = { userAgent: CLI_FIELD_MANAGER, firstAttempts: FIRST_ATTEMPTS };
  const transport = createTransport({ proxyEnv: environment.variables, ...config }, options);
  try {
    const client = createClient(transport, { fieldManager: CLI_FIELD_MANAGER });
    return await work({ client, transport, namespace: flags.namespace ?? namespace });
  } finally {
    transport.close();
  }
}

/** The folder in which the kubelet mounts the ServiceAccount of a Pod. */
const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

async function configOf(environment: Environment, flags: KubeFlags, hint: string): Promise<Kubeconfig> {
  const files = kubeconfigsOf(environment, flags.kubeconfig);
  if (files.length > 0) return loadKubeconfig(files, flags);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment.variables;
  if (host === undefined || host === '') throw invalidInput('there is no kubeconfig', hint);
  const folder = ACCOUNT_FOLDER;
  return { config: inClusterConfig({ host, port, folder }), namespace: await readPodNamespace(folder) };
}

/** The files that kubectl reads: that of the flag, those of the variable, or the usual one if it exists. */
function kubeconfigsOf({ variables, folder, home }: Environment, flag: string | undefined): readonly string[] {
  if (flag !== undefined) return [resolve(folder, flag)];
  const named = (variables['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (named.length > 0) return named.map((path) => resolve(folder, path));
  const usual = join(home, '.kube', 'config');
  return existsSync(usual) ? [usual] : [];
}
