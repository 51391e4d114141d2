/**
 * Reconciles a Subscription: decides which Revision should be active, makes it if it does not exist, and reports in the
 * status which bundle is installed and available, the work in progress and any trouble. The Revision controller brings
 * the objects into the cluster; the two talk through the cluster only.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { Catalog } from '../../api/catalog.ts';
import type { Revision } from '../../api/revision.ts';
import type { Signature } from '../../api/signature.ts';
import type { Subscription } from '../../api/subscription.ts';
import { ANNOTATION } from '../../api/names.ts';
import { describeRef, refOf } from '../../api/object.ts';
import type { Cluster } from '../../api/cluster.ts';
import { formatKey, type Reconcile, type ReconcileContext, type Result } from '../../kube/controller/controller.ts';
import type { Refusal } from '../../resolver/decision.ts';
import type { BundleSources } from '../bundle-sources.ts';
import type { ServerFacts, ServerFactsSource } from '../cluster-facts.ts';
import type { RecordEvent } from '../events.ts';
import type { HandedManifests } from '../handed-manifests.ts';
import { addFinalizer } from '../finalizer.ts';
import { storeManifests } from '../manifest-secrets.ts';
import { requireAccount } from '../service-account.ts';
import { asSeen } from '../preconditions.ts';
import type { CheckSignatures } from '../signature-checks.ts';
import { writeStatus } from '../status.ts';
import { tellTrouble } from '../tell-defects.ts';
import { checkBundle, reportUntrusted } from './bundle-signatures.ts';
import { decideSubscription, type Action, type ResolvedPlan, type Target } from './decide.ts';
import { requestDependencies, requesterOf } from './dependencies.ts';
import { bundleThatBegins, eventsOf } from './events.ts';
import { activeOf, forgettable, surplusOf } from './history.ts';
import { imageByDigest, planPull } from './images.ts';
import { observeSubscription, type SubscriptionCaches, type SubscriptionFacts } from './observe.ts';
import { describeBeingOverruled, describeOverruling, findOverruled } from './overruled.ts';
import { withOtherVersions } from './other-versions.ts';
import { prepareBundle, type PreparedBundle } from './prepare-bundle.ts';
import { uninstall } from './remove.ts';
import { activateRevision, archiveRevision, createRevision } from './revisions.ts';
import { summarizePlan, summarizeSuspension } from './summarize.ts';
import { isHeldBack, lacksSomething } from './wake.ts';
import { describeMove } from './wording.ts';

export interface SubscriptionDeps {
  readonly caches: SubscriptionCaches;
  readonly cluster: Cluster;
  readonly server: ServerFactsSource;
  readonly bundles: BundleSources;
  /** A Catalog by its name. */
  readonly catalogOf: (name: string) => Pick<Catalog, 'metadata' | 'spec'> | undefined;
  readonly checkSignatures: CheckSignatures;
  /** Receives manifests that were stored. */
  readonly handed?: Pick<HandedManifests, 'put'>;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

/** The reconcile function of the controller. */
export function createSubscriptionReconciler(deps: SubscriptionDeps): Reconcile {
  return async (key, context) => {
    const cached = deps.caches.subscriptions.get(formatKey(key));
    if (cached === undefined) return undefined;
    const server = await askServer(deps, cached, context.signal);
    const facts = observeSubscription(deps.caches, key, { server, now: deps.now() });
    if (facts === undefined) return undefined;
    // A former leader created it too late: the garbage collector deletes it.
    if (isAbandoned(deps, facts.subscription)) return undefined;
    const surplus = surplusOf(facts.subscription, facts.revisions);
    // The archived Revision's watch event causes the next reconcile.
    if (surplus.length > 0) return void (await Promise.all(surplus.map((one) => archiveRevision(deps.cluster, one))));
    const plan = decideSubscription(facts, () => deps.now().getTime() - facts.now.getTime() > MOST_MILLISECONDS);
    switch (plan.kind) {
      case 'uninstall':
        return uninstall(deps, facts);
      case 'suspended':
        await writeStatus(deps.cluster, facts.subscription, summarizeSuspension(facts.subscription, facts.now));
        return undefined;
      case 'resolved':
        return carryOut(deps, facts, { plan, context });
    }
  };
}

/** Whether it was just requested by a Subscription that is gone or being deleted. */
function isAbandoned({ caches }: SubscriptionDeps, subscription: Subscription): boolean {
  const reference = requesterOf(subscription);
  if (reference === undefined) return false;
  const { namespace = '' } = subscription.metadata;
  const requester = caches.subscriptions.get(`${namespace}/${reference.name}`);
  return requester?.metadata.uid !== reference.uid || requester.metadata.deletionTimestamp !== undefined;
}

/** The decision blocks the only thread; the limit is half of the time within which the lease must be renewed. */
const MOST_MILLISECONDS = 5000;

/** A deletion needs no facts of the cluster; nothing else can be decided without them. */
async function askServer(
  deps: SubscriptionDeps,
  subscription: Subscription,
  signal: AbortSignal,
): Promise<ServerFacts> {
  if (subscription.metadata.deletionTimestamp !== undefined) return { providedKinds: [] };
  try {
    return await deps.server.get(signal, { afresh: lacksSomething(subscription.status) });
  } catch (error) {
    if (error instanceof ReasonedError && error.reason !== 'LeaderLost') {
      const trouble = { reason: error.reason, message: error.describe() };
      await tellTrouble(deps, subscription, trouble).catch(() => undefined);
    }
    throw error;
  }
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
  const { action } = plan;
  const { signal } = context;
  const prepared =
    action.do === 'create' && plan.decision.kind !== 'none'
      ? prepareEarly(deps, facts, { ...action, signal })
      : undefined;
  const held = { ...facts, subscription: await hold(deps, facts.subscription) };
  const subscription = isTold(held.subscription, plan) ? held.subscription : await tell(deps, held, plan);
  const current = { ...facts, subscription };
  try {
    await act(deps, current, { action, prepared, signal });
    await forget(deps, current, action);
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason === 'Conflict' || error.reason === 'LeaderLost') throw error;
    await tell(deps, current, plan, error);
    throw error;
  }
  return lookAgain(plan, facts.now);
}

/** Adds the finalizer; takes the owner reference to the requester off a dependency. */
async function hold({ cluster }: SubscriptionDeps, subscription: Subscription): Promise<Subscription> {
  const requester = requesterOf(subscription);
  if (requester === undefined) return addFinalizer(cluster, subscription);
  const ownerReferences = (subscription.metadata.ownerReferences ?? []).filter((one) => one !== requester);
  return addFinalizer(cluster, subscription, { ownerReferences });
}

/** Some changes are not watched: another operator's kinds, the end of a window. */
const LOOK_AGAIN_SECONDS = 60;
/** An upgrade that the cluster holds back is less urgent, since the installed version goes on working. */
const LOOK_LATER_SECONDS = 300;
const SOON_SECONDS = 0.01;

function lookAgain({ action, decision }: ResolvedPlan, now: Date): Result {
  if (decision.kind === 'none' && decision.reason === 'ResolutionFailed')
    return { requeueAfterSeconds: isGivenUp(decision) ? LOOK_LATER_SECONDS : LOOK_AGAIN_SECONDS };
  // The hold is handled and reported as soon as the Revision exists.
  if (action.do === 'create' && action.hold !== undefined) return { requeueAfterSeconds: SOON_SECONDS };
  if (action.do !== 'await') return isHeldBack(decision) ? { requeueAfterSeconds: LOOK_LATER_SECONDS } : undefined;
  const { reason, until } = action.hold;
  if (until !== undefined) return { requeueAfterSeconds: Math.max(1, (until.getTime() - now.getTime()) / 1000) };
  return reason === 'DependencyNotReady' ? { requeueAfterSeconds: LOOK_AGAIN_SECONDS } : undefined;
}

/** A search that hit its effort limit will hit it again. */
function isGivenUp({ because }: Refusal): boolean {
  return because.some(({ kind }) => kind === 'effort');
}

/**
 * Whether the status already names this attempt: then it is not overwritten, since it may name the error of the last
 * one.
 */
function isTold({ metadata, status }: Subscription, { action, quarantined }: ResolvedPlan): boolean {
  if (action.do !== 'create' && action.do !== 'restore') return false;
  const tried =
    status?.pending?.bundle === action.target.bundle.name && status.observedGeneration === metadata.generation;
  return tried && (status.quarantined ?? []).length === quarantined.length;
}

/** Writes the status first: a version that failed is recorded before the rollback begins. */
async function tell(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  plan: ResolvedPlan,
  error?: ReasonedError,
): Promise<Subscription> {
  const { subscription, now } = facts;
  const status = summarizePlan(subscription, plan, { now, ...(error !== undefined && { error }) });
  const move = plan.decision.kind === 'none' ? '' : describeMove(plan.decision);
  for (const event of eventsOf(subscription.status, status, move)) deps.record(subscription, event);
  reportOverruled(deps, facts, { plan, begins: bundleThatBegins(subscription.status, status) });
  return writeStatus(deps.cluster, subscription, status);
}

/** Once for each decision: when its bundle begins to be installed. */
function reportOverruled(
  { record }: SubscriptionDeps,
  facts: SubscriptionFacts,
  { plan: { decision }, begins }: { readonly plan: ResolvedPlan; readonly begins: string | undefined },
): void {
  if (decision.kind === 'none' || begins !== decision.next.name) return;
  for (const overruled of findOverruled(facts, decision.next)) {
    record(facts.subscription, describeOverruling(begins, overruled));
    record(overruled.subscription, describeBeingOverruled(begins, facts.subscription, overruled));
  }
}

interface ActOptions {
  readonly action: Action;
  /** The bundle of the Revision that is to be created, if its preparation has begun. */
  readonly prepared: Promise<PreparedBundle> | undefined;
  readonly signal: AbortSignal;
}

async function act(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { action, prepared, signal }: ActOptions,
): Promise<void> {
  switch (action.do) {
    case 'nothing':
      return undefined;
    case 'await':
      return requestDependencies(deps.cluster, facts.subscription, action.hold.missing);
    case 'activate':
      return activateRevision(deps.cluster, facts.revisions, action.revision);
    case 'restore':
      return restore(deps, facts, { ...action, signal });
    case 'create':
      return create(deps, facts, { ...action, prepared, signal });
  }
}

/**
 * Begins to pull while the status is written. Not if an account is named: if it does not exist, nothing may be pulled.
 */
function prepareEarly(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { target, signal }: { readonly target: Target; readonly signal: AbortSignal },
): Promise<PreparedBundle> | undefined {
  if (facts.subscription.spec.serviceAccountName !== undefined) return undefined;
  const prepared = prepareNew(deps, facts, { target, signal });
  // Awaited later: a rejection before that must not count as unhandled.
  prepared.catch(() => undefined);
  return prepared;
}

/**
 * Stores the manifests of a Revision again. Another release of Slipway may render the same bundle differently: the
 * manifests of the Revision can then never be made again, and a new Revision takes its place.
 */
async function restore(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { revision, target, signal }: { readonly revision: Revision; readonly target: Target; readonly signal: AbortSignal },
): Promise<void> {
  const { subscription, revisions, nextNumber: number } = facts;
  const { image, manifests, approved } = revision.spec;
  const bundle = await prepare(deps, facts, { target, image: imageByDigest(target, image), signal });
  if (bundle.manifests.digest === manifests.digest) {
    await storeManifests(deps.cluster, revision, bundle.manifests.pieces);
    return requestReconcile(deps, revision);
  }
  await createRevision(deps.cluster, { subscription, revisions, number, target, bundle, approved, active: false });
}

/** No watch reports the Secrets, and the Revision may back off for minutes before it reads them again. */
async function requestReconcile({ cluster, now }: SubscriptionDeps, revision: Revision): Promise<void> {
  const annotations = { [ANNOTATION.reconcileRequestedAt]: now().toISOString() };
  const { uid } = revision.metadata;
  await cluster.patch(refOf(revision), { metadata: { uid, annotations } });
}

interface Creation extends Pick<Extract<Action, { do: 'create' }>, 'target' | 'approved' | 'hold'> {
  readonly prepared: Promise<PreparedBundle> | undefined;
  readonly signal: AbortSignal;
}

async function create(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { target, approved, hold, prepared, signal }: Creation,
): Promise<void> {
  const { subscription, revisions, nextNumber: number } = facts;
  const { serviceAccountName: name } = subscription.spec;
  if (name !== undefined)
    await requireAccount(deps.cluster, { namespace: subscription.metadata.namespace ?? '', name }, signal);
  const bundle = await (prepared ?? prepareNew(deps, facts, { target, signal }));
  const alone = activeOf(revisions) === undefined;
  const free = hold === undefined;
  const created = await createRevision(deps.cluster, {
    subscription,
    revisions,
    number,
    target,
    bundle,
    approved,
    active: free && alone,
    // The manifests of a Revision that is held back are read when it becomes active.
    ...(free && deps.handed !== undefined && { handed: deps.handed }),
  });
  reportLeftOut(deps, subscription, { target, bundle });
  reportUntrusted(deps.record, subscription, bundle.signature);
  if (free && !alone) await activateRevision(deps.cluster, revisions, created);
}

/** Reports objects that no API server accepts: they are left out, and the others are installed. */
function reportLeftOut(
  { record }: SubscriptionDeps,
  subscription: Subscription,
  { target, bundle: { leftOut } }: { readonly target: Target; readonly bundle: PreparedBundle },
): void {
  for (const { ref, message } of leftOut) {
    const why = `${target.bundle.name} holds ${describeRef(ref)}, which its own CRD refuses (${message})`;
    const note = `${why}; it is left out. Ask the author of the bundle to correct it`;
    record(subscription, { type: 'Warning', reason: 'ObjectInvalid', action: 'Prepare', note });
  }
}

/** The bundle of a new Revision, whose signatures are checked. */
async function prepareNew(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { target, signal }: { readonly target: Target; readonly signal: AbortSignal },
): Promise<PreparedBundle> {
  const catalog = deps.catalogOf(target.catalog);
  const { revisions } = facts;
  const checkSignatures: Preparation['checkSignatures'] = async (image, pullSecret) =>
    checkBundle(deps.checkSignatures, { image, catalog, pullSecret, revisions }, signal);
  return prepare(deps, facts, { target, image: target.bundle.image, checkSignatures, signal });
}

interface Preparation {
  readonly target: Target;
  readonly image: string;
  /** Absent for the image of a Revision: it was checked when the Revision was made. */
  readonly checkSignatures?: (image: string, pullSecret: string | undefined) => Promise<Signature | undefined>;
  readonly signal: AbortSignal;
}

async function prepare(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { target, image, checkSignatures, signal }: Preparation,
): Promise<PreparedBundle> {
  const { secretOf } = planPull(facts, target);
  const pullSecret = secretOf === undefined ? undefined : deps.catalogOf(secretOf)?.spec.pullSecret?.name;
  const source = deps.bundles(pullSecret);
  const { subscription, cluster } = facts;
  const { kubernetesVersion } = cluster;
  const wanted = {
    subscription,
    image,
    ...(kubernetesVersion !== undefined && { kubernetesVersion }),
    ...(checkSignatures !== undefined && {
      checkSignatures: (pulled: string) => checkSignatures(pulled, pullSecret),
    }),
  };
  try {
    return await prepareBundle(source, wanted, signal);
  } catch (error) {
    throw withOtherVersions(error, facts, target);
  }
}

/**
 * Deletes Revisions that are no longer needed as history; a Revision that was written since it was read may be needed
 * again.
 */
async function forget(
  { cluster }: SubscriptionDeps,
  { subscription, revisions }: SubscriptionFacts,
  action: Action,
): Promise<void> {
  const wanted: Revision | undefined = 'revision' in action ? action.revision : undefined;
  if (action.do === 'create') return;
  await Promise.all(
    forgettable(subscription, revisions, wanted).map((revision) => cluster.delete(refOf(revision), asSeen(revision))),
  );
}
