/**
 * Reconciles a Subscription: decides which Revision is to be active, makes it where there is none, and tells on
 * this one object what is installed, available, happening and wrong. What a Revision says is brought into the
 * cluster by the Revision controller; the two talk through the cluster only.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { refOf } from '../../api/object.ts';
import type { Cluster } from '../../apply/cluster.ts';
import type { Reconcile, ReconcileContext, Result } from '../../kube/controller.ts';
import type { Registries } from '../registries.ts';
import type { RecordEvent } from '../events.ts';
import { addFinalizer, removeFinalizer } from '../finalizer.ts';
import { writeStatus } from '../status.ts';
import { requireAccount } from './account.ts';
import { decideSubscription, type Action, type ResolvedPlan, type Target } from './decide.ts';
import { eventsOf } from './events.ts';
import { activeOf, forgettable } from './history.ts';
import { observeSubscription, type SubscriptionCaches, type SubscriptionFacts } from './observe.ts';
import { prepareBundle, type PreparedBundle } from './prepare-bundle.ts';
import { activateRevision, createRevision, storeManifests } from './revisions.ts';
import { summarizePlan, summarizeRemoval, summarizeSuspension } from './summarize.ts';

export interface SubscriptionDeps {
  readonly caches: SubscriptionCaches;
  readonly cluster: Cluster;
  readonly registries: Registries;
  /** Pull secret of a Catalog, by name. */
  readonly pullSecretOf: (catalog: string) => string | undefined;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

/** The reconcile function of the controller. */
export function createSubscriptionReconciler(deps: SubscriptionDeps): Reconcile {
  return async (key, context) => {
    const facts = observeSubscription(deps.caches, key, deps.now());
    if (facts === undefined) return undefined;
    const plan = decideSubscription(facts);
    switch (plan.kind) {
      case 'uninstall':
        return uninstall(deps, facts);
      case 'suspended':
        await writeStatus(deps.cluster, facts.subscription, summarizeSuspension(facts.subscription, facts.now));
        return undefined;
      case 'resolved':
        return carryOut(
          deps,
          { ...facts, subscription: await addFinalizer(deps.cluster, facts.subscription) },
          { plan, context },
        );
    }
  };
}

/** Removes the Revisions, each of which removes its objects; the Subscription goes when they are gone. */
async function uninstall(
  { cluster, record }: SubscriptionDeps,
  { subscription, revisions, now }: SubscriptionFacts,
): Promise<Result> {
  if (revisions.length === 0) {
    if (subscription.status?.installed !== undefined)
      record(subscription, {
        type: 'Normal',
        reason: 'Uninstalling',
        action: 'Remove',
        note: 'Everything that was installed is removed',
      });
    return removeFinalizer(cluster, subscription);
  }
  const deletable = revisions.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  await Promise.all(deletable.map((revision) => cluster.delete(refOf(revision))));
  await writeStatus(cluster, subscription, summarizeRemoval(subscription, revisions, now));
  return undefined;
}

interface Execution {
  readonly plan: ResolvedPlan;
  readonly context: ReconcileContext;
}

async function carryOut(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { plan, context }: Execution,
): Promise<Result> {
  const subscription = isTold(facts.subscription, plan) ? facts.subscription : await tell(deps, facts, plan);
  const current = { ...facts, subscription };
  try {
    await act(deps, current, { action: plan.action, signal: context.signal });
    await forget(deps, current, plan.action);
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason === 'Conflict' || error.reason === 'LeaderLost') throw error;
    await tell(deps, current, plan, error);
    throw error;
  }
  return undefined;
}

/** Whether the status says already that this is being tried: if it says why that failed, too, that is not overwritten. */
function isTold({ metadata, status }: Subscription, { action, quarantined }: ResolvedPlan): boolean {
  if (action.do !== 'create' && action.do !== 'restore') return false;
  const tried =
    status?.pending?.bundle === action.target.bundle.name && status.observedGeneration === metadata.generation;
  return tried && (status.quarantined ?? []).length === quarantined.length;
}

/** Writes the status first: a version that failed is remembered before anything is done about it. */
async function tell(
  deps: SubscriptionDeps,
  { subscription, now }: SubscriptionFacts,
  plan: ResolvedPlan,
  error?: ReasonedError,
): Promise<Subscription> {
  const status = summarizePlan(subscription, plan, { now, ...(error !== undefined && { error }) });
  for (const event of eventsOf(subscription.status, status)) deps.record(subscription, event);
  return writeStatus(deps.cluster, subscription, status);
}

interface ActOptions {
  readonly action: Action;
  readonly signal: AbortSignal;
}

async function act(deps: SubscriptionDeps, facts: SubscriptionFacts, { action, signal }: ActOptions): Promise<void> {
  switch (action.do) {
    case 'nothing':
    case 'awaitApproval':
      return undefined;
    case 'activate':
      return activateRevision(deps.cluster, facts.revisions, action.revision);
    case 'restore': {
      const { image } = action.revision.spec;
      const bundle = await prepare(deps, facts, { target: action.target, image, signal });
      return storeManifests(deps.cluster, action.revision, bundle.manifests);
    }
    case 'create':
      return create(deps, facts, { ...action, signal });
  }
}

async function create(
  deps: SubscriptionDeps,
  { subscription, revisions }: SubscriptionFacts,
  { target, approved, signal }: { readonly target: Target; readonly approved: boolean; readonly signal: AbortSignal },
): Promise<void> {
  await requireAccount(deps.cluster, subscription, signal);
  const bundle = await prepare(deps, { subscription }, { target, image: target.bundle.image, signal });
  const alone = activeOf(revisions) === undefined;
  const created = await createRevision(deps.cluster, {
    subscription,
    revisions,
    target,
    bundle,
    approved,
    active: approved && alone,
  });
  if (approved && !alone) await activateRevision(deps.cluster, revisions, created);
}

function prepare(
  deps: SubscriptionDeps,
  { subscription }: Pick<SubscriptionFacts, 'subscription'>,
  { target, image, signal }: { readonly target: Target; readonly image: string; readonly signal: AbortSignal },
): Promise<PreparedBundle> {
  const registry = deps.registries(deps.pullSecretOf(target.catalog));
  return prepareBundle(registry, { subscription, image }, signal);
}

/** Deletes Revisions that are no longer needed as history. */
async function forget(
  { cluster }: SubscriptionDeps,
  { subscription, revisions }: SubscriptionFacts,
  action: Action,
): Promise<void> {
  const wanted: Revision | undefined = 'revision' in action ? action.revision : undefined;
  if (action.do === 'create') return;
  await Promise.all(forgettable(subscription, revisions, wanted).map((revision) => cluster.delete(refOf(revision))));
}
