/**
 * Reconciles a Revision: brings its objects into the cluster and keeps them there while it is Active, and removes them
 * when its Subscription is deleted. It reads Subscriptions and never writes them; the Subscription controller decides
 * which Revision is Active.
 */
import type { Reconcile, ReconcileContext, Result } from '../../kube/controller/controller.ts';
import { subscriptionKey } from '../by-subscription.ts';
import { writeStatus } from '../status.ts';
import { removerOf } from './actors.ts';
import { createPhaseWaits } from './await-phase.ts';
import { carryOut } from './carry-out.ts';
import { createConversions } from './conversions.ts';
import { decideRevision } from './decide.ts';
import type { Deps, RevisionDeps } from './deps.ts';
import { createDesiredObjects } from './desired-objects.ts';
import { createGivenUp } from './given-up.ts';
import { observeRevision, type RevisionFacts } from './observe.ts';
import { createProgressPace } from './progress-pace.ts';
import { createRehearsals } from './rehearsal/rehearsals.ts';
import { createContests } from './repair/contests.ts';
import { createCrdContents } from './repair/crd-content.ts';
import { refuse } from './refuse.ts';
import { releaseRevision, removeRevision } from './remove.ts';
import { judgeArchived } from './archived.ts';
import { summarizeRevision, type Judgement, type RevisionFindings } from './summarize.ts';
import { findCondition, formatTime } from '../../api/conditions.ts';
import { hasWorked, type Revision } from '../../api/revision.ts';

/** Nodes need a moment to find a Pod that has just become ready. */
const WEBHOOK_SECONDS = 3;

/** The longest pause between two checks of a removal that makes no progress: no watch reports the end of its wait. */
const LONGEST_PAUSE_SECONDS = { Going: 30, Refused: 120 } as const;

/** The reconcile function of the controller. */
export function createRevisionReconciler(given: RevisionDeps): Reconcile {
  const deps: Deps = {
    ...given,
    givenUp: createGivenUp(given.managed),
    desired: createDesiredObjects(given.client, given.handed),
    pace: createProgressPace(),
    conversions: createConversions(),
    rehearsals: createRehearsals({
      ...given,
      cluster: given.client,
      probeWebhooks: given.probeWebhooks ?? true,
      patienceMs: (given.patience?.('workloads') ?? WEBHOOK_SECONDS) * 1000,
    }),
    waits: createPhaseWaits(given.managed, given.patience),
    contests: createContests(),
    crdContents: createCrdContents(),
  };
  return async (key, context) => {
    const cached = observeRevision(deps.caches, key);
    if (cached === undefined) return;
    if (concernsItselfOnly(cached)) return act(deps, cached, context);
    return deps.serialize(subscriptionKey(cached.revision), async () => {
      const facts = observeRevision(deps.caches, key);
      return facts === undefined ? undefined : act(deps, facts, context);
    });
  };
}

/** Skip the per-Subscription lock for work that touches only this Revision; waiting for it would block a worker. */
function concernsItselfOnly(facts: RevisionFacts): boolean {
  const { kind } = decideRevision(facts);
  return (
    kind === 'invalid' || kind === 'waitForActive' || (kind === 'release' && facts.revision.spec.state === 'Archived')
  );
}

async function act(deps: Deps, facts: RevisionFacts, context: ReconcileContext): Promise<Result> {
  const plan = decideRevision(facts);
  switch (plan.kind) {
    case 'nothing':
      return undefined;
    case 'invalid':
      return refuse(deps, facts, plan.problem);
    case 'release':
      await releaseRevision(deps.client, facts.revision);
      return undefined;
    case 'waitForActive':
      return rest(deps, facts, { reason: 'Uninstalling', message: `Revision ${plan.name} is removed first` });
    case 'archived':
      deps.rehearsals.forget(facts.revision);
      return archive(deps, facts, plan.handedOver);
    case 'awaitApproval':
      return rest(deps, facts, { reason: 'ApprovalRequired', message: 'Waits for spec.approved to be set to true' });
    case 'suspended':
      return rest(deps, facts, { reason: 'Suspended', message: 'The Subscription is suspended' });
    case 'remove':
      deps.givenUp.forget(facts);
      deps.desired.forget(facts.revision);
      deps.pace.forget(facts.revision);
      deps.rehearsals.forget(facts.revision);
      return remove(deps, facts, context);
    case 'rollOut':
      return carryOut(deps, facts, context);
  }
}

async function rest(
  deps: RevisionDeps,
  { revision }: RevisionFacts,
  what: Pick<Judgement, 'reason' | 'message'>,
): Promise<void> {
  await write(deps, revision, { judgement: { state: 'Resting', ...what } });
}

async function archive(deps: RevisionDeps, facts: RevisionFacts, handedOver: boolean): Promise<void> {
  const { revision, subscription } = facts;
  const archived = judgeArchived(revision, { subscription, handedOver });
  if (archived === undefined) return;
  const { judgement, failure } = archived;
  const wasActive = hasWorked(revision) && findCondition(revision.status?.conditions, 'Ready')?.reason !== 'Archived';
  const findings = { judgement, ...(failure !== undefined && { failure }), ...(handedOver && { inventory: [] }) };
  const status = summarizeRevision(revision, findings, deps.now());
  const lastActive = wasActive ? { lastActiveTime: formatTime(deps.now()) } : {};
  await writeStatus(deps.client, revision, { ...status, ...lastActive });
}

async function remove(deps: RevisionDeps, facts: RevisionFacts, { signal }: ReconcileContext): Promise<Result> {
  const acting = removerOf(deps, facts);
  const state = await removeRevision({ ...deps, cluster: deps.client, acting }, facts, signal);
  if (state === 'Gone') return undefined;
  const began = Date.parse(facts.revision.metadata.deletionTimestamp ?? '');
  const waited = (deps.now().getTime() - began) / 1000;
  return { requeueAfterSeconds: Math.min(LONGEST_PAUSE_SECONDS[state], Math.max(1, waited / 4)) };
}

async function write(deps: RevisionDeps, revision: Revision, findings: RevisionFindings): Promise<Revision> {
  return writeStatus(deps.client, revision, summarizeRevision(revision, findings, deps.now()));
}
