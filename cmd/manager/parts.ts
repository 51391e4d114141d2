/** The parts of the manager that its controllers share: clients, caches, and the memory between controllers. */
import type { Registry as MetricsRegistry } from 'prom-client';
import type { Catalog } from '../../api/catalog.ts';
import type { KubeObject } from '../../api/object.ts';
import { createIndexStore } from '../../catalog/store.ts';
import { createWriteBarrier } from '../../controllers/cache-barrier.ts';
import { createCatalogContent, type CatalogContent } from '../../controllers/catalog-content.ts';
import type { RecordEvent } from '../../controllers/events.ts';
import { createHandedManifests } from '../../controllers/handed-manifests.ts';
import { createCertificatesAhead } from '../../controllers/revision/certificates/issue-ahead.ts';
import { createRegistries } from '../../controllers/registries.ts';
import { createRegistryPolicies, type RegistryPolicies } from '../../controllers/registry-policies.ts';
import { createSignatureChecks } from '../../controllers/signature-checks.ts';
import { tidyWith } from '../../controllers/revision/kinds-in-use.ts';
import { createPullSecretOffers } from '../../controllers/revision/pull-secrets/offers.ts';
import { createLateRemovals } from '../../controllers/revision/late-removals.ts';
import { KeptBytes } from '../../controllers/revision/kept-bytes.ts';
import { createLivingOwners } from '../../controllers/revision/living-owners.ts';
import { createManagedObjects } from '../../controllers/revision/managed-objects.ts';
import { allOf } from '../../controllers/revision/managed-selections.ts';
import { Standstills } from '../../controllers/revision/standstills.ts';
import { createKeptBackups } from '../../controllers/kept-backups.ts';
import { createWayBacks } from '../../controllers/way-backs.ts';
import type { Client } from '../../kube/client/client.ts';
import { systemClock } from '../../kube/clock.ts';
import { fencedTransport, type Fence } from '../../kube/election/fence.ts';
import { createEventRecorder, type EventRecorder } from '../../kube/events/events.ts';
import type { Log } from '../../kube/log.ts';
import type { RuntimeMetrics } from '../../kube/metrics.ts';
import { createInformerFactory, type InformerFactory } from '../../kube/watch/informer-factory.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { createCatalogAttempts } from './catalog-attempts.ts';
import { logEvents } from './log-events.ts';
import { countEvents } from './metrics.ts';
import type { ManagerOptions } from './options.ts';
import { watchOurKinds, type OurCaches } from './our-caches.ts';
import { createPulls, type Pulls } from './pulls.ts';
import { registryOptions } from './registry-options.ts';

export interface ManagerContext {
  readonly client: Client;
  /** Closed while this replica does not lead: no write passes. */
  readonly fence: Fence;
  readonly options: ManagerOptions;
  readonly namespace: string;
  readonly log: Log;
  readonly metrics: MetricsRegistry;
  readonly runtime: RuntimeMetrics;
}

/** The shared parts. Nothing runs yet. */
export type Parts = ReturnType<typeof createParts>;

export function createParts(context: ManagerContext) {
  const { client, fence, options, log, metrics } = context;
  /** All writes go through it: none leaves while this replica does not lead. */
  const writer = client.over((transport) => fencedTransport(transport, fence));
  const informers = createInformerFactory({ client, log });
  const caches = watchOurKinds(informers, context.namespace);
  const content = createContent(options, caches.catalogs);
  const recorder = createEventRecorder({
    client: writer,
    controller: 'slipway.dev/manager',
    instance: options.identity,
    log,
  });
  const now = (): Date => new Date();
  const managed = watchManagedObjects(informers, caches, log);
  const certificates = createCertificatesAhead({ exists: (ref) => managed.get(ref) !== undefined, now });
  const policies = createRegistryPolicies(() => caches.registryPolicies.list());
  const { registries, bundles } = createPullsOf(context, policies);
  announceKinds(informers, client);
  const mayHaveBackups = createKeptBackups(writer, context.namespace);
  return {
    context,
    writer,
    informers,
    caches,
    content,
    recorder,
    /** The reach of every controller to events and time. */
    shared: { record: countEvents(metrics, logEvents(log, recordThrough(recorder))), now },
    standstills: new Standstills(),
    barrier: createWriteBarrier([caches.subscriptions, caches.revisions]),
    policies,
    offers: createPullSecretOffers({
      policies,
      secrets: caches.pullSecrets,
      namespaces: caches.namespaces,
      namespace: context.namespace,
    }),
    registries,
    bundles,
    upgradePolicy: options['upgrade-policy'],
    checkSignatures: createSignatureChecks({ registries, policies, cluster: client, namespace: context.namespace }),
    attempts: createCatalogAttempts(caches.catalogs, content),
    handed: createHandedManifests(),
    certificates,
    late: createLateRemovals({ client: writer, now }),
    /** Shared, so that one answer counts for a Subscription and its Revisions. */
    wayBackOf: createWayBacks(writer, { kept: context.namespace, mayHaveBackups }),
    mayHaveBackups,
    managed,
  };
}

function createContent(options: ManagerOptions, catalogs: Informer<Catalog>): CatalogContent {
  return createCatalogContent(createIndexStore({ folder: options['data-folder'] }), () => servedBefore(catalogs));
}

function createPullsOf({ client, namespace, options }: ManagerContext, policies: RegistryPolicies): Pulls {
  const clients = createRegistries({ cluster: client, namespace, policies, registry: registryOptions(options) });
  const time = { seconds: options['pull-timeout'], clock: systemClock };
  return createPulls(clients, { folder: options['data-folder'], policies, time });
}

const NAMESPACE_FULL =
  'the objects of the namespace that name a Subscription as their owner are too many or too large to be followed: of some of them only the name is kept, so that workloads among them do not become ready. Delete those that no Subscription has made, and restart the manager';

function watchManagedObjects(
  informers: InformerFactory,
  { subscriptions, revisions }: OurCaches,
  log: Log,
): ReturnType<typeof createManagedObjects> {
  const managed = createManagedObjects((request) => informers.informer(request), {
    hasOwner: createLivingOwners(subscriptions),
    bytes: new KeptBytes({
      subscriptionsIn: (namespace) => subscriptions.list(namespace).length,
      onFull: (namespace) => log.warn({ namespace }, NAMESPACE_FULL),
    }),
    release: (informer) => informers.release(informer),
  });
  tidyWith(revisions, managed);
  return managed;
}

/** When a CRD of a group comes or changes, callers that wait for a kind of that group ask discovery again. */
function announceKinds(informers: InformerFactory, { discovery }: Client): void {
  const crds = informers.informer(allOf({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }));
  const announce = ({ metadata: { name } }: KubeObject): void => discovery.announce(name.slice(name.indexOf('.') + 1));
  crds.on({ added: announce, updated: (_old, crd) => announce(crd), deleted: announce });
}

function servedBefore(catalogs: Informer<Catalog>): ReadonlyMap<string, string> {
  return new Map(
    catalogs
      .list()
      .flatMap(({ metadata, status }) =>
        status?.digest === undefined ? [] : [[metadata.name, status.digest] as const],
      ),
  );
}

function recordThrough(recorder: EventRecorder): RecordEvent {
  return (regarding, event) => recorder.record({ regarding, ...event });
}
