/**
 * The clients that roll out a Revision: the manager's own, and that of the ServiceAccount that the Subscription names.
 */
import type { Client, ImpersonatedUser } from '../../kube/client/client.ts';
import { accountOf } from './account.ts';
import type { Account } from '../service-account.ts';
import type { ConversionCheck } from './conversions.ts';
import type { Deps, RevisionDeps } from './deps.ts';
import type { ReadText } from './last-lines.ts';
import type { RevisionFacts } from './observe.ts';
import type { RollOutDeps } from './roll-out.ts';

/** As the manager: an account that may change a CRD need not be able to read its custom resources. */
export function listPageOf({ client }: RevisionDeps): RollOutDeps['listPage'] {
  return (kind, options, signal) => client.listPage(kind, options, signal);
}

/** The clients: as the manager, and as the account that the Subscription names, or else the Revision. */
export function actors({ client }: RevisionDeps, facts: RevisionFacts): Actors {
  const account = accountOf(facts);
  const acting = account === undefined ? client : client.as(serviceAccount(account));
  const read: ReadText = async (path, signal) => acting.raw(path, signal);
  if (account === undefined) return { cluster: client, acting, read };
  return { cluster: client, acting, read, allows: (access, signal) => acting.allows(access, signal) };
}

/** The client that removes objects that may not be the Subscription's; undefined for the manager. */
export function removerOf({ client }: Pick<RevisionDeps, 'client'>, facts: RevisionFacts): Client | undefined {
  const account = accountOf(facts);
  return account && client.as(serviceAccount(account));
}

export type Actor = Deps & RollOutDeps & Actors;

export type Actors = Pick<RollOutDeps, 'cluster' | 'acting' | 'allows'> & { readonly read: ReadText };

/**
 * Without groups: the API server then adds those of every ServiceAccount, and requires the right to impersonate only
 * this account.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
function serviceAccount({ namespace, name }: Account): ImpersonatedUser {
  return { user: `system:serviceaccount:${namespace}:${name}` };
}

/** The input of a check of conversions, which reads as the operator itself. */
export function checkOf(deps: Deps, signal: AbortSignal): Omit<ConversionCheck, 'crds'> {
  const { client, now } = deps;
  const as = (account: Account): Client => client.as(serviceAccount(account));
  return { cluster: client, listPage: listPageOf(deps), as, now: now(), signal };
}
