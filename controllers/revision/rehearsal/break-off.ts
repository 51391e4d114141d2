/**
 * Breaks a rehearsal off without another roll-out: for objects that stay when their Subscription is deleted. No Pod
 * template changes, so that a Deployment goes on to the Pods that it already has beside the working ones, and its
 * Service selects them all.
 */
import { ReasonedError } from '../../../api/errors.ts';
import { describeRef, refOf, type KubeObject } from '../../../api/object.ts';
import { fieldsOf, type Fields } from '../../../api/untyped.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { explainFailure, type Failure } from '../../../apply/api-failure.ts';
import { judgeOwnership } from '../../../apply/collision.ts';
import { heldFor, POD_HASH, unheld } from '../../../apply/held-back.ts';
import { identityOf } from '../../../apply/identity.ts';
import { refOfEntry, type InventoryEntry } from '../../../apply/inventory.ts';
import { prepareObjects, type Owner } from '../../../apply/prepare.ts';
import type { Revision } from '../../../api/revision.ts';
import { useManifests } from '../../loads.ts';
import { prepareFor } from '../../prepare-for.ts';
import { narrowedTo } from './narrow.ts';

export interface BreakOffDeps {
  /** As the manager. */
  readonly cluster: Pick<Cluster, 'get'>;
  /** As the account of the Subscription, or as the manager if it names none. */
  readonly acting: Pick<Cluster, 'patch'>;
}

/**
 * Takes the hold-back and the narrowing off all objects of the inventory. Returns a failure for each object that is still
 * in the state of a rehearsal.
 */
export async function breakOff(
  deps: BreakOffDeps,
  revision: Revision,
  signal: AbortSignal,
): Promise<readonly Failure[]> {
  const { owner } = prepareFor(revision);
  const failures: Failure[] = [];
  for (const entry of (revision.status?.inventory ?? []).filter(mayBeRehearsed)) {
    try {
      const live = await findRehearsed(deps, entry, { owner, signal });
      if (live === undefined) continue;
      const bundled = await findBundled({ ...deps, signal }, revision, live);
      await deps.acting.patch(refOf(live), patchOf(live, bundled), undefined, signal);
    } catch (error) {
      failures.push(explainFailure(error, describeRef(refOfEntry(entry))));
    }
  }
  return failures;
}

function mayBeRehearsed({ apiVersion, kind }: InventoryEntry): boolean {
  return (apiVersion === 'apps/v1' && kind === 'Deployment') || (apiVersion === 'v1' && kind === 'Service');
}

/** The object, read now, if it is ours and in the state of a rehearsal. */
async function findRehearsed(
  { cluster }: BreakOffDeps,
  entry: InventoryEntry,
  { owner, signal }: { readonly owner: Owner; readonly signal: AbortSignal },
): Promise<KubeObject | undefined> {
  const live = await cluster.get(refOfEntry(entry), signal);
  if (live === undefined || judgeOwnership(live, owner, entry.uid).kind !== 'ours') return undefined;
  return heldFor(live) === undefined && narrowedTo(live, 'letIn') === undefined ? undefined : live;
}

/**
 * The object as in the bundle; undefined if the bundle lacks it, or if the manifests are lost: nothing stores them again
 * during a removal. Throws the errors of the client.
 */
async function findBundled(
  reading: Parameters<typeof useManifests>[0],
  revision: Revision,
  live: KubeObject,
): Promise<KubeObject | undefined> {
  const isLive = (object: KubeObject): boolean => identityOf(refOf(object)) === identityOf(refOf(live));
  const find = (manifests: readonly KubeObject[]): KubeObject | undefined =>
    prepareObjects(manifests, prepareFor(revision)).find(isLive);
  try {
    return await useManifests(reading, revision, find);
  } catch (error) {
    if (error instanceof ReasonedError && error.reason === 'ManifestsMissing') return undefined;
    throw error;
  }
}

/** The merge patch that undoes `holdBack` and `narrow`, bound to the version that was read. Pure. */
function patchOf(live: KubeObject, bundled: KubeObject | undefined): Fields {
  const { uid, resourceVersion } = live.metadata;
  const { annotations, spec } = unheld(live);
  const { minReadySeconds, progressDeadlineSeconds, ports } = fieldsOf(bundled?.['spec']);
  const wanted =
    live.kind === 'Service'
      ? { selector: { [POD_HASH]: null }, ...(ports !== undefined && { ports }) }
      : {
          ...spec,
          ...(minReadySeconds !== undefined && { minReadySeconds }),
          ...(progressDeadlineSeconds !== undefined && { progressDeadlineSeconds }),
        };
  return { metadata: { uid, resourceVersion, annotations }, spec: wanted };
}
