/**
 * Finds out which kinds the API server serves, and under which paths: fetched once in two requests (aggregated
 * discovery), and again when a kind is missing. Distinguishes a missing kind from an API that does not answer at the
 * moment.
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery
 */
import { groupKind, type Kind, type ServedAs } from '../../api/object.ts';
import { ApiError, readable } from '../../api/api-error.ts';
import { untilAborted } from '../../api/until-aborted.ts';
import { systemClock, type Clock } from '../clock.ts';
import { createBucket } from '../rate-limiters.ts';
import { parseDiscovery, type DiscoveredKinds } from './parse-discovery.ts';
import type { Resource } from './resource-path.ts';
import type { Transport } from '../transport/transport.ts';

export interface Discovery {
  /**
   * The kind as it is served, or undefined if it is not. Throws ApiError(ApiUnavailable, backoff) if its API cannot
   * answer, such as an aggregated API whose server is down.
   */
  find(kind: Kind, signal?: AbortSignal): Promise<Resource | undefined>;
  /** As `find`; throws ApiError(ApplyFailed, backoff, code 404) if the kind is not served. */
  need(kind: Kind, signal?: AbortSignal): Promise<Resource>;
  /** Every kind in every version. */
  list(signal?: AbortSignal): Promise<readonly Resource[]>;
  /** Drops the cache: the next call fetches discovery again. */
  invalidate(): void;
  /** Reports that a CRD of the group was added, removed or changed: a missing kind of it may be served now. */
  announce(group: string): void;
  /** Calls the listener for every announcement; returns the function that unsubscribes it. */
  onAnnounce(listener: (group: string) => void): () => void;
}

/** Limits the cost of repeated requests for a kind that does not exist. */
const REFETCHES = { perSecond: 0.5, burst: 5 };

/** Discovery over `transport`; shared by all clients of one server. */
export function createDiscovery(transport: Transport, options: { readonly clock?: Clock } = {}): Discovery {
  const bucket = createBucket({ ...REFETCHES, clock: options.clock ?? systemClock });
  let known: DiscoveredKinds | undefined;
  let fetching: Promise<DiscoveredKinds> | undefined;
  let generation = 0;
  const listeners = new Set<(group: string) => void>();

  /** Fetches are shared by all waiting callers: no caller's signal ends them. */
  function refetch(): Promise<DiscoveredKinds> {
    if (fetching !== undefined) return fetching;
    const startedIn = generation;
    const work = fetchServedKinds(transport).then((kinds) => {
      if (generation === startedIn) known = kinds;
      return kinds;
    });
    fetching = work.finally(() => {
      if (generation === startedIn) fetching = undefined;
    });
    return fetching;
  }

  async function find(kind: Kind, signal?: AbortSignal): Promise<Resource | undefined> {
    if (kind.served !== undefined) return asDefined(kind, kind.served);
    const cached = known ?? (await untilAborted(refetch, signal));
    const hit = cached.find(kind);
    if (hit !== undefined) return hit;
    const fresh = bucket.take() ? await untilAborted(refetch, signal) : cached;
    return fresh.find(kind) ?? absent(fresh, kind);
  }

  return {
    find,
    async need(kind, signal) {
      const resource = await find(kind, signal);
      if (resource === undefined) throw notServed(kind);
      return resource;
    },
    list: async (signal) => (known ?? (await untilAborted(refetch, signal))).all,
    invalidate() {
      generation += 1;
      known = undefined;
      fetching = undefined;
      bucket.reset();
    },
    announce(group) {
      for (const listener of listeners) listener(group);
    },
    onAnnounce(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const ACCEPT = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
].join(',');

async function fetchServedKinds(transport: Transport): Promise<DiscoveredKinds> {
  const fetchRoot = async (path: string): Promise<string> =>
    (await transport.request({ method: 'GET', path, headers: { accept: ACCEPT }, subject: 'discover kinds' })).text();
  const bodies = await Promise.all([fetchRoot('/api'), fetchRoot('/apis')]);
  return readable('discover kinds (Kubernetes 1.27 or later)', () => parseDiscovery(bodies));
}

/** A kind as its CRD defines it, without discovery. */
function asDefined({ apiVersion, kind }: Kind, served: ServedAs): Resource {
  return { apiVersion, kind, ...served, verbs: [], subresources: [] };
}

function absent(kinds: DiscoveredKinds, kind: Kind): undefined {
  if (!kinds.isStale(kind.apiVersion)) return undefined;
  throw new ApiError(`find ${groupKind(kind)}`, {
    code: 503,
    message: `the API ${kind.apiVersion} does not answer`,
    causes: [],
  });
}

function notServed(kind: Kind): ApiError {
  return new ApiError(`find ${groupKind(kind)}`, {
    code: 404,
    reason: 'NotFound',
    message: `the API server does not serve this kind in ${kind.apiVersion}`,
    causes: [],
  });
}
