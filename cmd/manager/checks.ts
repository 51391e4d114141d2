/**
 * The manager's answers to probes: whether it is ready, and whether it is alive or should be restarted. Probes come all
 * the time, so a check costs no request to the API server while other requests are answered. server.ts calls the
 * checks, main.ts puts them together.
 */
import { systemClock, type Clock } from '../../kube/clock.ts';
import type { Controller } from '../../kube/controller/controller.ts';
import type { LeaseClient } from '../../kube/election/lease-client.ts';

/**
 * Says how much is under way and for how long; no reason not to be of use, but where to look when something is missing.
 * Objects that take long are named in the log: kube/controller/long-work.ts.
 */
export function describeWork(controllers: readonly Pick<Controller, 'name' | 'queue'>[]): () => string {
  return () => {
    const work = controllers.flatMap(({ name, queue }) => queue.unfinished().map((one) => ({ ...one, name })));
    const longest = work.toSorted((a, b) => b.seconds - a.seconds)[0];
    if (longest === undefined) return 'none under way';
    return `${work.length} under way, the longest for ${Math.floor(longest.seconds)} s: a ${longest.name}`;
  };
}

export interface LeaseWatch {
  /** The client for the election, whose renewals are noticed. */
  watch(client: LeaseClient): LeaseClient;
  /** Whether this replica leads by its own view, from the moment it begins its work until that has ended. */
  leads(now: boolean): void;
  readonly check: () => string | undefined;
}

/** After the lease has run out: enough for a leader that has lost it to end by itself. */
const GRACE_SECONDS = 20;

/**
 * A replica is not alive if it means to lead although its lease ran out long ago: its work hangs, and nothing else ends
 * it.
 */
export function createLeaseWatch(leaseSeconds: number, clock: Clock = systemClock): LeaseWatch {
  const limit = leaseSeconds + GRACE_SECONDS;
  let renewedAt = -Infinity;
  let leading = false;

  async function noticed<T>(write: Promise<T>): Promise<T> {
    const answer = await write;
    renewedAt = clock.now();
    return answer;
  }

  return {
    watch: ({ get, create, update }) => ({
      get,
      create: (...request) => noticed(create(...request)),
      update: (...request) => noticed(update(...request)),
    }),
    leads: (now) => void (leading = now),
    check() {
      if (leading && clock.now() - renewedAt > limit)
        throw new Error(`leads, and has not renewed its lease for more than ${limit} s`);
      return leading ? 'leads' : undefined;
    },
  };
}
