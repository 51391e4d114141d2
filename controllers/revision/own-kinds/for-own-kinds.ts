/**
 * The additional needs of a roll-out whose bundle brings objects of kinds that it defines itself: rights, paths, and
 * waits.
 */
import type { MayWrite, Unready } from '../../../apply/apply.ts';
import type { Cluster } from '../../../api/cluster.ts';
import type { ListPage } from '../../../apply/crd-safety/guard.ts';
import { listedIn } from '../../../apply/custom-resources.ts';
import { identityOf } from '../../../apply/identity.ts';
import { readByList } from '../../../apply/read-by-list.ts';
import { withServed } from '../../../apply/served-as.ts';
import { refOf, type KubeObject } from '../../../api/object.ts';
import { accountOf } from '../account.ts';
import type { Account } from '../../service-account.ts';
import { ownerOf } from '../../prepare-for.ts';
import { knownInventory, type RevisionFacts } from '../observe.ts';
import { withAccess } from './access.ts';
import { isOwnKind, ownKindsIn } from '../../../plan/own-kinds.ts';
import { askRights, awaitAccess, type Allows } from './rights.ts';

export interface OwnKindsDeps {
  /** As the manager. */
  readonly cluster: Cluster;
  /** As the account that the Subscription names, for the objects of the bundle. */
  readonly acting: Cluster;
  /** The ServiceAccount of the manager itself. */
  readonly manager: Account;
  /** Asks whether the account that the Subscription names may do something; absent if it names none. */
  readonly allows?: Allows;
  /** As the manager, to list the objects that a changed CRD could hurt. */
  readonly listPage: ListPage;
}

export interface ForOwnKinds {
  /** The objects, with the rights that the manager gives itself. */
  readonly objects: readonly KubeObject[];
  readonly acting: Cluster;
  /** Without the custom resources that the roll-out applies again. */
  readonly listPage: ListPage;
  readonly mayWrite: MayWrite | undefined;
  /** Returns the custom resources that the manager may not write yet. */
  readonly confirmRights: () => Promise<readonly Unready[]>;
}

export function forOwnKinds(
  deps: OwnKindsDeps,
  facts: RevisionFacts,
  { objects, signal }: { readonly objects: readonly KubeObject[]; readonly signal: AbortSignal },
): ForOwnKinds {
  const { cluster, acting, allows, manager } = deps;
  const kinds = ownKindsIn(objects);
  const none = async (): Promise<readonly Unready[]> => [];
  const listPage = kinds.size === 0 ? deps.listPage : besidesReplaced(deps, facts, objects);
  if (kinds.size === 0) return { objects, acting, listPage, mayWrite: undefined, confirmRights: none };
  const account = accountOf(facts);
  if (account !== undefined) {
    const mayWrite = allows && askRights({ account, allows, kinds }, signal);
    return { objects, acting: withServed(acting, kinds), listPage, mayWrite, confirmRights: none };
  }
  return {
    objects: withAccess(facts.revision, objects, manager),
    acting: withServed(readByList(acting), kinds),
    listPage,
    mayWrite: undefined,
    confirmRights: () => awaitAccess(withServed(cluster, kinds), objects, { signal }),
  };
}

/**
 * Lists the custom resources that a changed CRD could hurt, without those of earlier versions that this one applies
 * again.
 */
function besidesReplaced({ listPage }: OwnKindsDeps, facts: RevisionFacts, objects: readonly KubeObject[]): ListPage {
  const wanted = new Set(objects.filter(isOwnKind).map((object) => identityOf(refOf(object))));
  const isListed = listedIn(knownInventory(facts), ownerOf(facts.revision));
  return async (...args) => {
    const page = await listPage(...args);
    return { ...page, items: page.items.filter((one) => !wanted.has(identityOf(refOf(one))) || !isListed(one)) };
  };
}
