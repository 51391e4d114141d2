/**
 * Measures how long operators are without a leader: one of two replicas is killed, or asked to end, and the other one
 * leads. The replicas are processes, bundled as in the image, with the time of a lease that the Deployment sets.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../kube/client/client.ts';
import { SYSTEM, type RunningManager } from '../lib/manager.ts';
import type { Row } from './budgets.ts';
import { median } from './cost.ts';
import { openStage, startMeasured, type Stage } from './stage.ts';

const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace: SYSTEM,
  name: 'slipway-manager',
} as const;

/** How the leader ends, and the most seconds until the other replica leads: a lease that was not released has to expire. */
const ENDINGS = [
  { what: 'the leader is killed → another leads', signal: 'SIGKILL', budget: 20 },
  { what: 'the leader gets SIGTERM → another leads', signal: 'SIGTERM', budget: 3 },
] as const;

/** The rows about the lead; the middle of several runs. Takes half a minute each. */
export async function benchLead({ repeat = 3 }: { readonly repeat?: number } = {}): Promise<readonly Row[]> {
  await using stage = await openStage([]);
  const rows: Row[] = [];
  for (const { what, signal, budget } of ENDINGS) {
    const seconds: number[] = [];
    for (let round = 0; round < repeat; round += 1) seconds.push(await handOver(stage, signal));
    rows.push({ what, unit: 's', measured: median(seconds) ?? Number.NaN, budget });
  }
  return rows;
}

/** Seconds from the signal until the other replica leads. */
async function handOver(stage: Stage, signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
  const replicas = new Map<string, RunningManager>();
  for (const name of ['replica-1', 'replica-2']) replicas.set(name, await startReplica(stage, name));
  try {
    const first = await leaderBesides(stage.admin);
    const leader = replicas.get(podOf(first));
    const start = performance.now();
    const ended = leader?.kill(signal);
    await leaderBesides(stage.admin, first);
    const seconds = (performance.now() - start) / 1000;
    await ended;
    return seconds;
  } finally {
    await Promise.all([...replicas.values()].map((replica) => replica.stop()));
  }
}

function startReplica(stage: Stage, name: string): Promise<RunningManager> {
  const folder = `${stage.cluster.folder}/${name}`;
  return startMeasured(stage, { POD_NAME: name, SLIPWAY_DATA_FOLDER: folder, SLIPWAY_LEASE_SECONDS: '15' });
}

const [POLL_MS, PATIENCE_MS] = [20, 120_000];

/** The identity of the leader, once there is one that is not this one. */
async function leaderBesides(admin: Client, besides?: string): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const { spec } = ((await admin.get(LEASE)) ?? {}) as { readonly spec?: { readonly holderIdentity?: string } };
    const { holderIdentity = '' } = spec ?? {};
    if (holderIdentity !== '' && holderIdentity !== besides) return holderIdentity;
    await pause(POLL_MS);
  }
  throw new Error(`no other replica leads within ${PATIENCE_MS / 1000} s`);
}

/** An identity is the name of the Pod and a suffix. */
function podOf(identity: string): string {
  return identity.slice(0, identity.lastIndexOf('-'));
}
