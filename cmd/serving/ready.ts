/** Whether a program is of use: its caches are filled, and the API server answers. For every program that watches. */
import { systemClock, type Clock } from '../../kube/clock.ts';
import type { RequestFacts } from '../../kube/transport/api-request.ts';
import type { Informer } from '../../kube/watch/informer.ts';

/** Ready once these kinds were listed; what operators bring is none of it, as that may stop being served. */
export function checkCaches(caches: readonly Pick<Informer, 'kind' | 'hasSynced'>[]): () => undefined {
  return () => {
    const missing = caches.filter(({ hasSynced }) => !hasSynced).map(({ kind }) => kind);
    if (missing.length > 0) throw new Error(`not listed yet: ${missing.join(', ')}`);
    return undefined;
  };
}

export interface Reachability {
  /** Records the outcome of every request to the API server, for `onRequest` of the transport. */
  readonly seen: (facts: Pick<RequestFacts, 'status'>) => void;
  /** Asks the API server only if it has answered no other request for 30 s; probes that wait share one request. */
  readonly check: () => Promise<undefined>;
}

const ANSWER_COUNTS_SECONDS = 30;

/** Whether the API server answers, as far as is known. @param ask Rejects if it does not. */
export function createReachability(ask: () => Promise<unknown>, clock: Clock = systemClock): Reachability {
  let answeredAt = -Infinity;
  let asking: Promise<void> | undefined;

  async function askNow(): Promise<void> {
    try {
      await ask();
      answeredAt = clock.now();
    } finally {
      asking = undefined;
    }
  }

  return {
    seen({ status }) {
      if (status > 0 && status < 500) answeredAt = clock.now();
    },
    async check() {
      if (clock.now() - answeredAt > ANSWER_COUNTS_SECONDS) await (asking ??= askNow());
      return undefined;
    },
  };
}
