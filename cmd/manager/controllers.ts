/** The controllers of the manager: which objects each one reconciles, and which changes wake it. */
import { setTimeout as delay } from 'node:timers/promises';
import { CATALOG } from '../../api/catalog.ts';
import { REGISTRY_POLICY } from '../../api/registry-policy.ts';
import { REVISION } from '../../api/revision.ts';
import { SUBSCRIPTION } from '../../api/subscription.ts';
import { advanceAdoption } from '../../controllers/subscription/adoption/advance.ts';
import { endAdoption } from '../../controllers/subscription/adoption/end.ts';
import { createCatalogFollower } from '../../controllers/catalog/follow.ts';
import { createCatalogReconciler } from '../../controllers/catalog/reconcile.ts';
import { createServerFacts } from '../../controllers/cluster-facts.ts';
import { createRegistryPolicyReconciler } from '../../controllers/registry-policy/reconcile.ts';
import { createPlanReconciler } from '../../controllers/plan/reconcile.ts';
import { loadLibrary } from '../../controllers/revision/certificates/issue.ts';
import { createRevisionReconciler } from '../../controllers/revision/reconcile.ts';
import { createSerializer } from '../../controllers/serialize.ts';
import { BundlesAhead } from '../../controllers/subscription/ahead.ts';
import { Patience } from '../../controllers/subscription/adoption/patience.ts';
import { delayOfProgress } from '../../controllers/subscription/progress.ts';
import { createSubscriptionReconciler } from '../../controllers/subscription/reconcile.ts';
import { secondsToDecide } from '../../controllers/subscription/time-to-decide.ts';
import { reportDefects, type DefectDeps } from '../../controllers/report-defects.ts';
import {
  createController,
  ownerKeys,
  ownKey,
  watchOf,
  type Controller,
  type ControllerWatch,
  type ObjectKey,
} from '../../kube/controller/controller.ts';
import { leaseTimings } from '../../kube/election/lease-record.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { countRepairs } from './metrics.ts';
import type { Parts, ManagerContext } from './parts.ts';
import {
  activeRevisions,
  onChangeByPeople,
  revisionsBeside,
  revisionsOf,
  subscriptionsIn,
  waitingFor,
} from './wakes.ts';

/** Of the manager, in its namespace; every way to install it has this name. */
const ACCOUNT = 'slipway-manager';

/** Serves the content that the leader has found; on every replica. */
export function createContentFollower({ caches, content, policies, registries, attempts, context }: Parts): Controller {
  return createController({
    name: 'catalog-content',
    // A registry that is slow delays no other Catalog for long: see catalog-content.ts.
    concurrency: context.options.concurrency,
    reconcile: attempts.watch(createCatalogFollower({ catalogs: caches.catalogs, policies, content, registries })),
    watches: [{ informer: caches.catalogs, keys: ownKey }, onPolicies(caches, caches.catalogs)],
    observer: context.runtime.controller('catalog-content'),
    // A replica that becomes the leader continues at once.
    shutdownSeconds: 0,
    log: context.log,
  });
}

export function createCatalogController(parts: Parts): Controller {
  const { caches, content, policies, registries, checkSignatures, attempts, shared, writer, context } = parts;
  const { catalogs } = caches;
  const sources = { content, policies, registries, checkSignatures };
  const reconcile = createCatalogReconciler({ ...shared, ...sources, catalogs, cluster: writer });
  return controller(context, CATALOG.kind, {
    reconcile: reportDefects(attempts.watch(reconcile), defectsOf(parts, catalogs)),
    watches: [{ informer: catalogs, keys: onChangeByPeople(ownKey) }, onPolicies(caches, catalogs)],
  });
}

/** A change of a policy may concern every object: it decides which images may be used. */
function onPolicies({ registryPolicies }: Parts['caches'], objects: Informer): ControllerWatch {
  return { informer: registryPolicies, keys: onChangeByPeople(() => objects.list().flatMap(ownKey)) };
}

/** The status of RegistryPolicies; each depends on the others, since two may have the same prefix. */
export function createRegistryPolicyController({ caches, shared, writer, context }: Parts): Controller {
  const { registryPolicies: policies } = caches;
  const reconcile = createRegistryPolicyReconciler({
    ...shared,
    policies,
    cluster: writer,
    namespace: context.namespace,
  });
  return controller(context, REGISTRY_POLICY.kind, {
    reconcile: reportDefects(reconcile, { ...shared, objects: policies, cluster: writer }),
    watches: [onPolicies(caches, policies)],
  });
}

export function createSubscriptionController(parts: Parts): Controller {
  const { caches, content, policies, bundles, checkSignatures, handed, shared, barrier, upgradePolicy } = parts;
  const { certificates, wayBackOf, mayHaveBackups, writer, context } = parts;
  const { catalogs, subscriptions, revisions, namespaces } = caches;
  const client = barrier.watched(writer);
  const adoption = {
    ...shared,
    client,
    namespace: context.namespace,
    mayHaveBackups,
    sleep: (ms: number) => delay(ms),
    patience: new Patience(),
  };
  const reconcile = createSubscriptionReconciler({
    ...shared,
    caches: { ...caches, content },
    cluster: client,
    adopt: (subscription, signal, render) => advanceAdoption(adoption, subscription, signal, render),
    endAdoption: (subscription, signal) => endAdoption(adoption, subscription, signal),
    wayBackOf,
    server: createServerFacts(context.client, shared.now),
    bundles,
    handed,
    ahead: new BundlesAhead(),
    catalogOf: (name) => catalogs.get(name),
    checkSignatures,
    // its first use would block the thread; should that fail, it is tried again when a certificate is issued
    foreseeCertificates: () => void loadLibrary().catch(() => undefined),
    issueAhead: certificates.begin,
    policies,
    upgradePolicy,
    decisionSeconds: secondsToDecide(leaseTimings(context.options['lease-seconds'])),
    attendedSince: () => parts.standstills.runsSince,
  });
  return controller(context, SUBSCRIPTION.kind, {
    reconcile: barrier.behind(reportDefects(reconcile, defectsOf(parts, subscriptions))),
    watches: [
      { informer: subscriptions, keys: onChangeByPeople(ownKey) },
      watchOf({ informer: subscriptions, keys: (_, event) => waitingFor(subscriptions, event) }),
      watchOf({ informer: revisions, keys: ownerKeys(SUBSCRIPTION.kind), afterSeconds: delayOfProgress }),
      { informer: catalogs, keys: onChangeByPeople(() => subscriptions.list().flatMap(ownKey)) },
      { informer: namespaces, keys: onChangeByPeople((one) => subscriptionsIn(subscriptions, one)) },
      onPolicies(caches, subscriptions),
    ],
  });
}

/** Makes the plans of Revisions that wait; a Revision that goes on by itself has none. */
export function createPlanController(parts: Parts): Controller {
  const { caches, shared, barrier, upgradePolicy, writer, context } = parts;
  const { subscriptions, revisions, namespaces } = caches;
  const reconcile = createPlanReconciler({ ...shared, caches, client: barrier.watched(writer), upgradePolicy });
  return createController({
    name: 'plan',
    // Plans share the only thread and its memory. Each has a limit of time, and namespaces are served in turn.
    concurrency: 1,
    observer: context.runtime.controller('plan'),
    log: context.log,
    reconcile: barrier.behind(reconcile),
    watches: [
      { informer: subscriptions, keys: ownKey },
      watchOf({ informer: revisions, keys: ownerKeys(SUBSCRIPTION.kind) }),
      { informer: namespaces, keys: onChangeByPeople((one) => subscriptionsIn(subscriptions, one)) },
    ],
  });
}

export function createRevisionController(parts: Parts): Controller {
  const { caches, managed, late, handed, certificates, offers, shared, barrier, wayBackOf, writer, context } = parts;
  const { subscriptions, revisions, namespaces, pullSecrets } = caches;
  const active = (namespace?: string): readonly ObjectKey[] => activeRevisions(revisions, namespace);
  const reconcile = createRevisionReconciler({
    ...shared,
    caches,
    client: barrier.watched(writer),
    managed,
    late,
    wayBackOf,
    manager: { namespace: context.namespace, name: ACCOUNT },
    handed,
    issue: certificates.issue,
    pullSecrets: offers,
    countRepair: countRepairs(context.metrics),
    probeWebhooks: context.options['probe-webhooks'],
    serialize: createSerializer(),
    stoodStill: () => parts.standstills.seconds,
  });
  return controller(context, REVISION.kind, {
    reconcile: barrier.behind(reportDefects(reconcile, defectsOf(parts, revisions))),
    watches: [
      // The fate of an archived Revision depends on the active one.
      watchOf({ informer: revisions, keys: (one, event) => revisionsBeside(revisions, one, event) }),
      watchOf({ informer: subscriptions, keys: (one, event) => revisionsOf(revisions, one, event) }),
      // Pull secrets are offered by policies, to namespaces by their labels.
      { informer: caches.registryPolicies, keys: onChangeByPeople(() => active()) },
      { informer: pullSecrets, keys: () => active() },
      { informer: namespaces, keys: onChangeByPeople((one) => active(one.metadata.name)) },
    ],
  });
}

export function createLateObjectsController({ context, late }: Parts): Controller {
  return controller(context, 'late-objects', { reconcile: late.reconcile, watches: [] });
}

/** How defects of a reconcile are reported on its objects. */
function defectsOf({ shared, barrier, writer }: Parts, objects: Informer): DefectDeps {
  return { ...shared, objects, cluster: barrier.watched(writer) };
}

type ControllerParts = Pick<Parameters<typeof createController>[0], 'reconcile' | 'watches'>;

function controller({ options, log, runtime }: ManagerContext, kind: string, parts: ControllerParts): Controller {
  const name = kind.toLowerCase();
  return createController({
    name,
    concurrency: options.concurrency,
    observer: runtime.controller(name),
    log,
    ...parts,
  });
}
