/** The ServiceAccount that a Subscription acts as. */
import { ReasonedError } from '../../api/errors.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Cluster } from '../../apply/cluster.ts';

/** Throws ServiceAccountNotFound, retried, where the Subscription names an account that does not exist. */
export async function requireAccount(
  cluster: Pick<Cluster, 'get'>,
  { metadata, spec }: Subscription,
  signal: AbortSignal,
): Promise<void> {
  const name = spec.serviceAccountName;
  if (name === undefined) return;
  const namespace = metadata.namespace ?? '';
  const account = await cluster.get({ apiVersion: 'v1', kind: 'ServiceAccount', namespace, name }, signal);
  if (account !== undefined) return;
  throw new ReasonedError({
    reason: 'ServiceAccountNotFound',
    retry: 'backoff',
    message: `ServiceAccount ${namespace}/${name} of spec.serviceAccountName does not exist`,
    hint: 'Create it and bind the roles that the operator needs, or take the field away',
  });
}
