/**
 * Removes what a Revision put into the cluster, in order, and lets the Revision go. What stays, and why, is told
 * in an event on the Subscription; what is stuck is told in the Revision's condition.
 */
import { isNotFound } from '../../apply/api-failure.ts';
import { countCustomResources } from '../../apply/custom-resources.ts';
import type { Cluster } from '../../apply/cluster.ts';
import { planUninstall } from '../../apply/plan-uninstall.ts';
import { observeByPolling, type Observe } from '../../apply/wait.ts';
import { runUninstall, type UninstallResult } from '../../apply/uninstall.ts';
import { describeRef, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { RecordEvent } from '../events.ts';
import { removeFinalizer } from '../finalizer.ts';
import { deleteManifests } from '../manifest-secrets.ts';
import { writeStatus } from '../status.ts';
import type { ManagedObjects } from './managed-objects.ts';
import { observeManaged } from './observe-managed.ts';
import type { RevisionFacts } from './observe.ts';
import { summarizeRevision, type Judgement } from './summarize.ts';

/** How long one step may take in one call; what takes longer is waited for by further calls. */
const STEP_SECONDS = 10;

export interface RemoveDeps {
  /** As the manager: an account that may not, or is gone, must not keep a Subscription from being deleted. */
  readonly cluster: Cluster;
  readonly managed: ManagedObjects;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

/** Does what can be done now; returns whether everything is gone. */
export async function removeRevision(deps: RemoveDeps, facts: RevisionFacts, signal: AbortSignal): Promise<boolean> {
  const { revision, subscription } = facts;
  const inventory = revision.status?.inventory ?? [];
  const policy = subscription?.spec.uninstall.customResources ?? 'Retain';
  const owner = { namespace: revision.metadata.namespace ?? '', name: revision.spec.subscription };
  const observed = (ref: ObjectRef): KubeObject | undefined => deps.managed.get(ref);
  const counts = await countCustomResources(deps.cluster, inventory, { owner, observed, signal });
  const plan = planUninstall(inventory, counts, policy);
  const result = await runUninstall(deps.cluster, plan, {
    owner,
    observed,
    observe: observeRemoval(deps),
    signal,
    stepSeconds: STEP_SECONDS,
    now: deps.now,
  });
  if (result.state === 'Complete') {
    // Told after it is done: who finds the Revision released already, from a cache that lags, has nothing to tell.
    if (await releaseRevision(deps.cluster, revision)) tellWhatStays(deps, facts, result);
    return true;
  }
  const judgement = judgeRemoval(result);
  const status = summarizeRevision(revision, { judgement }, deps.now());
  await writeStatus(deps.cluster, revision, status);
  return false;
}

/** By the watches where they know every kind that is asked about, else by reading. */
function observeRemoval({ cluster, managed }: RemoveDeps): Observe {
  const byWatch = observeManaged(managed);
  const byReading = observeByPolling(cluster);
  return (refs, signal) => (refs.every((ref) => managed.isFollowed(ref)) ? byWatch : byReading)(refs, signal);
}

/** Lets a Revision go, with the Secrets that belong to it. Returns false where it has been let go before. */
export async function releaseRevision(cluster: Cluster, revision: Revision): Promise<boolean> {
  await deleteManifests(cluster, revision);
  try {
    await removeFinalizer(cluster, revision);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

function tellWhatStays(
  { record }: RemoveDeps,
  { revision, subscription }: RevisionFacts,
  { stays }: UninstallResult,
): void {
  for (const { reason, message } of stays) {
    record(subscription ?? revision, { type: 'Warning', reason, action: 'Remove', note: message });
  }
}

/** Why the removal is not complete, in a sentence. */
export function judgeRemoval(result: UninstallResult): Judgement {
  const [failure] = result.failures;
  if (failure !== undefined) return { state: 'Working', reason: failure.reason, message: failure.message };
  const [stay] = result.stays;
  if (result.step === undefined && stay !== undefined)
    return { state: 'Failed', reason: 'DeleteBlocked', message: stay.message };
  const [waiting] = result.waiting;
  if (waiting === undefined)
    return { state: 'Working', reason: 'Uninstalling', message: 'The objects are being deleted' };
  return {
    state: 'Working',
    reason: 'Uninstalling',
    message: `${describeRef(waiting.ref)} is being deleted: ${waiting.message}`,
  };
}
