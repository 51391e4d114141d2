/** Where a user may watch: on the user's own machine the watches are made with the user's own rights. */
import type { Client } from '../../kube/client/client.ts';
import type { VisibleKind } from '../data/view.ts';
import { WATCHED, WATCHED_KINDS, type WatchScope } from './store.ts';

export type WatchScopes = Readonly<Record<VisibleKind, WatchScope>>;

/** Everything, as the account of the console in a cluster may; of Leases that of the manager alone. */
export function scopesOfCluster(systemNamespace: string): WatchScopes {
  const all = WATCHED_KINDS.map((kind): [VisibleKind, WatchScope] => [kind, 'all']);
  return { ...(Object.fromEntries(all) as Record<VisibleKind, WatchScope>), leases: { namespace: systemNamespace } };
}

export interface UserScopeOptions {
  /** The namespace that is watched if the user may not watch all. */
  readonly namespace: string;
  readonly systemNamespace: string;
  /** Whether only that namespace is wanted. */
  readonly isOnly: boolean;
  readonly signal: AbortSignal;
}

/** Per kind: all namespaces if the user may list and watch them, else one if that is allowed. @throws ApiError */
export async function scopesOfUser(
  client: Pick<Client, 'allows'>,
  { namespace, systemNamespace, isOnly, signal }: UserScopeOptions,
): Promise<WatchScopes> {
  const mayWatch = async (kind: VisibleKind, place?: string): Promise<boolean> => {
    const { group, resource } = WATCHED[kind];
    const within = place === undefined ? {} : { namespace: place };
    const verbs = ['list', 'watch'].map((verb) => client.allows({ verb, group, resource, ...within }, signal));
    return (await Promise.all(verbs)).every((allowed) => allowed === true);
  };
  const scopeOf = async (kind: VisibleKind): Promise<WatchScope> => {
    const isNamespaced = WATCHED[kind].namespaced;
    const one = kind === 'leases' ? systemNamespace : namespace;
    const isForAll = kind !== 'leases' && !(isOnly && isNamespaced);
    if (isForAll && (await mayWatch(kind))) return 'all';
    return isNamespaced && (await mayWatch(kind, one)) ? { namespace: one } : 'none';
  };
  const scopes = await Promise.all(WATCHED_KINDS.map(async (kind) => [kind, await scopeOf(kind)] as const));
  return Object.fromEntries(scopes) as unknown as WatchScopes;
}
