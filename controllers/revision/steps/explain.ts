/**
 * Adds the cause to the judgement of a run: a container that fails, or an account that does not exist. A healthy Revision
 * is judged with the harm that no health shows: see unserved-conversions.ts.
 */
import { ReasonedError } from '../../../api/errors.ts';
import type { ObjectRef } from '../../../api/object.ts';
import type { Unready } from '../../../apply/apply.ts';
import type { InventoryEntry } from '../../../apply/inventory.ts';
import { findMissingAccount } from '../account.ts';
import { deploymentToExplain, explainUnready, secondsToStart } from '../explain-unready.ts';
import { deadlineSecondsOf, secondsOfWork, type Judgement } from '../judgement.ts';
import type { Run } from '../run.ts';
import { describeUnserved } from '../unserved-conversions.ts';
import type { Applied } from './apply.ts';
import type { InPlace } from './load.ts';
import type { Pruned } from './prune.ts';

/** The judgement of the last step of an attempt, and the results of the steps that it took. */
export interface RollOutOutcome extends InPlace {
  /** Absent if everything was in place before. */
  readonly applied?: Applied;
  /** Absent if an earlier step ended the attempt. */
  readonly pruned?: Pruned;
}

/** The judgement of the steps before, with its cause. */
export async function explain(run: Run, outcome: RollOutOutcome): Promise<Judgement> {
  const { judgement, unready } = outcome;
  const explained = startSecondsOf(run, unready) > 0 ? judgement : await explainWorkloads(run, outcome);
  const { reason } = explained;
  const { clients, facts, watched, signal } = run;
  const missing = await findMissingAccount(clients.cluster, facts, { reason, signal });
  if (missing !== undefined) return withCause(explained, missing);
  const { namespace } = facts.revision.metadata;
  const { cluster } = clients;
  return describeUnserved(explained, { cluster, watched, namespace, inventory: inventoryOf(run, outcome), signal });
}

function inventoryOf({ facts }: Run, { applied, pruned }: RollOutOutcome): readonly InventoryEntry[] {
  return pruned?.inventory ?? applied?.result.inventory ?? facts.revision.status?.inventory ?? [];
}

/** The error that ended a run before its objects were applied, or its cause. */
export async function explainError({ clients, facts, signal }: Run, error: ReasonedError): Promise<ReasonedError> {
  return (await findMissingAccount(clients.cluster, facts, { reason: error.reason, signal })) ?? error;
}

/** Seconds for which a Deployment is left to start before its Pods are read. */
export function startSecondsOf(run: Run, unready: readonly Unready[]): number {
  const deadlineSeconds = deadlineSecondsOf(run.facts.subscription.spec.onFailure);
  const observed = run.watched.get.bind(run.watched);
  return secondsToStart(unready, { observed, deadlineSeconds, now: run.now() });
}

/** Pods are read again only after a while: the state of a Deployment that starts changes several times a second. */
async function explainWorkloads(run: Run, { judgement, unready }: RollOutOutcome): Promise<Judgement> {
  const { facts, clients, memory, watched, now, signal } = run;
  const options = {
    unready,
    observed: (ref: ObjectRef) => watched.get(ref),
    workedSeconds: secondsOfWork(facts.revision.status, { now: now(), attendedSince: memory.attendedSince }) ?? 0,
    deadlineSeconds: deadlineSecondsOf(facts.subscription.spec.onFailure),
    read: clients.read,
    signal,
  };
  if (deploymentToExplain(judgement, options) === undefined) return judgement;
  const { explained: known } = memory;
  if (known !== undefined && now().getTime() - known.at.getTime() < AGAIN_MILLISECONDS)
    return known.of === judgement.message ? { ...judgement, message: known.message } : judgement;
  const explained = await explainUnready(clients.acting, judgement, options);
  memory.explained = { at: now(), of: judgement.message, message: explained.message };
  return explained;
}

/** Somewhat less than the pause until the next attempt, which is not to come a moment too early. */
const AGAIN_MILLISECONDS = 29_000;

/** The same judgement with another cause, in full and in short. */
function withCause({ brief: _brief, ...judgement }: Judgement, error: ReasonedError): Judgement {
  return { ...judgement, reason: error.reason, message: error.describe() };
}
