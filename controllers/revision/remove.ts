/**
 * Removes the objects of a Revision from the cluster, in order, and releases the Revision. An event on the Subscription
 * names each object that stays, with the reason; the Revision's condition names an object that is stuck.
 */
import { awaitedLater } from '../../api/awaited-later.ts';
import { isNotFound } from '../../api/api-answers.ts';
import { countCustomResources } from '../../apply/custom-resources.ts';
import type { Cluster } from '../../api/cluster.ts';
import { planUninstall, type UninstallPlan } from '../../apply/plan-uninstall.ts';
import { readByList } from '../../apply/read-by-list.ts';
import { observeByPolling, type Observe } from '../../apply/wait.ts';
import { runUninstall, type UninstallResult } from '../../apply/uninstall.ts';
import { describeRef, type ObjectRef } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { leavesObjects, SUBSCRIPTION } from '../../api/subscription.ts';
import type { RecordEvent } from '../events.ts';
import { removeFinalizer } from '../finalizer.ts';
import { deleteManifests } from '../manifest-secrets.ts';
import { ownerUidOf } from '../owner.ts';
import { isRemovalUnderWay } from '../removal-under-way.ts';
import { writeStatus } from '../status.ts';
import { unreported } from '../unreported.ts';
import { ownerOf } from '../prepare-for.ts';
import type { LateRemovals } from './late-removals.ts';
import type { ManagedObjects } from './managed-objects.ts';
import { observeManaged } from './observe-managed.ts';
import type { RemovalDuring } from '../../adoption/way-back.ts';
import type { AskWayBack } from '../way-backs.ts';
import type { RevisionFacts } from './observe.ts';
import { accountOf, whyAccountIsGone } from './account.ts';
import { followServed } from './follow-served.ts';
import type { Judgement } from './judgement.ts';
import { managersOwn } from './managers-own.ts';
import { describeOrphans, prepareOrphans } from './orphans.ts';
import { summarizeRevision } from './status.ts';
import { answerOfWayBack } from './way-back.ts';

/** How long one step may take in one call; a longer step is continued by further calls. */
const STEP_SECONDS = 10;

export interface RemoveDeps {
  /** As the manager: an account that is gone or lacks a right must not block the deletion of a Subscription. */
  readonly cluster: Cluster;
  /**
   * As the account: for custom resources, and objects whose uid the inventory lacks, except the manager's own. Undefined: as
   * the manager.
   */
  readonly acting: Cluster | undefined;
  readonly managed: ManagedObjects;
  readonly late?: Pick<LateRemovals, 'removing'>;
  /** By default no operator is on its way back to OLM. */
  readonly wayBackOf?: AskWayBack | undefined;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

/** `Refused`: it makes no progress before a person grants a right or changes the spec, which no watch reports. */
export type RemovalState = 'Gone' | 'Going' | 'Refused';

/** Does the steps that are possible now; returns the progress. */
export async function removeRevision(
  deps: RemoveDeps,
  facts: RevisionFacts,
  signal: AbortSignal,
): Promise<RemovalState> {
  const { revision } = facts;
  if (facts.subscription === undefined && !isRemovalUnderWay(revision))
    await requireGone(deps.cluster, revision, signal);
  const removal = await decideRemoval(deps, facts, signal);
  switch (removal.kind) {
    case 'leave':
      return orphan(deps, facts, { note: removal.note, signal });
    case 'hold':
      return report(deps, revision, { state: 'Failed', reason: 'DeleteBlocked', message: removal.message });
    case 'asAsked':
      return uninstall(deps, facts, signal);
  }
}

/** A Subscription may ask that its objects stay; the way back to OLM is asked until the removal is under way. */
async function decideRemoval(
  { wayBackOf }: Pick<RemoveDeps, 'wayBackOf'>,
  facts: RevisionFacts,
  signal: AbortSignal,
): Promise<RemovalDuring> {
  if (isOrphaned(facts)) return { kind: 'leave', note: describeOrphans(facts) };
  return isRemovalUnderWay(facts.revision) ? { kind: 'asAsked' } : answerOfWayBack(wayBackOf, facts, signal);
}

async function uninstall(deps: RemoveDeps, facts: RevisionFacts, signal: AbortSignal): Promise<RemovalState> {
  const { revision } = facts;
  const { managed: watched, acting, late, now } = deps;
  const cluster = readByList(deps.cluster);
  const about = { owner: ownerOf(revision), watched, namedIn: accountOf(facts)?.namespace, signal };
  late?.removing(facts);
  // The watches report objects that a former leader makes late, also to a leader that has not rolled out anything yet.
  void followServed({ cluster: deps.cluster, watched }, revision.status?.inventory ?? [], signal).catch(
    () => undefined,
  );
  const plan = await planRemoval(cluster, facts, about);
  const isBeginning = plan.state === 'Ready' && !isRemovalUnderWay(revision);
  const secrets = isBeginning ? deleteMeanwhile(deps.cluster, revision) : undefined;
  const observe = observeRemoval({ cluster, managed: watched });
  const isOwn = managersOwn(facts, revision.status?.inventory ?? []);
  const options = { ...about, acting, isOwn, observe, stepSeconds: STEP_SECONDS, now };
  const result = await runUninstall(cluster, plan, options);
  if (result.state !== 'Complete') return report(deps, revision, judgeRemoval(result, about.namedIn));
  // Reported after the release: a reconcile with a lagging cache, which finds the Revision released, reports nothing
  // again.
  if (await releaseRevision(deps.cluster, revision, secrets)) reportRemainder(deps, facts, result);
  return 'Gone';
}

/** Writes into the status why the Revision is not gone yet. */
async function report(
  { cluster, now }: Pick<RemoveDeps, 'cluster' | 'now'>,
  revision: Revision,
  judgement: Judgement,
): Promise<RemovalState> {
  await writeStatus(cluster, revision, summarizeRevision(revision, { judgement }, now()));
  return judgement.reason === 'Forbidden' ? 'Refused' : 'Going';
}

/**
 * Throws Conflict (retried) if the Subscription exists, and its watch has not reported it yet: a person has deleted the Revision
 * then, and not the operator.
 */
async function requireGone(cluster: Pick<Cluster, 'get'>, revision: Revision, signal: AbortSignal): Promise<void> {
  const { apiVersion, metadata, spec } = revision;
  const ref = { apiVersion, kind: SUBSCRIPTION.kind, namespace: metadata.namespace ?? '', name: spec.subscription };
  const found = await cluster.get(ref, signal);
  if (found !== undefined && found.metadata.uid === ownerUidOf(revision)) throw unreported(ref);
}

/** Whether the objects stay, as `spec.uninstall.objects` asks. */
function isOrphaned({ subscription }: RevisionFacts): boolean {
  return subscription?.metadata.deletionTimestamp !== undefined && leavesObjects(subscription);
}

/**
 * The objects of the bundle stay, with their marks, which let a Subscription of the same name take them up again. First
 * a rehearsal is broken off, as nothing would ever end it later.
 */
async function orphan(
  deps: RemoveDeps,
  facts: RevisionFacts,
  { note, signal }: { readonly note: string; readonly signal: AbortSignal },
): Promise<RemovalState> {
  const { cluster, record } = deps;
  const { revision, subscription } = facts;
  const result = await prepareOrphans(deps, facts, signal);
  if (result.failures.length > 0 || result.waiting.length > 0) return report(deps, revision, judgeRemoval(result));
  const isReleased = await releaseRevision(cluster, revision);
  if (isReleased && (revision.status?.inventory ?? []).length > 0)
    record(subscription ?? revision, { type: 'Normal', reason: 'Orphaned', action: 'Remove', note });
  return 'Gone';
}

/** No step of the removal needs the manifests, so their Secrets go while the objects go. */
function deleteMeanwhile(cluster: Cluster, revision: Revision): Promise<void> {
  return awaitedLater(deleteManifests(cluster, revision));
}

/** Custom resources that an account should delete stay if the account no longer exists. */
async function planRemoval(
  cluster: Cluster,
  facts: RevisionFacts,
  options: Parameters<typeof countCustomResources>[2],
): Promise<UninstallPlan> {
  const inventory = facts.revision.status?.inventory ?? [];
  const policy = facts.subscription?.spec.uninstall.customResources ?? 'Retain';
  const counts = await countCustomResources(cluster, inventory, options);
  const plan = planUninstall(inventory, counts, policy);
  const account = accountOf(facts);
  if (account === undefined || !plan.steps.some(({ resources }) => resources.length > 0)) return plan;
  const why = await whyAccountIsGone(cluster, account, options.signal);
  return why === undefined ? plan : planUninstall(inventory, counts, 'Retain', why);
}

/** By the watches if they follow every kind in question, else by reading. */
function observeRemoval({ cluster, managed }: Pick<RemoveDeps, 'cluster' | 'managed'>): Observe {
  const byWatch = observeManaged(managed);
  const byReading = observeByPolling(cluster);
  return (refs, signal) => (refs.every((ref) => managed.isFollowed(ref)) ? byWatch : byReading)(refs, signal);
}

/**
 * Releases a Revision and deletes its Secrets. Returns false if it was released before.
 *
 * @param deleted The deletion of its Secrets, if it has begun.
 */
export async function releaseRevision(cluster: Cluster, revision: Revision, deleted?: Promise<void>): Promise<boolean> {
  await (deleted ?? deleteManifests(cluster, revision));
  try {
    await removeFinalizer(cluster, revision);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

function reportRemainder(
  { record }: Pick<RemoveDeps, 'record'>,
  { revision, subscription }: RevisionFacts,
  { stays }: UninstallResult,
): void {
  for (const { reason, message } of stays) {
    record(subscription ?? revision, { type: 'Warning', reason, action: 'Remove', note: message });
  }
}

/** Why the removal is not complete, in a sentence. `namedIn`: the only namespace whose custom resources it names. */
export function judgeRemoval(result: UninstallResult, namedIn?: string): Judgement {
  const [failure] = result.failures;
  if (failure !== undefined) {
    const { reason, message, hint } = failure;
    return { state: 'Working', reason, message: hint === undefined ? message : `${message}. ${hint}` };
  }
  const [stay] = result.stays;
  if (result.step === undefined && stay !== undefined)
    return { state: 'Failed', reason: 'DeleteBlocked', message: stay.message };
  return { state: 'Working', reason: 'Uninstalling', message: describeDeletions(result, namedIn) };
}

function describeDeletions({ step, waiting }: UninstallResult, namedIn: string | undefined): string {
  const isNameable = ({ namespace }: ObjectRef): boolean =>
    step !== 'customResources' || namedIn === undefined || namespace === namedIn;
  const [first] = waiting;
  if (first === undefined) return 'The objects are being deleted';
  const named = waiting.find(({ ref }) => isNameable(ref));
  if (named !== undefined) return `${describeRef(named.ref)} is being deleted: ${named.message}`;
  return `${waiting.length} custom resources in other namespaces are being deleted; of the first: ${first.message}`;
}
