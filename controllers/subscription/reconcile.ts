/**
 * Reconciles a Subscription: decides which Revision should be active, makes it if it does not exist, and reports in the
 * status which bundle is installed and available, the work in progress and any trouble. The Revision controller brings
 * the objects into the cluster; the two talk through the cluster only.
 */
import { ReasonedError } from '../../api/errors.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import { formatKey, type Reconcile, type ReconcileContext, type Result } from '../../kube/controller/controller.ts';
import type { Advance } from './adoption/advance.ts';
import { pinnedTo } from './adoption/pinned.ts';
import { versionToAdopt } from './adopting.ts';
import type { ServerFacts } from '../cluster-facts.ts';
import { addFinalizer } from '../finalizer.ts';
import { confirmObserved, writeStatus } from '../status.ts';
import { tellTrouble } from '../tell-defects.ts';
import { act, forget } from './act.ts';
import { actionOfHeld, heldBeside } from './action.ts';
import { comingTarget } from './coming.ts';
import { conditionToRead } from './condition-to-read.ts';
import { decideSubscription, type ResolvedPlan, type SubscriptionPlan } from './decide.ts';
import { requesterOf } from './dependencies.ts';
import type { SubscriptionDeps } from './deps.ts';
import { bundleThatBegins, eventsOf, type Move } from './events.ts';
import { forReadersOf } from './for-readers.ts';
import { surplusOf } from './history.ts';
import { lookAgain, retriedInTime, soonest } from './look-again.ts';
import { observeSubscription, type SubscriptionFacts } from './observe.ts';
import { describeBeingOverruled, describeOverruling, findOverruled } from './overruled.ts';
import { prepareAhead, prepareEarly } from './prepare.ts';
import { uninstall } from './remove.ts';
import { archiveRevision } from './revisions.ts';
import { haveSameBundle, isPublishedAgain } from '../../api/same-bundle.ts';
import { isServing } from './situation.ts';
import { summarizePlan, summarizeSuspension } from './summarize.ts';
import { lacksSomething } from './wake.ts';
import { describeMove } from './wording.ts';

/** The reconcile function of the controller. */
export function createSubscriptionReconciler(deps: SubscriptionDeps): Reconcile {
  return async (key, context) => {
    const cached = deps.caches.subscriptions.get(formatKey(key));
    if (cached === undefined) return deps.ahead?.drop(formatKey(key));
    const advance = await adopt(deps, cached, context.signal);
    if (advance?.state === 'holding') return againAfter(advance);
    const server = await askServer(deps, cached, context.signal);
    const { upgradePolicy } = deps;
    const found = observeSubscription(deps.caches, key, { server, upgradePolicy, now: deps.now() });
    if (found === undefined) return undefined;
    const observed = advance === undefined ? found : { ...found, subscription: asAdopting(advance) };
    // A former leader created it too late: the garbage collector deletes it.
    if (isAbandoned(deps, observed.subscription)) return undefined;
    const surplus = surplusOf(observed.subscription, observed.revisions);
    // The archived Revision's watch event causes the next reconcile.
    if (surplus.length > 0) return void (await Promise.all(surplus.map((one) => archiveRevision(deps.cluster, one))));
    const { facts, plan } = await decide(deps, observed, context.signal);
    switch (plan.kind) {
      case 'uninstall':
        deps.ahead?.drop(formatKey(key));
        return uninstall(deps, facts, context.signal);
      case 'suspended':
        deps.ahead?.drop(formatKey(key));
        return suspend(deps, facts);
      case 'resolved':
        return soonest(await carryOut(deps, facts, { plan, context }), advance && againAfter(advance));
    }
  };
}

async function suspend({ cluster, record }: SubscriptionDeps, facts: SubscriptionFacts): Promise<void> {
  const { subscription } = facts;
  const status = summarizeSuspension(subscription, facts);
  for (const event of eventsOf(subscription.status, status)) record(subscription, event);
  await writeStatus(cluster, subscription, status);
}

/** Takes the operator over first that spec.adopt names; undefined if nothing is to be adopted. */
async function adopt(
  deps: SubscriptionDeps,
  subscription: Subscription,
  signal: AbortSignal,
): Promise<Advance | undefined> {
  const isAtRest = subscription.metadata.deletionTimestamp !== undefined || subscription.spec.suspend;
  return isAtRest ? undefined : deps.adopt?.(subscription, signal, (one) => versionToAdopt(deps, one, signal));
}

/** During the take-over exactly the version is requested that runs, and a person has asked for it. */
function asAdopting({ subscription, state }: Advance): Subscription {
  const { version } = subscription.status?.adoption ?? {};
  return state !== 'takingOver' || version === undefined ? subscription : pinnedTo(subscription, version);
}

function againAfter({ againSeconds }: Advance): Result {
  return againSeconds === undefined ? undefined : { requeueAfterSeconds: againSeconds };
}

interface Decided {
  readonly facts: SubscriptionFacts;
  readonly plan: SubscriptionPlan;
}

/** Decides a second time if the running operator has to be asked about the upgrade that is due: one request. */
async function decide(deps: SubscriptionDeps, facts: SubscriptionFacts, signal: AbortSignal): Promise<Decided> {
  const plan = decideSubscription(facts, expiryOf(deps));
  const ref = conditionToRead(plan);
  if (ref === undefined) return { facts, plan };
  const asked = { ...facts, operatorCondition: await deps.cluster.get(ref, signal) };
  return { facts: asked, plan: decideSubscription(asked, expiryOf(deps)) };
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

function expiryOf({ now }: SubscriptionDeps): () => boolean {
  const began = now().getTime();
  return () => now().getTime() - began > MOST_MILLISECONDS;
}

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
  const again = isTold(held.subscription, plan);
  const told = tellFirst(deps, held, { plan, again });
  // Awaited later: a rejection before that must not count as unhandled.
  told.catch(() => undefined);
  try {
    const noteFirst = action.do !== 'create' || isQuarantining(held.subscription, plan);
    const current = noteFirst ? { ...facts, subscription: await told } : held;
    await act(deps, current, { action, installed: plan.installed, again, noted: told, prepared, signal });
    await forget(deps, { ...facts, subscription: await told }, plan);
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason === 'Conflict' || error.reason === 'LeaderLost') throw error;
    deps.ahead?.drop(keyOfObject(facts.subscription));
    const outcome = withHeld(plan);
    await tell(deps, { ...facts, subscription: await told }, outcome, forReadersOf(held.subscription, error));
    // The log has all of it.
    throw retriedInTime(error, plan, facts.now);
  }
  lookAhead(deps, facts, { plan, context });
  return lookAgain(plan, facts.now);
}

/**
 * Returns the Subscription with the status that the plan leads to. A version that failed is known from the status alone, and the
 * write of a status fails if the Subscription was read from a cache that lags. If the status stays as it is, the API server is asked
 * before another version becomes active.
 */
async function tellFirst(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { plan, again }: Pick<Execution, 'plan'> & { readonly again: boolean },
): Promise<Subscription> {
  const { subscription } = facts;
  const told = again ? subscription : await tell(deps, facts, plan);
  if (told === subscription && isSwitching(plan)) await confirmObserved(deps.cluster, subscription);
  return told;
}

function isSwitching({ action }: ResolvedPlan): boolean {
  return action.do === 'activate' || (action.do === 'create' && action.hold === undefined);
}

function lookAhead(deps: SubscriptionDeps, facts: SubscriptionFacts, { plan, context: { signal } }: Execution): void {
  if (deps.ahead === undefined) return;
  if (!isServing(plan)) deps.ahead.noteWork();
  const target = comingTarget(facts, plan, expiryOf(deps));
  if (target === undefined) deps.ahead.drop(keyOfObject(facts.subscription));
  else prepareAhead(deps, facts, { target, signal });
}

/** Adds the finalizer; takes the owner reference to the requester off a dependency. */
async function hold({ cluster }: SubscriptionDeps, subscription: Subscription): Promise<Subscription> {
  const requester = requesterOf(subscription);
  if (requester === undefined) return addFinalizer(cluster, subscription);
  const ownerReferences = (subscription.metadata.ownerReferences ?? []).filter((one) => one !== requester);
  return addFinalizer(cluster, subscription, { ownerReferences });
}

/**
 * Whether the status already names this attempt: then it is not overwritten, since it may name the error of the last
 * one.
 */
function isTold({ metadata, status }: Subscription, { action, quarantined, lastNumber }: ResolvedPlan): boolean {
  if (action.do === 'nothing' || action.do === 'await') return false;
  // Its name must not be given again after the Revision of that number is forgotten.
  if ((status?.lastNumber ?? 0) < lastNumber) return false;
  const isCurrent = status?.observedGeneration === metadata.generation;
  return isCurrent && isPending(status?.pending, action) && (status?.quarantined ?? []).length === quarantined.length;
}

type Attempt = Extract<ResolvedPlan['action'], { readonly do: 'create' | 'restore' | 'activate' }>;

/** Whether the pending bundle is the one of the attempt. A Revision that waited until now is none that was tried. */
function isPending(pending: SubscriptionStatus['pending'], action: Attempt): boolean {
  if (action.do === 'activate')
    return pending?.reason === 'Progressing' && pending.revision === action.revision.metadata.name;
  const bundles = [action.target, heldBeside(action)?.target].flatMap((one) => one?.bundle.name ?? []);
  return bundles.includes(pending?.bundle ?? '');
}

/** The plan after an error: the installed version lacks what the spec requests of it, and the next one waits all the same. */
function withHeld(plan: ResolvedPlan): ResolvedPlan {
  const held = heldBeside(plan.action);
  return held === undefined ? plan : { ...plan, action: actionOfHeld(held), isLacking: true };
}

/** A version that failed is recorded before another one is made: a crash must not forget it. */
function isQuarantining({ status }: Subscription, { quarantined }: ResolvedPlan): boolean {
  const known = status?.quarantined ?? [];
  return quarantined.some((one) => !known.some((other) => haveSameBundle(one, other)));
}

/** Writes the status that the plan leads to, with the error that ended it. */
async function tell(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  plan: ResolvedPlan,
  error?: ReasonedError,
): Promise<Subscription> {
  const { subscription, now } = facts;
  const status = summarizePlan(subscription, plan, { now, ...(error !== undefined && { error }) });
  for (const event of eventsOf(subscription.status, status, moveOf(plan))) deps.record(subscription, event);
  reportOverruled(deps, facts, { plan, begins: bundleThatBegins(subscription.status, status) });
  return writeStatus(deps.cluster, subscription, status);
}

function moveOf({ decision, installed }: ResolvedPlan): Move {
  if (decision.kind === 'none') return {};
  return {
    unusual: describeMove(decision, installed),
    isAgain: isPublishedAgain(decision.next, installed?.spec),
  };
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
