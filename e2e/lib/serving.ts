/** Checks that an operator keeps working during other events: it is called repeatedly, and every result is kept. */
import { setTimeout as pause } from 'node:timers/promises';
import { createClient, type Client } from '../../kube/client/client.ts';
import { loadKubeconfig } from '../../kube/kubeconfig/kubeconfig.ts';
import { createTransport } from '../../kube/transport/transport.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { byExtent } from './sample.ts';

/** Users of a sample ask less often: each question takes the API server and its webhooks some milliseconds. */
const PAUSE_MS = byExtent({ all: 200, sample: 400 });

export interface ServingOptions {
  readonly namespace: string;
  readonly deployment: string;
  /** Asked in each round; what rejects is noted. */
  readonly probes: Readonly<Record<string, (client: Client) => Promise<unknown>>>;
}

export interface Serving {
  readonly rounds: number;
  /** The fewest replicas that were available in any round. */
  readonly fewestAvailable: number;
  /** `probe: message` of every probe that failed. */
  readonly failures: readonly string[];
}

/** Does something, and returns the results of other clients' calls to the operator during it. */
export async function servingDuring(
  cluster: TestCluster,
  options: ServingOptions,
  work: () => Promise<unknown>,
): Promise<Serving> {
  const { config } = await loadKubeconfig(cluster.kubeconfig);
  const transport = createTransport(config);
  const over = new AbortController();
  const watching = watch(createClient(transport), options, over.signal);
  try {
    await work();
  } finally {
    over.abort();
    await watching;
    transport.close();
  }
  return watching;
}

async function watch(client: Client, options: ServingOptions, signal: AbortSignal): Promise<Serving> {
  const { namespace, deployment: name, probes } = options;
  const failures: string[] = [];
  let [rounds, fewestAvailable] = [0, Infinity];
  while (!signal.aborted) {
    const deployment = await client.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name });
    const { availableReplicas = 0 } = (deployment?.['status'] ?? {}) as { readonly availableReplicas?: number };
    fewestAvailable = Math.min(fewestAvailable, availableReplicas);
    for (const [probe, ask] of Object.entries(probes)) {
      await ask(client).catch((error: Error) => failures.push(`${probe}: ${error.message}`));
    }
    rounds += 1;
    await pause(PAUSE_MS);
  }
  return { rounds, fewestAvailable, failures };
}
