/**
 * The clients that roll out a Revision: the manager's own, and that of the ServiceAccount that the Subscription names.
 */
import type { Client, ImpersonatedUser } from '../../kube/client/client.ts';
import type { ListPage } from '../../apply/crd-safety/guard.ts';
import type { Account } from '../service-account.ts';
import { accountOf } from './account.ts';
import type { ReadText } from './last-lines.ts';
import type { RevisionFacts } from './observe.ts';
import type { Allows } from './own-kinds/rights.ts';

export interface Clients {
  /** As the manager. */
  readonly cluster: Client;
  /** As the account that the Subscription names, or else the Revision; the manager's own if neither names one. */
  readonly acting: Client;
  /** Asks whether that account may do something; absent if none is named. */
  readonly allows?: Allows;
  /** Reads a text, such as a log, as `acting`. */
  readonly read: ReadText;
  /** As the manager: an account that may change a CRD need not be able to read its custom resources. */
  readonly listPage: ListPage;
  /** As any ServiceAccount. */
  readonly as: (account: Account) => Client;
}

export function clientsOf(client: Client, facts: Pick<RevisionFacts, 'revision' | 'subscription'>): Clients {
  const account = accountOf(facts);
  const as = (one: Account): Client => client.as(userOf(one));
  const acting = account === undefined ? client : as(account);
  const read: ReadText = async (path, signal) => acting.raw(path, signal);
  const listPage: ListPage = (kind, options, signal) => client.listPage(kind, options, signal);
  const clients = { cluster: client, acting, read, listPage, as };
  if (account === undefined) return clients;
  return { ...clients, allows: (access, signal) => acting.allows(access, signal) };
}

/** The client that removes objects that may not be the Subscription's; undefined for the manager. */
export function removerOf(client: Client, facts: RevisionFacts): Client | undefined {
  const account = accountOf(facts);
  return account && client.as(userOf(account));
}

/**
 * Without groups: the API server then adds those of every ServiceAccount, and requires the right to impersonate only
 * this account.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
function userOf({ namespace, name }: Account): ImpersonatedUser {
  return { user: `system:serviceaccount:${namespace}:${name}` };
}
