/** The controllers of the manager: which objects each one reconciles, and which changes wake it. */
import { CATALOG } from '../../api/catalog.ts';
import { keyOfObject } from '../../api/object.ts';
import { REVISION } from '../../api/revision.ts';
import { SUBSCRIPTION } from '../../api/subscription.ts';
import { createBundleSources } from '../../controllers/bundle-sources.ts';
import { subscriptionKey } from '../../controllers/by-subscription.ts';
import { createCatalogFollower } from '../../controllers/catalog/follow.ts';
import { createCatalogReconciler } from '../../controllers/catalog/reconcile.ts';
import { createServerFacts } from '../../controllers/cluster-facts.ts';
import { createRevisionReconciler } from '../../controllers/revision/reconcile.ts';
import { createSerializer } from '../../controllers/serialize.ts';
import { delayOfProgress } from '../../controllers/subscription/progress.ts';
import { createSubscriptionReconciler } from '../../controllers/subscription/reconcile.ts';
import { tellDefects, type DefectDeps } from '../../controllers/tell-defects.ts';
import { createController, ownerKeys, ownKey, watchOf, type Controller } from '../../kube/controller/controller.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { countRepairs } from './metrics.ts';
import type { Parts, WireOptions } from './parts.ts';
import { onChangeByPeople, revisionsOf, subscriptionsIn, waitingFor } from './wakes.ts';

/** Of the manager, in its namespace; every way to install it has this name. */
const ACCOUNT = 'slipway-manager';

/** Serves the content that the leader has found; on every replica. */
export function createContentFollower({ caches, content, registries, attempts, wiring }: Parts): Controller {
  return createController({
    name: 'catalog-content',
    reconcile: attempts.watch(createCatalogFollower({ catalogs: caches.catalogs, content, registries })),
    watches: [{ informer: caches.catalogs, keys: ownKey }],
    observer: wiring.runtime.controller('catalog-content'),
    // A replica that becomes the leader continues at once.
    shutdownSeconds: 0,
    log: wiring.log,
  });
}

export function createCatalogController(parts: Parts): Controller {
  const { caches, content, registries, checkSignatures, attempts, shared, writer, wiring } = parts;
  const { catalogs } = caches;
  const sources = { content, registries, checkSignatures };
  const reconcile = createCatalogReconciler({ ...shared, ...sources, catalogs, cluster: writer });
  return controller(wiring, CATALOG.kind, {
    reconcile: tellDefects(attempts.watch(reconcile), defectsOf(parts, catalogs)),
    watches: [{ informer: catalogs, keys: onChangeByPeople(ownKey) }],
  });
}

export function createSubscriptionController(parts: Parts): Controller {
  const { caches, content, registries, checkSignatures, handed, shared, barrier, writer, wiring } = parts;
  const { catalogs, subscriptions, revisions, namespaces } = caches;
  const reconcile = createSubscriptionReconciler({
    ...shared,
    caches: { ...caches, content },
    cluster: barrier.watched(writer),
    server: createServerFacts(wiring.client, shared.now),
    bundles: createBundleSources(registries, wiring.options['data-folder']),
    handed,
    catalogOf: (name) => catalogs.get(name),
    checkSignatures,
  });
  return controller(wiring, SUBSCRIPTION.kind, {
    reconcile: barrier.behind(tellDefects(reconcile, defectsOf(parts, subscriptions))),
    watches: [
      { informer: subscriptions, keys: onChangeByPeople(ownKey) },
      watchOf({ informer: subscriptions, keys: (_, event) => waitingFor(subscriptions, event) }),
      watchOf({ informer: revisions, keys: ownerKeys(SUBSCRIPTION.kind), afterSeconds: delayOfProgress }),
      { informer: catalogs, keys: onChangeByPeople(() => subscriptions.list().flatMap(ownKey)) },
      { informer: namespaces, keys: onChangeByPeople((one) => subscriptionsIn(subscriptions, one)) },
    ],
  });
}

export function createRevisionController(parts: Parts): Controller {
  const { caches, managed, late, handed, shared, barrier, writer, wiring } = parts;
  const { subscriptions, revisions } = caches;
  const reconcile = createRevisionReconciler({
    ...shared,
    caches,
    client: barrier.watched(writer),
    managed,
    late,
    manager: { namespace: wiring.namespace, name: ACCOUNT },
    handed,
    countRepair: countRepairs(wiring.metrics),
    probeWebhooks: wiring.options['probe-webhooks'],
    serialize: createSerializer(),
  });
  return controller(wiring, REVISION.kind, {
    reconcile: barrier.behind(tellDefects(reconcile, defectsOf(parts, revisions))),
    watches: [
      // The fate of an archived Revision depends on the active one.
      watchOf({ informer: revisions, keys: (one) => revisionsOf(revisions, subscriptionKey(one)) }),
      { informer: subscriptions, keys: (subscription) => revisionsOf(revisions, keyOfObject(subscription)) },
    ],
  });
}

export function createLateObjectsController({ wiring, late }: Parts): Controller {
  return controller(wiring, 'late-objects', { reconcile: late.reconcile, watches: [] });
}

/** How defects of a reconcile are reported on its objects. */
function defectsOf({ shared, barrier, writer }: Parts, objects: Informer): DefectDeps {
  return { ...shared, objects, cluster: barrier.watched(writer) };
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
