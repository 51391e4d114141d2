/** Brings certificates into a roll-out: whether the manager issues them, and which steps get an event. */
import type { Cluster } from '../../../api/cluster.ts';
import { describeRef, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { hasWorked } from '../../../api/revision.ts';
import type { RecordEvent } from '../../events.ts';
import { prepareFor } from '../../prepare-for.ts';
import { knownInventory, type RevisionFacts } from '../observe.ts';
import { addCertificates } from './add.ts';
import type { Issue } from './issue.ts';
import type { CertificateStep } from './plan.ts';

export interface CertifyDeps {
  /** As the manager. */
  readonly cluster: Pick<Cluster, 'get'>;
  readonly record: RecordEvent;
  readonly now: () => Date;
  /** Makes certificates; by default those of issue.ts. */
  readonly issue?: Issue | undefined;
}

export interface CertifyOptions {
  /** Prepared. */
  readonly objects: readonly KubeObject[];
  /** Whether the result of the last step is in place. */
  readonly settled: boolean;
  readonly signal: AbortSignal;
}

/** The objects of a Revision with the certificates that the manager issues; unchanged if another issuer is chosen. */
export async function certifyObjects(
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
    issue: deps.issue,
    onStep: (step, secret) => report(deps, facts, { step, secret }),
  });
}

/** An install has other events; of a rotation only the steps that restart Pods get one. */
function report(
  { record }: CertifyDeps,
  { revision, subscription }: RevisionFacts,
  { step, secret }: { readonly step: CertificateStep; readonly secret: ObjectRef },
): void {
  const restarts = step === 'switch' || (step === 'issue' && hasWorked(revision));
  if (!restarts) return;
  const note = `${describeRef(secret)} has a new certificate, and the Pods that serve with it are replaced`;
  record(subscription ?? revision, { type: 'Normal', reason: 'CertificateRotated', action: 'Rotate', note });
}
