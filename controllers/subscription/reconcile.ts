/**
 * Reconciles a Subscription: decides which Revision should be active, makes it if it does not exist, and reports in the
 * status which bundle is installed and available, the work in progress and any trouble. The Revision controller brings
 * the objects into the cluster; the two talk through the cluster only.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { Subscription } from '../../api/subscription.ts';
import { formatKey, type Reconcile, type Result } from '../../kube/controller/controller.ts';
import type { Advance } from './adoption/advance.ts';
import { pinnedTo } from './adoption/pinned.ts';
import { versionToAdopt } from './adopting.ts';
import type { ServerFacts } from '../cluster-facts.ts';
import { LOADS } from '../loads.ts';
import { writeStatus } from '../status.ts';
import { reportTrouble } from '../report-defects.ts';
import { carryOut } from './carry-out.ts';
import { conditionToRead } from './condition-to-read.ts';
import { decideSubscription, type SubscriptionPlan } from './decide.ts';
import { requesterOf } from './dependencies.ts';
import type { SubscriptionDeps } from './deps.ts';
import { eventsOf } from './events.ts';
import { surplusOf } from './history.ts';
import { soonest } from './look-again.ts';
import { observeSubscription, type SubscriptionFacts } from './observe.ts';
import { uninstall } from './remove.ts';
import { archiveRevision } from './revisions.ts';
import { summarizeSuspension } from './summarize.ts';
import { expiryOf } from './time-to-decide.ts';
import { lacksSomething } from './wake.ts';

/** The reconcile function of the controller. */
export function createSubscriptionReconciler(deps: SubscriptionDeps): Reconcile {
  return async (key, context) => {
    const cached = deps.caches.subscriptions.get(formatKey(key));
    if (cached === undefined) return deps.ahead?.drop(formatKey(key));
    const advance = await adopt(deps, cached, context.signal);
    if (advance?.state === 'holding') return againAfter(advance);
    const server = await askServer(deps, cached, context.signal);
    const { upgradePolicy } = deps;
    const attendedSince = deps.attendedSince?.();
    const found = observeSubscription(deps.caches, key, { server, upgradePolicy, attendedSince, now: deps.now() });
    if (found === undefined) return undefined;
    const observed = advance === undefined ? found : { ...found, subscription: asAdopting(advance) };
    // A former leader created it too late: the garbage collector deletes it.
    if (isAbandoned(deps, observed.subscription)) return undefined;
    const surplus = surplusOf(observed.subscription, observed.revisions);
    if (surplus.length > 0) {
      // The archived Revision's watch event causes the next reconcile.
      await Promise.all(surplus.map((one) => archiveRevision(deps.cluster, one)));
      return undefined;
    }
    const { facts, plan } = await decide(deps, observed, context.signal);
    switch (plan.kind) {
      case 'uninstall':
        deps.ahead?.drop(formatKey(key));
        return uninstall(deps, facts, context.signal);
      case 'suspended':
        deps.ahead?.drop(formatKey(key));
        return suspend(deps, facts);
      case 'resolved':
        return soonest(await carryOut(deps, facts, { plan, signal: context.signal }), advance && againAfter(advance));
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
  if (isAtRest) return undefined;
  const slot = LOADS();
  try {
    return await deps.adopt?.(subscription, signal, (one) => versionToAdopt(deps, one, { slot, signal }));
  } finally {
    slot.free();
  }
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
  const ref = conditionToRead(plan, facts.revisions);
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
      await reportTrouble(deps, subscription, trouble).catch(() => undefined);
    }
    throw error;
  }
}
