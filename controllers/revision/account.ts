/** The account with which a Revision is rolled out and removed, and whether its messages may name objects of others. */
import type { Cluster } from '../../api/cluster.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { ObjectRef } from '../../api/object.ts';
import { requireAccount, type Account } from '../service-account.ts';
import type { RevisionFacts } from './observe.ts';

type Facts = Pick<RevisionFacts, 'revision' | 'subscription'>;

/**
 * The account that is named; undefined for the manager. The Subscription's current value comes first: it also decides
 * what becomes of custom resources.
 */
export function accountOf({ revision, subscription }: Facts): Account | undefined {
  const name = subscription?.spec.serviceAccountName ?? revision.spec.serviceAccountName;
  return name === undefined ? undefined : { namespace: revision.metadata.namespace ?? '', name };
}

/** Whether neither Revision nor Subscription names an account: by the policy, an administrator then wrote them. */
export function actsAsManager(facts: Facts): boolean {
  return accountOf(facts) === undefined;
}

/**
 * Why an account can no longer act: it, or its namespace, is gone or being deleted; undefined if it can. Throws the
 * errors of the client.
 *
 * @param cluster As the manager.
 */
export async function whyAccountIsGone(
  cluster: Pick<Cluster, 'get'>,
  { namespace, name }: Account,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const refs: readonly ObjectRef[] = [
    { apiVersion: 'v1', kind: 'ServiceAccount', namespace, name },
    { apiVersion: 'v1', kind: 'Namespace', name: namespace },
  ];
  const found = await Promise.all(refs.map((ref) => cluster.get(ref, signal)));
  if (found.every((object) => object !== undefined && object.metadata.deletionTimestamp === undefined))
    return undefined;
  return `ServiceAccount ${namespace}/${name}, which would delete them, does not exist any more`;
}

/**
 * Resolves with the error to report for an attempt that was rejected for `reason`: an account that does not exist is
 * reported as missing, not as lacking rights. Undefined for any other attempt. Throws the errors of the client.
 *
 * @param cluster As the manager.
 */
export async function findMissingAccount(
  cluster: Pick<Cluster, 'get'>,
  facts: Facts,
  { reason, signal }: { readonly reason: string; readonly signal: AbortSignal },
): Promise<ReasonedError | undefined> {
  const account = accountOf(facts);
  if (reason !== 'Forbidden' || account === undefined) return undefined;
  try {
    await requireAccount(cluster, account, signal);
    return undefined;
  } catch (error) {
    if (error instanceof ReasonedError && error.reason === 'ServiceAccountNotFound') return error;
    throw error;
  }
}
