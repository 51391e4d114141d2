/**
 * CRDs of a Revision that works whose conversion webhook has lost its Service, as after a rollback that left the CRD of
 * the newer version as it was. The health of no object shows it, so the Ready condition does.
 */
import { isCrd } from '../../api/crd-kind.ts';
import type { Cluster } from '../../api/cluster.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import { refOfEntry, type InventoryEntry } from '../../apply/inventory.ts';
import { converterOf, goingIn, isMissing, type Converter } from '../../apply/retain-readable.ts';
import type { Judgement } from './judgement.ts';
import type { ManagedObjects } from './managed-objects.ts';

export interface ConversionFacts {
  /** As the manager. */
  readonly cluster: Pick<Cluster, 'get'>;
  readonly watched: Pick<ManagedObjects, 'get'>;
  /** The namespace of the Revision: whether a Service of another one exists is not for its people. */
  readonly namespace: string | undefined;
  /** Of the Revision, after the attempt. */
  readonly inventory: readonly InventoryEntry[];
  readonly signal: AbortSignal;
}

/**
 * The judgement; if it is Ready, with a sentence about the first such CRD. No request, except for a CRD whose Service the
 * inventory does not list: one.
 */
export async function describeUnserved(judgement: Judgement, facts: ConversionFacts): Promise<Judgement> {
  if (judgement.state !== 'Ready') return judgement;
  const { inventory, watched } = facts;
  const wanted = inventory.filter(({ leftover }) => leftover !== true);
  const [brings, isGoing] = [goingIn(wanted), goingIn(inventory)];
  for (const crd of wanted.filter(isCrd).flatMap((entry) => watched.get(refOfEntry(entry)) ?? [])) {
    const service = converterOf(crd);
    if (service === undefined || service.namespace !== facts.namespace || brings(service)) continue;
    if (isGoing(service) || (await isKnownMissing(service, facts)))
      return { ...judgement, message: `${judgement.message}. ${adviceAbout(crd, service)}` };
  }
  return judgement;
}

/** If it cannot be read now, nothing is said. */
async function isKnownMissing(service: Converter, { cluster, signal }: ConversionFacts): Promise<boolean> {
  try {
    return await isMissing(cluster, service, signal);
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/** The harm and the remedies, for a CRD whose conversion webhook is not part of the version that is installed. */
export function adviceAbout(crd: KubeObject, { namespace, name }: Converter): string {
  return (
    `${describeRef(refOf(crd))} names a conversion webhook that this version does not have (Service ${namespace}/${name}): ` +
    'its objects can be read in the stored version only. Upgrade to a version that converts them, or set the conversion ' +
    'strategy of the CRD to None if all its versions have the same fields'
  );
}
