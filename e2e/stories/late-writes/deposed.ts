/**
 * A manager of this process whose writes can be held back: for each operator one chosen write is kept from the API
 * server, as if the process had been stopped between the check of the fence and the socket, and no write for that
 * operator follows it. The held write is sent later, as often as a test asks for it, with no fence in between.
 */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { ReasonedError } from '../../../api/errors.ts';
import { createMetrics } from '../../../cmd/manager/metrics.ts';
import { parseOptions } from '../../../cmd/manager/options.ts';
import { openFence, wireManager } from '../../../cmd/manager/wire.ts';
import { createClient } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { silentLog } from '../../../kube/log.ts';
import type { ApiRequest } from '../../../kube/transport/api-request.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { SYSTEM } from '../../lib/manager.ts';
import { until } from '../../lib/until.ts';

/** A manager at work; one that is deposed writes no more, and its pending work ends. */
export interface Manager {
  depose(): Promise<void>;
}

export interface HeldWrite {
  /** Of which operator. */
  readonly operator: string;
  /** Such as `PATCH /api/v1/namespaces/late01/services/late01`. */
  readonly what: string;
  /** Has it arrive at the API server; resolves with the status that it is answered. */
  arrive(): Promise<number>;
}

/** What is to be done about a write before it is sent. */
export interface Holding {
  /** The operator that a request is about, by its path and body. */
  readonly operatorOf: (text: string) => string | undefined;
  /** Whether this write of the operator is held; asked for each until one is. `what` as that of HeldWrite. */
  readonly isHeld: (operator: string, what: string) => boolean;
}

/** Those that are held, by operator; the manager adds to it. */
export type HeldWrites = Map<string, HeldWrite>;

/** Starts a manager that leads. */
export async function startLeader(
  cluster: TestCluster,
  held: HeldWrites = new Map(),
  holding?: Holding,
): Promise<Manager> {
  const { config } = await loadKubeconfig(await cluster.kubeconfigFor(SYSTEM, 'slipway-manager'));
  const root = createTransport(config);
  const over = new AbortController();
  const transport = holding === undefined ? root : holdingTransport(root, { ...holding, held, over: over.signal });
  const folder = mkdtempSync(join(cluster.folder, 'data-'));
  const args = ['--data-folder', folder, '--concurrency', '128', '--probe-webhooks', 'false'];
  const { metrics, runtime } = createMetrics();
  const manager = wireManager({
    client: createClient(transport),
    fence: openFence(),
    options: parseOptions([...args, '--plain-http', cluster.registry], {}),
    namespace: SYSTEM,
    log: silentLog,
    metrics,
    runtime,
  });
  manager.informers.start(over.signal);
  await standBy(manager, over.signal);
  const running = manager.run(over.signal);
  return {
    async depose() {
      over.abort(leaderLost());
      await running.catch(() => undefined);
      // Its connections end when the test does: a write that is held is sent over them.
      if (holding === undefined) root.close();
    },
  };
}

/** As a replica that does not lead yet, until it serves the catalogs. */
async function standBy(manager: Pick<ReturnType<typeof wireManager>, 'follow' | 'catalogsReady'>, over: AbortSignal) {
  const standing = new AbortController();
  const followed = manager.follow(AbortSignal.any([over, standing.signal]));
  await until('it serves the catalogs', async () => {
    await manager.catalogsReady();
    return true;
  });
  standing.abort(new Error('it leads'));
  await followed;
}

function leaderLost(): ReasonedError {
  return new ReasonedError({ reason: 'LeaderLost', retry: 'backoff', message: 'the test has deposed it' });
}

interface HoldingState extends Holding {
  readonly held: HeldWrites;
  readonly over: AbortSignal;
}

function holdingTransport(root: Transport, state: HoldingState): Transport {
  return {
    async request(request) {
      if (!isWrite(request)) return root.request(request);
      if (state.over.aborted) throw leaderLost();
      const operator = state.operatorOf(`${request.path} ${String(request.body)}`);
      if (operator === undefined) return root.request(request);
      if (!state.held.has(operator)) {
        if (!state.isHeld(operator, describeWrite(request))) return root.request(request);
        state.held.set(operator, keep(root, operator, request));
      }
      return untilOver(state.over);
    },
    stream: (request) => root.stream(request),
    close: () => root.close(),
  };
}

/** Events only report, and a dry run changes nothing. */
function isWrite({ method, path, query, body }: ApiRequest): boolean {
  const isDry = query?.['dryRun'] !== undefined || (method === 'DELETE' && /"dryRun"/.test(String(body)));
  return method !== 'GET' && !isDry && !path.includes('/events');
}

function describeWrite({ method, path, headers }: ApiRequest): string {
  return `${headers?.['content-type'] === 'application/apply-patch+yaml' ? 'APPLY' : method} ${path}`;
}

function keep(root: Transport, operator: string, request: ApiRequest): HeldWrite {
  const { signal: _signal, guard: _guard, ...sent } = request;
  return {
    operator,
    what: describeWrite(request),
    arrive: () =>
      root.request(sent).then(
        ({ status }) => status,
        (error: unknown) => (error as { readonly code?: number }).code ?? 0,
      ),
  };
}

function untilOver(over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (over.aborted) reject(leaderLost());
    over.addEventListener('abort', () => reject(leaderLost()), { once: true });
  });
}
