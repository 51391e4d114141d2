/**
 * Puts a revision's objects into the cluster: first checks every object (check.ts) and writes nothing if one of
 * them would be refused, unless this only repairs (repair.ts). Then walks the graph of phases (walk.ts), creating or
 * applying each object once. The revision controller calls it repeatedly until everything is done; work that is done is
 * in the inventory and costs no request. It does not prune, and it keeps no state: killed between any two writes, the
 * next run recognizes its objects by the owner that they name.
 */
import type { Cluster } from '../api/cluster.ts';
import { ReasonedError } from '../api/errors.ts';
import { summarizePhases, type ApplyResult } from './apply-result.ts';
import { contextOf, type ApplyRequest, type ApplyRun } from './apply-run.ts';
import { countRequests } from './count-requests.ts';
import { checkAll, refuse, refusedIn } from './check.ts';
import { orderObjects } from './phases.ts';
import { isRepair } from './repair.ts';
import { walk } from './walk.ts';

export type { ApplyResult, ObjectResult, ApplyOutcome, PhaseResult, Unready } from './apply-result.ts';
export type { ApplyRequest, Pending } from './apply-run.ts';
export type { MayWrite, WriteVerb } from './look-at-own.ts';
export type { Permission, Permit } from './preflight.ts';
export type { Watched } from './watched.ts';

/**
 * Applies objects in their phases, with at most two requests for each new one.
 *
 * Refusals are part of the result. Throws BundleInvalid (never retried) for an empty list, which would prune
 * everything, and the signal's reason when aborted.
 */
export async function applyRevision(cluster: Cluster, request: ApplyRequest): Promise<ApplyResult> {
  if (request.objects.length === 0) throw nothingToApply();
  const counted = countRequests(cluster);
  const run: ApplyRun = { ...contextOf(request), cluster: counted.cluster };
  // The manager has the right to bind every role; an account rarely has it.
  const phases = orderObjects(request.objects, { mayBind: request.asManager === true });
  const findings = await checkAll(run, phases);
  await request.noted;
  const refused = refusedIn(findings);
  const results =
    refused.size > 0 && !isRepair(run, refused)
      ? phases.map((phase) => refuse(phase, findings))
      : await walk(run, phases, findings);
  return summarizePhases(results, request.previousInventory, counted.requests());
}

function nothingToApply(): ReasonedError {
  return new ReasonedError({
    reason: 'BundleInvalid',
    retry: 'never',
    message: 'the bundle renders to no objects',
    hint: 'An empty revision would prune everything that is installed; delete the Subscription instead',
  });
}
