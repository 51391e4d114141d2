/** The status of an archived Revision: why it failed, what it waits for, or that it is history. Pure. */
import { findCondition, isReason, type Condition } from '../../api/conditions.ts';
import { AT_WORK, type Reason } from '../../api/reasons.ts';
import { hasWorked, type Revision, type RevisionStatus } from '../../api/revision.ts';
import { haveSameBundle } from '../../api/same-bundle.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Judgement } from './judgement.ts';

export const WAITS_FOR_A_PERSON =
  'Waits for approval: nothing of it is applied until a person sets spec.approved to true';

export interface Archived {
  readonly judgement: Judgement;
  readonly failure: RevisionStatus['failure'];
}

export interface ArchivedFacts {
  readonly subscription: Pick<Subscription, 'spec' | 'status'> | undefined;
  /** Whether an active Revision has taken over its inventory. */
  readonly handedOver: boolean;
}

/** Undefined if there is nothing to say, or not yet. */
export function judgeArchived(revision: Revision, facts: ArchivedFacts): Archived | undefined {
  const { spec, status } = revision;
  const waiting = waitOf(revision, facts.subscription);
  if (waiting !== undefined) return { judgement: { state: 'Resting', ...waiting }, failure: undefined };
  // The Subscription has just made it, and is about to activate it or to report its wait: there is no history yet.
  const { conditions, inventory = [] } = status ?? {};
  const isNew = conditions === undefined && inventory.length === 0;
  if (isNew && (spec.approved || isBeingMade(revision, facts.subscription))) return undefined;
  // Keep this Revision's last outcome until the active one has taken over its inventory; both changes then go into one
  // status write.
  if (!facts.handedOver && inventory.length > 0) return undefined;
  if (!spec.approved)
    return {
      judgement: { state: 'Resting', reason: 'ApprovalRequired', message: WAITS_FOR_A_PERSON },
      failure: undefined,
    };
  const failure = status?.failure ?? failureOf(revision, facts.subscription);
  const message = failure === undefined ? 'Kept as history' : `Kept as history; it failed: ${failure.message}`;
  return { judgement: { state: 'Resting', reason: 'Archived', message }, failure };
}

/**
 * Whether it was healthy only until it failed, within its bake time: if it is tried again, it has to prove itself as one that
 * never worked.
 */
export function hasWorkedInVain(revision: Revision, subscription: ArchivedFacts['subscription']): boolean {
  const { quarantined = [] } = subscription?.status ?? {};
  const { failure, conditions } = revision.status ?? {};
  // Not an older one of the bundle, which worked with another configuration.
  const isOfFailure = failure !== undefined || findCondition(conditions, 'Ready')?.reason !== 'Archived';
  return hasWorked(revision) && isOfFailure && quarantined.some((failed) => haveSameBundle(failed, revision.spec));
}

/** Whether the Subscription still reports that it makes a Revision of the bundle. */
function isBeingMade({ spec }: Revision, subscription: ArchivedFacts['subscription']): boolean {
  const { pending } = subscription?.status ?? {};
  return pending?.reason === 'Progressing' && pending.revision === undefined && pending.bundle === spec.bundle;
}

const WAITS: readonly string[] = [
  'OperatorNotUpgradeable',
  'OutsideWindow',
  'DependencyNotReady',
  'Planning',
  'PlanFailed',
  'AwaitingApproval',
  'ApprovalVoid',
] satisfies Reason[];

type StatedWait = Pick<Judgement, 'reason' | 'message'>;

/** The reason why the Subscription waits before it makes this Revision active. */
function waitOf(revision: Revision, subscription: ArchivedFacts['subscription']): StatedWait | undefined {
  const { pending, conditions } = subscription?.status ?? {};
  if (pending === undefined || pending.revision !== revision.metadata.name || hasWorked(revision)) return undefined;
  const { reason } = pending;
  if (subscription?.spec.suspend === true && (WAITS.includes(reason) || isNext(revision, reason)))
    return { reason: 'Suspended', message: describeSuspended(revision, reason) };
  if (isNext(revision, reason))
    return obstacleOf(conditions) ?? { reason: 'Progressing', message: 'It is to be applied next' };
  if (!WAITS.includes(reason) || !isReason(reason)) return undefined;
  const reported = findCondition(conditions, 'UpgradeAvailable');
  return { reason, message: reported?.reason === reason ? reported.message : 'Waits to be applied' };
}

/** Whether one that has only waited, and was approved since, is the next to become active. */
function isNext({ spec, status }: Revision, reason: string): boolean {
  const { conditions, failure, inventory = [] } = status ?? {};
  const wasTried = findCondition(conditions, 'Reconciling') ?? findCondition(conditions, 'Stalled');
  const hasWaited =
    conditions !== undefined && wasTried === undefined && failure === undefined && inventory.length === 0;
  return spec.approved && hasWaited && (reason === 'Progressing' || reason === 'ApprovalRequired');
}

function describeSuspended({ spec }: Revision, reason: string): string {
  const waits = WAITS.includes(reason) ? `It waits (${reason}), and` : 'It is approved, and';
  return `${waits} Subscription ${spec.subscription} is suspended: nothing happens until its spec.suspend is false`;
}

/** The error that keeps it from becoming active, such as a registry that does not answer. */
function obstacleOf(conditions: readonly Condition[] | undefined): StatedWait | undefined {
  const newer = findCondition(conditions, 'UpgradeAvailable');
  const said =
    newer?.status === 'True'
      ? newer
      : (findCondition(conditions, 'Reconciling') ?? findCondition(conditions, 'Stalled'));
  if (said === undefined || !isReason(said.reason) || NO_OBSTACLE.has(said.reason)) return undefined;
  return { reason: said.reason, message: said.message };
}

/**
 * Why it failed, from its status while it was active. Trouble within the bake time counts as a failure only if the
 * Subscription has quarantined the version.
 */
function failureOf(
  { spec, status }: Revision,
  subscription: ArchivedFacts['subscription'],
): RevisionStatus['failure'] | undefined {
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.status !== 'False' || RESTING.has(ready.reason)) return undefined;
  const stalled = findCondition(status?.conditions, 'Stalled');
  // What only waited was never applied, whatever became of another Revision of the bundle.
  if (stalled === undefined && WAITS.includes(ready.reason)) return undefined;
  const quarantined = subscription?.status?.quarantined?.find((failed) => haveSameBundle(failed, spec));
  const since = stalled?.lastTransitionTime ?? quarantined?.since;
  return since === undefined ? undefined : { reason: ready.reason, message: ready.message, since };
}

const NO_OBSTACLE: ReadonlySet<string> = new Set<Reason>([
  ...(AT_WORK as ReadonlySet<Reason>),
  'UpgradeAvailable',
  'ApprovalRequired',
]);

/** The reasons of a Revision that is not being applied. */
const RESTING: ReadonlySet<string> = new Set<Reason>(['Archived', 'ApprovalRequired', 'Suspended', 'Uninstalling']);
