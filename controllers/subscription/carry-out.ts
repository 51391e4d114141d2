/** Carries out a plan: reports it in the status, acts, reports the error if there is one, and prepares the next bundle. */
import { awaitedLater } from '../../api/awaited-later.ts';
import { ReasonedError } from '../../api/errors.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Result } from '../../kube/controller/controller.ts';
import { addFinalizer } from '../finalizer.ts';
import { confirmObserved, writeStatus } from '../status.ts';
import { act, forget } from './act.ts';
import { isAnnounced, isAnnouncedFirst, withHeld, type Announcement } from './attempt.ts';
import { comingTarget } from './coming.ts';
import type { ResolvedPlan } from './decide.ts';
import { requesterOf } from './dependencies.ts';
import type { SubscriptionDeps } from './deps.ts';
import { bundleThatBegins, eventsOf } from './events.ts';
import { forReadersOf } from './for-readers.ts';
import { lookAgain, retriedInTime } from './look-again.ts';
import type { SubscriptionFacts } from './observe.ts';
import { describeBeingOverruled, describeOverruling, findOverruled } from './overruled.ts';
import { moveOf } from './move.ts';
import { prepareAhead, prepareEarly } from './prepare.ts';
import type { PreparedBundle } from './prepare-bundle.ts';
import { isServing } from './situation.ts';
import { summarizePlan } from './summarize.ts';
import { expiryOf } from './time-to-decide.ts';

interface Execution {
  readonly plan: ResolvedPlan;
  readonly signal: AbortSignal;
}

/**
 * Returns when the Subscription is reconciled again. Throws the errors of the action; the status reports them, except for those
 * that the next reconcile cures.
 */
export async function carryOut(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { plan, signal }: Execution,
): Promise<Result> {
  const { action, installed } = plan;
  const prepared = beginToPrepare(deps, facts, { plan, signal });
  const subscription = await ensureFinalizer(deps, facts.subscription);
  const announcement = announce(deps, { ...facts, subscription }, plan);
  try {
    const current = isAnnouncedFirst(subscription, plan) ? await announcement.written : subscription;
    await act(deps, { ...facts, subscription: current }, { action, installed, announcement, prepared, signal });
    await forget(deps, { ...facts, subscription: await announcement.written }, plan);
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason === 'Conflict' || error.reason === 'LeaderLost') throw error;
    deps.ahead?.drop(keyOfObject(subscription));
    await reportError(deps, { ...facts, subscription: await announcement.written }, { plan, error });
    throw retriedInTime(error, plan, facts.now);
  }
  lookAhead(deps, facts, { plan, signal });
  return lookAgain(plan, facts.now);
}

function beginToPrepare(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { plan: { action, decision }, signal }: Execution,
): Promise<PreparedBundle> | undefined {
  if (action.do !== 'create' || decision.kind === 'none') return undefined;
  return prepareEarly(deps, facts, { ...action, signal });
}

/** Adds the finalizer; takes the owner reference to the requester off a dependency. */
async function ensureFinalizer({ cluster }: SubscriptionDeps, subscription: Subscription): Promise<Subscription> {
  const requester = requesterOf(subscription);
  if (requester === undefined) return addFinalizer(cluster, subscription);
  const ownerReferences = (subscription.metadata.ownerReferences ?? []).filter((one) => one !== requester);
  return addFinalizer(cluster, subscription, { ownerReferences });
}

/** Begins to write the status that the plan leads to. */
function announce(deps: SubscriptionDeps, facts: SubscriptionFacts, plan: ResolvedPlan): Announcement {
  const isRepeated = isAnnounced(facts.subscription, plan);
  return { isRepeated, written: awaitedLater(reportPlan(deps, facts, { plan, isRepeated })) };
}

/** If the status stays as it is, the API server is asked before another version becomes active: see Announcement. */
async function reportPlan(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { plan, isRepeated }: { readonly plan: ResolvedPlan; readonly isRepeated: boolean },
): Promise<Subscription> {
  const { subscription } = facts;
  const written = isRepeated ? subscription : await writePlan(deps, facts, plan);
  if (written === subscription && makesActiveNow(plan)) await confirmObserved(deps.cluster, subscription);
  return written;
}

function makesActiveNow({ action }: ResolvedPlan): boolean {
  return action.do === 'activate' || (action.do === 'create' && action.hold === undefined);
}

/** The log has the error in full; the status has it as far as its readers may know it. */
async function reportError(
  deps: SubscriptionDeps,
  facts: SubscriptionFacts,
  { plan, error }: { readonly plan: ResolvedPlan; readonly error: ReasonedError },
): Promise<void> {
  await writePlan(deps, facts, withHeld(plan), forReadersOf(facts.subscription, error));
}

/** Writes the status that the plan leads to, with the error that ended it. */
async function writePlan(
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

function lookAhead(deps: SubscriptionDeps, facts: SubscriptionFacts, { plan, signal }: Execution): void {
  if (deps.ahead === undefined) return;
  if (!isServing(plan)) deps.ahead.noteWork();
  const target = comingTarget(facts, plan, expiryOf(deps));
  if (target === undefined) deps.ahead.drop(keyOfObject(facts.subscription));
  else prepareAhead(deps, facts, { target, signal });
}
