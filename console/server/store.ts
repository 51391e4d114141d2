/**
 * The objects of Slipway and their events, as one set of watches brings them for all browsers: of each the part that views read
 * (kept-parts.ts), and of events the newest. Which of them a person gets is decided in visible.ts.
 */
import { CATALOG } from '../../api/catalog.ts';
import type { CustomKind } from '../../api/kind.ts';
import { API_VERSION, GROUP } from '../../api/names.ts';
import type { Kind, KubeObject } from '../../api/object.ts';
import { REGISTRY_POLICY } from '../../api/registry-policy.ts';
import { REVISION } from '../../api/revision.ts';
import { SUBSCRIPTION } from '../../api/subscription.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Log } from '../../kube/log.ts';
import type { Reach, VisibleKind } from '../data/view.ts';
import { createInformer, type Informer } from '../../kube/watch/informer.ts';
import { KEEP } from './kept-parts.ts';
import { newestClient, type FollowingClient } from './newest-client.ts';
import { NewestEvents } from './newest-events.ts';

/** How one of them is asked for, and the right that shows it to a person. */
interface WatchedKind {
  readonly kind: Kind;
  readonly group: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly fieldSelector?: string;
}

/** Name of the Lease that the manager leads by. */
const MANAGER_LEASE = 'slipway-manager';

/**
 * A page is in memory before any of its objects is shortened. The client asks again with fewer if it has more than 8 MiB: smaller pages
 * would only be more requests, which take a minute for thousands of objects.
 */
const PAGE_SIZE = 100;

export const WATCHED: Readonly<Record<VisibleKind, WatchedKind>> = {
  subscriptions: ownKind(SUBSCRIPTION),
  revisions: ownKind(REVISION),
  catalogs: ownKind(CATALOG),
  registryPolicies: ownKind(REGISTRY_POLICY),
  events: {
    kind: { apiVersion: 'events.k8s.io/v1', kind: 'Event', served: { plural: 'events', namespaced: true } },
    group: 'events.k8s.io',
    resource: 'events',
    namespaced: true,
    fieldSelector: `regarding.apiVersion=${API_VERSION}`,
  },
  leases: {
    kind: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', served: { plural: 'leases', namespaced: true } },
    group: 'coordination.k8s.io',
    resource: 'leases',
    namespaced: true,
    fieldSelector: `metadata.name=${MANAGER_LEASE}`,
  },
};

function ownKind({ kind, plural, scope }: CustomKind): WatchedKind {
  const namespaced = scope === 'Namespaced';
  const served = { plural, namespaced };
  return {
    kind: { apiVersion: API_VERSION, kind, served },
    group: GROUP,
    resource: plural,
    namespaced,
  };
}

export const WATCHED_KINDS = Object.keys(WATCHED) as readonly VisibleKind[];

/** Where each is watched: everywhere, in one namespace, or not at all. */
export type WatchScope = 'all' | { readonly namespace: string } | 'none';

export interface StoreOptions {
  readonly client: FollowingClient;
  readonly scopes: Readonly<Record<VisibleKind, WatchScope>>;
  readonly log?: Log;
  readonly clock?: Clock;
}

/** @param namespace Of the object that has changed; absent if it has none */
export type ChangeListener = (changed: VisibleKind, namespace: string | undefined) => void;

export class LiveStore {
  readonly #scopes: StoreOptions['scopes'];
  readonly #informers = new Map<VisibleKind, Informer>();
  readonly #listeners = new Set<ChangeListener>();
  readonly #newest = new NewestEvents();

  constructor({ scopes, client, ...shared }: StoreOptions) {
    this.#scopes = scopes;
    for (const name of WATCHED_KINDS) {
      const scope = scopes[name];
      if (scope === 'none') continue;
      const { kind, fieldSelector } = WATCHED[name];
      const informer = createInformer({
        ...shared,
        ...kind,
        ...(name === 'events'
          ? { client: newestClient(client, this.#newest, KEEP.events) }
          : { client, transform: KEEP[name] }),
        ...(name !== 'leases' && { unread: ['managedFields'] }),
        pageSize: PAGE_SIZE,
        ...(scope !== 'all' && { namespace: scope.namespace }),
        ...(fieldSelector !== undefined && { fieldSelector }),
      });
      const changed = ({ metadata }: KubeObject): void => this.#listeners.forEach((listener) => listener(name, metadata.namespace)); // prettier-ignore
      informer.on({ added: changed, updated: (_, object) => changed(object), deleted: changed });
      this.#informers.set(name, informer);
    }
  }

  /** Watches until `signal` aborts. */
  start(signal: AbortSignal): void {
    for (const informer of this.#informers.values()) informer.start(signal);
  }

  list(name: VisibleKind): readonly KubeObject[] {
    return this.#informers.get(name)?.list() ?? [];
  }

  /** The namespaces of which only the newest events are kept. */
  get cutEvents(): readonly string[] {
    return this.#newest.cut;
  }

  /** Where a kind is watched. Of Leases there is only the one of the manager: its namespace is all. */
  watched(name: VisibleKind): Reach {
    const scope = this.#scopes[name];
    if (scope === 'none') return [];
    return scope === 'all' || name === 'leases' ? 'all' : [scope.namespace];
  }

  /** Those that have to be listed before a view can be trusted; what is not served is never listed. */
  get caches(): readonly Informer[] {
    return NEEDED.flatMap((name) => this.#informers.get(name) ?? []);
  }

  /** Calls the listener with each change; returns the function that removes it. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

const NEEDED: readonly VisibleKind[] = ['subscriptions', 'revisions', 'catalogs'];
