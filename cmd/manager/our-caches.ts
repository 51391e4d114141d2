/** The caches of our own kinds, and of the objects of others that decide who may use which of them. */
import { CATALOG, type Catalog } from '../../api/catalog.ts';
import { API_VERSION } from '../../api/names.ts';
import { REGISTRY_POLICY, type RegistryPolicy } from '../../api/registry-policy.ts';
import { REVISION, type Revision } from '../../api/revision.ts';
import { SUBSCRIPTION, type Subscription } from '../../api/subscription.ts';
import { keepOfRevision, keepOfSubscription } from '../../controllers/bounded-config.ts';
import { BY_SUBSCRIPTION, subscriptionKey } from '../../controllers/by-subscription.ts';
import { allOf } from '../../controllers/revision/managed-selections.ts';
import type { InformerFactory } from '../../kube/watch/informer-factory.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { BY_WAITING } from './wakes.ts';

export interface OurCaches {
  readonly catalogs: Informer<Catalog>;
  readonly subscriptions: Informer<Subscription>;
  readonly revisions: Informer<Revision>;
  readonly namespaces: Informer;
  readonly registryPolicies: Informer<RegistryPolicy>;
  /** The pull secrets of the manager's namespace. */
  readonly pullSecrets: Informer;
}

/**
 * Each object may be as large as the API server accepts, 1.5 MB, and a page of them is in memory before any is reduced; the
 * managers of its fields are read by no code.
 */
const OF_TENANTS = { pageSize: 5, unread: ['managedFields'] } as const;
/** Written by the manager, with bounds, and many for each Subscription. */
const OF_MANAGER = { ...OF_TENANTS, pageSize: 20 } as const;

/** Our own kinds, and the namespaces, since Catalogs select the namespaces that may use them by labels. */
export function watchOurKinds(informers: InformerFactory, namespace: string): OurCaches {
  return {
    catalogs: informers.informer<Catalog>({ apiVersion: API_VERSION, kind: CATALOG.kind }),
    subscriptions: informers.informer<Subscription>({
      apiVersion: API_VERSION,
      kind: SUBSCRIPTION.kind,
      transform: keepOfSubscription,
      ...OF_TENANTS,
      indexes: BY_WAITING,
    }),
    revisions: informers.informer<Revision>({
      apiVersion: API_VERSION,
      kind: REVISION.kind,
      transform: keepOfRevision,
      ...OF_MANAGER,
      indexes: { [BY_SUBSCRIPTION]: bySubscription },
    }),
    namespaces: informers.informer(allOf({ apiVersion: 'v1', kind: 'Namespace' })),
    registryPolicies: informers.informer<RegistryPolicy>({ apiVersion: API_VERSION, kind: REGISTRY_POLICY.kind }),
    pullSecrets: informers.informer({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace,
      fieldSelector: 'type=kubernetes.io/dockerconfigjson',
    }),
  };
}

function bySubscription(revision: Revision): readonly string[] {
  return [subscriptionKey(revision)];
}
