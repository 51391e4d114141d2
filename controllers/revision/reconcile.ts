/**
 * Reconciles a Revision: brings its objects into the cluster and keeps them there while it is Active, and removes them
 * when its Subscription is deleted. It reads Subscriptions and never writes them; the Subscription controller decides
 * which Revision is Active.
 */
import type { Reconcile, ReconcileContext, Result } from '../../kube/controller/controller.ts';
import { subscriptionKey } from '../by-subscription.ts';
import { writeStatus } from '../status.ts';
import { createPhaseWaits } from './await-phase.ts';
import { removerOf } from './clients.ts';
import { resultOfSchedule } from './conclude.ts';
import { decideRevision } from './decide.ts';
import type { Judgement } from './judgement.ts';
import { LateAttempts } from './late-attempts.ts';
import { ListedNamespaces } from './listed-namespaces.ts';
import { RevisionMemories } from './memory.ts';
import { observeRevision, type RevisionFacts } from './observe.ts';
import { createCrdContents } from './repair/crd-content.ts';
import { SeenOffers } from './pull-secrets/seen.ts';
import { refuse } from './refuse.ts';
import { releaseRevision, removeRevision } from './remove.ts';
import { hasWorkedInVain, judgeArchived, WAITS_FOR_A_PERSON } from './archived.ts';
import { rollOut } from './roll-out.ts';
import type { RevisionDeps, SharedParts } from './run.ts';
import { schedule } from './schedule.ts';
import { summarizeRevision } from './status.ts';
import { judgeSuspended } from './suspended.ts';
import { findCondition, formatTime } from '../../api/conditions.ts';
import { hasWorked } from '../../api/revision.ts';

/** Nodes need a moment to find a Pod that has just become ready. */
const WEBHOOK_SECONDS = 3;

/** The reconcile function of the controller. */
export function createRevisionReconciler(given: RevisionDeps): Reconcile {
  const shared: SharedParts = {
    ...given,
    memories: given.memories ?? new RevisionMemories(),
    waits: createPhaseWaits(given.managed, given.patience),
    webhookPatienceMs: (given.patience?.('workloads') ?? WEBHOOK_SECONDS) * 1000,
    crdContents: createCrdContents(),
    lateAttempts: new LateAttempts(),
    listedNamespaces: new ListedNamespaces(),
    seenOffers: new SeenOffers(given.pullSecrets),
  };
  shared.caches.revisions.on({ deleted: (revision) => shared.memories.drop(revision, 'deleted') });
  return async (key, context) => {
    const cached = observeRevision(shared.caches, key);
    if (cached === undefined) return;
    if (concernsItselfOnly(cached)) return act(shared, cached, context);
    return shared.serialize(subscriptionKey(cached.revision), async () => {
      const facts = observeRevision(shared.caches, key);
      return facts === undefined ? undefined : act(shared, facts, context);
    });
  };
}

/**
 * Skip the per-Subscription lock for work that touches only this Revision, and for none: waiting for it would block a
 * worker, and a change of this Revision meanwhile would wait as long.
 */
function concernsItselfOnly(facts: RevisionFacts): boolean {
  const { kind } = decideRevision(facts);
  const isAlone = kind === 'nothing' || kind === 'invalid' || kind === 'waitForActive';
  return isAlone || (kind === 'release' && facts.revision.spec.state === 'Archived');
}

async function act(shared: SharedParts, facts: RevisionFacts, context: ReconcileContext): Promise<Result> {
  const { revision } = facts;
  const plan = decideRevision(facts);
  if (plan.kind !== 'invalid') shared.listedNamespaces.note(facts, shared.now());
  switch (plan.kind) {
    case 'nothing':
      return undefined;
    case 'invalid':
      return refuse(shared, facts, plan.problem);
    case 'release':
      shared.memories.drop(revision, 'released');
      await releaseRevision(shared.client, revision);
      return undefined;
    case 'waitForActive':
      return rest(shared, facts, {
        reason: 'Uninstalling',
        message: `Waits until the active Revision ${plan.name} has deleted the objects of the operator`,
      });
    case 'archived':
      shared.memories.drop(revision, 'archived');
      return archive(shared, facts, plan.handedOver);
    case 'awaitApproval':
      return rest(shared, facts, { reason: 'ApprovalRequired', message: WAITS_FOR_A_PERSON });
    case 'suspended':
      return judge(shared, facts, judgeSuspended(revision, plan.subscription, shared.now()));
    case 'remove':
      shared.memories.drop(revision, 'removing');
      return remove(shared, facts, context);
    case 'rollOut':
      return rollOut(shared, plan.facts, context.signal);
  }
}

function rest(shared: SharedParts, facts: RevisionFacts, reason: Pick<Judgement, 'reason' | 'message'>): Promise<void> {
  return judge(shared, facts, { state: 'Resting', ...reason });
}

async function judge({ client, now }: SharedParts, { revision }: RevisionFacts, judgement: Judgement): Promise<void> {
  await writeStatus(client, revision, summarizeRevision(revision, { judgement }, now()));
}

async function archive({ client, now }: SharedParts, facts: RevisionFacts, handedOver: boolean): Promise<void> {
  const { revision, subscription } = facts;
  const archived = judgeArchived(revision, { subscription, handedOver });
  const forgotten = hasWorkedInVain(revision, subscription) ? { firstReadyTime: undefined } : {};
  if (archived === undefined) {
    await writeStatus(client, revision, { ...revision.status, ...forgotten });
    return;
  }
  const { judgement, failure } = archived;
  const wasActive = hasWorked(revision) && findCondition(revision.status?.conditions, 'Ready')?.reason !== 'Archived';
  const findings = { judgement, ...(failure !== undefined && { failure }), ...(handedOver && { inventory: [] }) };
  const status = summarizeRevision(revision, findings, now());
  const lastActive = wasActive ? { lastActiveTime: formatTime(now()) } : {};
  await writeStatus(client, revision, { ...status, ...lastActive, ...forgotten });
}

async function remove(shared: SharedParts, facts: RevisionFacts, { signal }: ReconcileContext): Promise<Result> {
  const { client, now } = shared;
  const progress = await removeRevision(
    { ...shared, cluster: client, acting: removerOf(client, facts) },
    facts,
    signal,
  );
  if (progress === 'Gone') return undefined;
  const since = new Date(facts.revision.metadata.deletionTimestamp ?? '');
  return resultOfSchedule(schedule({ kind: 'removing', progress, since }, now()).again);
}
