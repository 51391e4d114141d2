/**
 * Puts the manager together: caches, controllers and the clients that they write through. This file shows the parts of
 * the manager; the folder of each part shows how it works.
 */
import { Registry as MetricsRegistry } from 'prom-client';
import { CATALOG, type Catalog } from '../../api/catalog.ts';
import { API_VERSION, ANNOTATION } from '../../api/names.ts';
import { keyOfObject, type KubeObject } from '../../api/object.ts';
import { REVISION, type Revision } from '../../api/revision.ts';
import { SUBSCRIPTION, type Subscription } from '../../api/subscription.ts';
import { createIndexStore } from '../../catalog/store.ts';
import { createWriteBarrier } from '../../controllers/cache-barrier.ts';
import { createCatalogContent, type CatalogContent } from '../../controllers/catalog-content.ts';
import { createCatalogFollower } from '../../controllers/catalog/follow.ts';
import { createCatalogReconciler } from '../../controllers/catalog/reconcile.ts';
import { createBundleSources } from '../../controllers/bundle-sources.ts';
import { createServerFacts } from '../../controllers/cluster-facts.ts';
import { createHandedManifests } from '../../controllers/handed-manifests.ts';
import { createSignatureChecks } from '../../controllers/signature-checks.ts';
import { createRegistries } from '../../controllers/registries.ts';
import type { RecordEvent } from '../../controllers/events.ts';
import { allOf, createManagedObjects } from '../../controllers/revision/managed-objects.ts';
import { tidyWith } from '../../controllers/revision/kinds-in-use.ts';
import { createLateRemovals } from '../../controllers/revision/late-removals.ts';
import { createLivingOwners } from '../../controllers/revision/living-owners.ts';
import { BY_SUBSCRIPTION, subscriptionKey } from '../../controllers/by-subscription.ts';
import { createRevisionReconciler } from '../../controllers/revision/reconcile.ts';
import { createSerializer } from '../../controllers/serialize.ts';
import { createSubscriptionReconciler } from '../../controllers/subscription/reconcile.ts';
import { tellDefects, type DefectDeps } from '../../controllers/tell-defects.ts';
import { delayOfProgress } from '../../controllers/subscription/progress.ts';
import { wokenBy } from '../../controllers/subscription/wake.ts';
import type { Client } from '../../kube/client/client.ts';
import {
  createController,
  ownerKeys,
  ownKey,
  type Controller,
  type ObjectKey,
  watchOf,
  type WatchEventOf,
} from '../../kube/controller/controller.ts';
import { createEventRecorder, type EventRecorder } from '../../kube/events/events.ts';
import { createInformerFactory, type InformerFactory } from '../../kube/watch/informer-factory.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { fencedTransport, type Fence } from '../../kube/election/fence.ts';
import type { Log } from '../../kube/log.ts';
import type { RuntimeMetrics } from '../../kube/metrics.ts';
import { isLoopbackName } from '../../oci/registry.ts';
import { createCatalogAttempts } from './catalog-attempts.ts';
import { checkCaches, describeWork } from './checks.ts';
import { logEvents } from './log-events.ts';
import { countEvents, countRepairs, registerState } from './metrics.ts';
import type { ManagerOptions } from './options.ts';
import type { Check } from './answer-checks.ts';

export interface Manager {
  readonly informers: InformerFactory;
  readonly content: CatalogContent;
  readonly metrics: MetricsRegistry;
  /** Whether our own kinds were listed. */
  readonly cachesReady: Check;
  /** Whether the catalogs are served that this replica can serve. */
  readonly catalogsReady: Check;
  /** The reconciles under way, and their durations. */
  readonly work: Check;
  /** Serves the content that the leader has found, until `signal` aborts; on a replica that does not lead. */
  follow(signal: AbortSignal): Promise<void>;
  /** Runs the controllers until `signal` aborts; only the leader does. */
  run(signal: AbortSignal): Promise<void>;
}

export interface WireOptions {
  readonly client: Client;
  /** Closed while this replica does not lead: no write passes. */
  readonly fence: Fence;
  readonly options: ManagerOptions;
  readonly namespace: string;
  readonly log: Log;
  readonly metrics: MetricsRegistry;
  readonly runtime: RuntimeMetrics;
}

/** Of the manager, in its namespace; every way to install it has this name. */
const ACCOUNT = 'slipway-manager';

/** A shutdown waits no longer than this for events to be sent. */
export const FLUSH_MILLISECONDS = 2000;

export function wireManager(wiring: WireOptions): Manager {
  const { client, fence, options, namespace, log, metrics } = wiring;
  const writer = client.over((transport) => fencedTransport(transport, fence));
  const informers = createInformerFactory({ client, log });
  const caches = watchOurKinds(informers);
  const barrier = createWriteBarrier([caches.subscriptions, caches.revisions]);
  const content = createCatalogContent(createIndexStore({ folder: options['data-folder'] }), () =>
    servedBefore(caches.catalogs),
  );
  const recorder = createEventRecorder({
    client: writer,
    controller: 'slipway.dev/manager',
    instance: options.identity,
    log,
  });
  const registries = createRegistries({
    cluster: client,
    namespace,
    registry: {
      plainHttp: (name) => isLoopbackName(name) || options['plain-http'].includes(name),
      userAgent: 'slipway',
      linkLocalAddresses: options['link-local-registries'] ? 'allow' : 'refuse',
      timeouts: { headersMs: options['registry-timeout'] * 1000, stallMs: options['registry-timeout'] * 1000 },
    },
  });
  const checkSignatures = createSignatureChecks({ registries, cluster: client, namespace });
  const shared = { record: countEvents(metrics, logEvents(log, recordThrough(recorder))), now: () => new Date() };
  const telling = (objects: Informer): DefectDeps => ({ ...shared, objects, cluster: barrier.watched(writer) });
  const handed = createHandedManifests();
  const hasOwner = createLivingOwners(caches.subscriptions);
  const late = createLateRemovals({ client: writer, now: shared.now });
  const managed = createManagedObjects((request) => informers.informer(request), {
    hasOwner,
    release: (informer) => informers.release(informer),
  });
  tidyWith(caches.revisions, managed);
  announceKinds(informers, client);

  registerState(metrics, { ...caches, content });
  const attempts = createCatalogAttempts(caches.catalogs, content);
  const forCatalogs = { catalogs: caches.catalogs, content, registries };
  const follower = createController({
    name: 'catalog-content',
    reconcile: attempts.watch(createCatalogFollower(forCatalogs)),
    watches: [{ informer: caches.catalogs, keys: ownKey }],
    observer: wiring.runtime.controller('catalog-content'),
    // A replica that becomes the leader continues at once.
    shutdownSeconds: 0,
    log,
  });
  const catalogs = controller(wiring, CATALOG.kind, {
    reconcile: tellDefects(
      attempts.watch(createCatalogReconciler({ ...shared, ...forCatalogs, cluster: writer, checkSignatures })),
      telling(caches.catalogs),
    ),
    watches: [{ informer: caches.catalogs, keys: onChangeByPeople(ownKey) }],
  });
  const subscriptions = controller(wiring, SUBSCRIPTION.kind, {
    reconcile: barrier.behind(
      tellDefects(
        createSubscriptionReconciler({
          ...shared,
          caches: { ...caches, content },
          cluster: barrier.watched(writer),
          server: createServerFacts(client, shared.now),
          bundles: createBundleSources(registries, options['data-folder']),
          handed,
          catalogOf: (name) => caches.catalogs.get(name),
          checkSignatures,
        }),
        telling(caches.subscriptions),
      ),
    ),
    watches: [
      { informer: caches.subscriptions, keys: onChangeByPeople(ownKey) },
      watchOf({ informer: caches.subscriptions, keys: (_, event) => waitingFor(caches.subscriptions, event) }),
      watchOf({ informer: caches.revisions, keys: ownerKeys(SUBSCRIPTION.kind), afterSeconds: delayOfProgress }),
      { informer: caches.catalogs, keys: onChangeByPeople(() => caches.subscriptions.list().flatMap(ownKey)) },
      { informer: caches.namespaces, keys: onChangeByPeople((one) => subscriptionsIn(caches.subscriptions, one)) },
    ],
  });
  const revisions = controller(wiring, REVISION.kind, {
    reconcile: barrier.behind(
      tellDefects(
        createRevisionReconciler({
          ...shared,
          caches,
          client: barrier.watched(writer),
          managed,
          late,
          manager: { namespace, name: ACCOUNT },
          handed,
          countRepair: countRepairs(metrics),
          probeWebhooks: wiring.options['probe-webhooks'],
          serialize: createSerializer(),
        }),
        telling(caches.revisions),
      ),
    ),
    watches: [
      // What becomes of an archived Revision depends on the active one.
      watchOf({ informer: caches.revisions, keys: (one) => revisionsOf(caches.revisions, subscriptionKey(one)) }),
      {
        informer: caches.subscriptions,
        keys: (subscription) => revisionsOf(caches.revisions, keyOfObject(subscription)),
      },
    ],
  });
  const lateObjects = controller(wiring, 'late-objects', { reconcile: late.reconcile, watches: [] });
  content.onChange(() =>
    caches.subscriptions
      .list()
      .flatMap(ownKey)
      .forEach((key) => subscriptions.enqueue(key)),
  );
  managed.onChange((object) => {
    activeRevisionOf(caches.revisions, object).forEach((key) => revisions.enqueue(key));
    const key = late.keyOf(object);
    if (key !== undefined) lateObjects.enqueue(key);
  });

  return {
    informers,
    content,
    metrics,
    cachesReady: checkCaches(Object.values(caches)),
    catalogsReady: async () => {
      checkCaches([caches.catalogs])();
      return attempts.check();
    },
    work: describeWork([follower, catalogs, subscriptions, revisions, lateObjects]),
    follow: (signal) => follower.run(signal),
    async run(signal) {
      await Promise.all([catalogs, subscriptions, revisions, lateObjects].map((each) => each.run(signal)));
      await recorder.flush(AbortSignal.timeout(FLUSH_MILLISECONDS));
      recorder.stop();
    },
  };
}

interface OurCaches {
  readonly catalogs: Informer<Catalog>;
  readonly subscriptions: Informer<Subscription>;
  readonly revisions: Informer<Revision>;
  readonly namespaces: Informer;
}

/** Our own kinds, and the namespaces, since Catalogs select the namespaces that may use them by labels. */
function watchOurKinds(informers: InformerFactory): OurCaches {
  return {
    catalogs: informers.informer<Catalog>({ apiVersion: API_VERSION, kind: CATALOG.kind }),
    subscriptions: informers.informer<Subscription>({ apiVersion: API_VERSION, kind: SUBSCRIPTION.kind }),
    revisions: informers.informer<Revision>({
      apiVersion: API_VERSION,
      kind: REVISION.kind,
      indexes: { [BY_SUBSCRIPTION]: bySubscription },
    }),
    namespaces: informers.informer(allOf({ apiVersion: 'v1', kind: 'Namespace' })),
  };
}

/** When a CRD of a group comes or changes, callers that wait for a kind of that group ask discovery again. */
function announceKinds(informers: InformerFactory, { discovery }: Client): void {
  const crds = informers.informer(allOf({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }));
  const announce = ({ metadata: { name } }: KubeObject): void => discovery.announce(name.slice(name.indexOf('.') + 1));
  crds.on({ added: announce, updated: (_old, crd) => announce(crd), deleted: announce });
}

function bySubscription(revision: Revision): readonly string[] {
  return [subscriptionKey(revision)];
}

type ControllerParts = Pick<Parameters<typeof createController>[0], 'reconcile' | 'watches'>;

function controller({ options, log, runtime }: WireOptions, kind: string, parts: ControllerParts): Controller {
  const name = kind.toLowerCase();
  return createController({
    name,
    concurrency: options.concurrency,
    observer: runtime.controller(name),
    log,
    ...parts,
  });
}

/** Our own writes to a status are no reason to look again, at a registry above all. */
function onChangeByPeople(
  keys: (object: KubeObject) => readonly ObjectKey[],
): (object: KubeObject, event: WatchEventOf) => readonly ObjectKey[] {
  return (object, event) => {
    if (event.type !== 'updated') return keys(object);
    const [old, next] = [event.old.metadata, event.object.metadata];
    const changed =
      old.generation !== next.generation ||
      old.deletionTimestamp !== next.deletionTimestamp ||
      JSON.stringify([old.labels, old.annotations]) !== JSON.stringify([next.labels, next.annotations]);
    return changed ? keys(object) : [];
  };
}

/** Enqueues Subscriptions that wait for others when one of these changes. */
function waitingFor(subscriptions: Informer<Subscription>, event: WatchEventOf<Subscription>): readonly ObjectKey[] {
  return wokenBy(subscriptions.list(), event).flatMap(ownKey);
}

function subscriptionsIn(subscriptions: Informer<Subscription>, { metadata }: KubeObject): readonly ObjectKey[] {
  return subscriptions.list(metadata.name).flatMap(ownKey);
}

function revisionsOf(revisions: Informer<Revision>, subscription: string): readonly ObjectKey[] {
  return revisions.byIndex(BY_SUBSCRIPTION, subscription).flatMap(ownKey);
}

function activeRevisionOf(revisions: Informer<Revision>, object: KubeObject): readonly ObjectKey[] {
  const owner = object.metadata.annotations?.[ANNOTATION.owner];
  if (owner === undefined) return [];
  return revisions
    .byIndex(BY_SUBSCRIPTION, owner)
    .filter(({ spec }) => spec.state === 'Active')
    .flatMap(ownKey);
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

/** A fence that is always open: for a manager that runs alone. */
export function openFence(): Fence {
  return { isHeld: () => true, assertHeld: () => undefined };
}
