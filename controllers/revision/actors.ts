/** As whom a Revision is rolled out: the manager itself, and the ServiceAccount that the Subscription names. */
import type { Client, Subject } from '../../kube/client/client.ts';
import { accountOf } from './account.ts';
import type { Account } from '../service-account.ts';
import type { ConversionCheck } from './conversions.ts';
import type { Deps, RevisionDeps } from './deps.ts';
import type { ReadText } from './last-lines.ts';
import type { RevisionFacts } from './observe.ts';
import type { RollOutDeps } from './roll-out.ts';

/** As the manager: whoever may change a CRD need not be able to read its objects. */
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

/** The client of who removes what is not certainly the Subscription's; undefined for the manager. */
export function removerOf({ client }: Pick<RevisionDeps, 'client'>, facts: RevisionFacts): Client | undefined {
  const account = accountOf(facts);
  return account && client.as(serviceAccount(account));
}

export type Actor = Deps & RollOutDeps & Actors;

export type Actors = Pick<RollOutDeps, 'cluster' | 'acting' | 'allows'> & { readonly read: ReadText };

/**
 * Without groups: the API server then gives those of every ServiceAccount, and asks for the right to impersonate this
 * account and nothing else.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
function serviceAccount({ namespace, name }: Account): Subject {
  return { user: `system:serviceaccount:${namespace}:${name}` };
}

/** What a check of conversions needs: it asks as the operator itself. */
export function checkOf(deps: Deps, signal: AbortSignal): Omit<ConversionCheck, 'crds'> {
  const { client, now } = deps;
  const as = (account: Account): Client => client.as(serviceAccount(account));
  return { cluster: client, listPage: listPageOf(deps), as, now: now(), signal };
}
