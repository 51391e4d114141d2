/**
 * Brings certificates into a roll-out: whether the manager issues them, when they are due, which steps get an event.
 */
import type { Cluster } from '../../../api/cluster.ts';
import { refOfEntry, type InventoryEntry } from '../../../apply/inventory.ts';
import { describeRef, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { hasWorked } from '../../../api/revision.ts';
import type { RecordEvent } from '../../events.ts';
import { prepareFor } from '../desired-objects.ts';
import type { ManagedObjects } from '../managed-objects.ts';
import { knownInventory, type RevisionFacts } from '../observe.ts';
import { addCertificates } from './certificates.ts';
import type { CertificateStep } from './plan.ts';
import { dueOf } from './secret.ts';

export interface CertifyDeps {
  /** As the manager. */
  readonly cluster: Pick<Cluster, 'get'>;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

export interface CertifyOptions {
  /** Prepared. */
  readonly objects: readonly KubeObject[];
  /** Whether the result of the last step is in place. */
  readonly settled: boolean;
  readonly signal: AbortSignal;
}

/** The objects of a Revision with the certificates that the manager issues; unchanged if another issuer is chosen. */
export async function certify(
  deps: CertifyDeps,
  facts: RevisionFacts,
  { objects, settled, signal }: CertifyOptions,
): Promise<readonly KubeObject[]> {
  if (facts.revision.spec.certificates !== 'Manager') return objects;
  return addCertificates(objects, {
    cluster: deps.cluster,
    prepare: prepareFor(facts.revision),
    inventory: knownInventory(facts),
    now: deps.now(),
    settled,
    signal,
    onStep: (step, secret) => tell(deps, facts, { step, secret }),
  });
}

/** An install has other events; of a rotation only the steps that restart Pods get one. */
function tell(
  { record }: CertifyDeps,
  { revision, subscription }: RevisionFacts,
  { step, secret }: { readonly step: CertificateStep; readonly secret: ObjectRef },
): void {
  const restarts = step === 'switch' || (step === 'issue' && hasWorked(revision));
  if (!restarts) return;
  const note = `${describeRef(secret)} has a new certificate, and the Pods that serve with it are replaced`;
  record(subscription ?? revision, { type: 'Normal', reason: 'CertificateRotated', action: 'Rotate', note });
}

/** When the first certificate of an inventory needs its next step; undefined if there is none. */
export function certificatesDue(
  inventory: readonly InventoryEntry[],
  managed: Pick<ManagedObjects, 'get'>,
): Date | undefined {
  const secrets = inventory.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Secret');
  const dues = secrets.flatMap((entry) => {
    const live = managed.get(refOfEntry(entry));
    return live === undefined ? [] : (dueOf(live)?.getTime() ?? []);
  });
  return dues.length === 0 ? undefined : new Date(Math.min(...dues));
}

const SOONEST_SECONDS = 60;
const LATEST_SECONDS = 24 * 3600;

/** Seconds until the next check; bounded, since clocks are adjusted and timers are lost. */
export function secondsUntilDue(due: Date | undefined, now: Date): number | undefined {
  if (due === undefined) return undefined;
  return Math.min(LATEST_SECONDS, Math.max(SOONEST_SECONDS, (due.getTime() - now.getTime()) / 1000));
}
