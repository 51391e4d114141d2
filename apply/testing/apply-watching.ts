/** Applies as the manager does: an apply of a CRD is answered with metadata only, and a watch shows its status. */
import { refOf, type ObjectRef } from '../../api/object.ts';
import type { FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { applyRevision, type ApplyRequest, type ApplyResult } from '../apply.ts';
import { assessHealth, type Health } from '../health.ts';
import { identityOf } from '../identity.ts';

export function applyWatching(cluster: FakeCluster, request: ApplyRequest): Promise<ApplyResult> {
  const healthOf = (ref: ObjectRef, health: Health): Health => {
    const seen = cluster.objects().find((one) => identityOf(refOf(one)) === identityOf(ref));
    return ref.kind === 'CustomResourceDefinition' && seen !== undefined ? assessHealth(seen) : health;
  };
  const holdBack: ApplyRequest['holdBack'] = async (_phase, pending) =>
    pending
      .map(({ ref, health }) => ({ ref, health: healthOf(ref, health) }))
      .filter(({ health }) => health.state !== 'Ready');
  return applyRevision(cluster, { holdBack, ...request });
}
