/** The ServiceAccount that a Subscription names, and whether it exists. */
import { ReasonedError } from '../api/errors.ts';
import type { Cluster } from '../api/cluster.ts';

/** A ServiceAccount of a namespace. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Throws ServiceAccountNotFound, retried with back-off, if the account does not exist, and the errors of the client.
 *
 * @param cluster As the manager.
 */
export async function requireAccount(
  cluster: Pick<Cluster, 'get'>,
  { namespace, name }: Account,
  signal: AbortSignal,
): Promise<void> {
  const account = await cluster.get({ apiVersion: 'v1', kind: 'ServiceAccount', namespace, name }, signal);
  if (account !== undefined) return;
  throw new ReasonedError({
    reason: 'ServiceAccountNotFound',
    retry: 'backoff',
    message: `ServiceAccount ${namespace}/${name} of spec.serviceAccountName does not exist`,
    hint: 'Create it, and bind the roles that `slipway rights --minimal` prints to it, or take the field away',
  });
}
