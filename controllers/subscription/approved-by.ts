/**
 * Records how a Revision was approved, before it becomes active: by a person on the Revision or on the Subscription, with
 * the field manager and the time that the API server has recorded, or by the upgrade policy.
 */
import type { Cluster } from '../../api/cluster.ts';
import { FIELD_MANAGER } from '../../api/names.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import { hasWorked, type Revision } from '../../api/revision.ts';
import type { ApprovedBy } from '../../api/revision-plan.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import { writeStatus } from '../status.ts';
import type { SubscriptionFacts } from './observe.ts';
import { isUnderPolicy } from './plan-hold.ts';

interface ApprovalFacts extends Pick<SubscriptionFacts, 'subscription' | 'policy'> {
  /** The Revision that works now. */
  readonly installed: Revision | undefined;
}

/**
 * The Revision with the record in its status. A Revision that no approval or policy concerns costs no request. Throws the
 * errors of the client; Conflict, which is retried, if the Revision has changed.
 */
export async function noteApproval(
  cluster: Pick<Cluster, 'get' | 'patch'>,
  facts: ApprovalFacts,
  revision: Revision,
): Promise<Revision> {
  if (!needsRecord(facts, revision)) return revision;
  const found = await findApproval(cluster, facts, revision);
  if (found === undefined) return revision;
  const hash = revision.status?.plan?.hash;
  const approvedBy: ApprovedBy = { ...found, ...(hash !== undefined && { plan: hash }) };
  return writeStatus(cluster, revision, { ...revision.status, approvedBy });
}

function needsRecord({ subscription, policy }: ApprovalFacts, revision: Revision): boolean {
  if (hasWorked(revision) || revision.status?.approvedBy !== undefined) return false;
  return subscription.spec.approval === 'Manual' || policy !== undefined;
}

/** Undefined if it needs no approval, or if the manager itself approved it when it made it. */
async function findApproval(
  cluster: Pick<Cluster, 'get'>,
  { subscription, policy, installed }: ApprovalFacts,
  revision: Revision,
): Promise<ApprovedBy | undefined> {
  if (revision.spec.approved) return writtenBy(await cluster.get(refOf(revision)), 'Revision', 'f:approved');
  const { plan } = revision.status ?? {};
  if (plan?.hash === undefined || subscription.spec.approve?.plan !== plan.hash) {
    const { bundle: name, image } = revision.spec;
    return isUnderPolicy({ policy }, { next: { name, image }, installed }) ? { place: 'Policy' } : undefined;
  }
  const written = writtenBy(await cluster.get(refOf(subscription)), 'Subscription', 'f:approve');
  return written ?? { place: 'Subscription' };
}

/** The writer of a field of the spec that is not the manager; of several, the last. */
function writtenBy(
  live: KubeObject | undefined,
  place: ApprovedBy['place'],
  field: 'f:approved' | 'f:approve',
): ApprovedBy | undefined {
  const entries = listOf(fieldsOf(live?.metadata)['managedFields']);
  const writers = entries.filter(({ fieldsV1 }) => fieldsOf(fieldsOf(fieldsV1)['f:spec'])[field] !== undefined);
  const [last] = writers
    .filter(({ manager }) => textOf(manager) !== FIELD_MANAGER && textOf(manager) !== '')
    .toSorted((a, b) => (textOf(a['time']) < textOf(b['time']) ? 1 : -1));
  if (last === undefined) return undefined;
  const time = textOf(last['time']);
  return { place, manager: textOf(last['manager']).slice(0, 256), ...(time !== '' && { time }) };
}
