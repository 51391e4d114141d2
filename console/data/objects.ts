/** Finds the objects of a view among those that the person may see, and says which are withheld. Pure. */
import { findCondition, type Condition } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { count } from '../../report/count.ts';
import type { ActingAccount } from './access.ts';
import type { Notice } from './models.ts';
import { withoutApproval } from './sentences.ts';
import { line, nameOf } from './text.ts';
import type { Parameters, Problem, Visible, VisibleKind } from './view.ts';

export function subscriptionFrom(visible: Visible, { namespace, name }: Parameters): Subscription | undefined {
  return visible.subscriptions.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
}

/** The Revisions of a Subscription, by their number. */
export function revisionsOf({ revisions }: Visible, { metadata }: Subscription): readonly Revision[] {
  return revisions
    .filter((one) => one.metadata.namespace === metadata.namespace && one.spec.subscription === metadata.name)
    .toSorted((one, other) => one.spec.number - other.spec.number);
}

/** The account with whose rights the manager acts for a Subscription, or for all if none is given. */
export function accountOf({ systemNamespace }: Visible, subscription?: Subscription): ActingAccount {
  const serviceAccountName = subscription?.spec.serviceAccountName;
  return { systemNamespace, ...(serviceAccountName !== undefined && { serviceAccountName }) };
}

/** The object of the path is not among those that the person may see; whether it exists is not said. */
export function unseen(kind: 'Subscription' | 'Revision', visible: Visible, parameters: Parameters): Problem {
  const { namespace = '', name = '' } = parameters;
  const list = kind === 'Subscription' ? 'subscriptions' : 'revisions';
  const reach = visible.reach[list];
  const watched = visible.watched?.[list] ?? 'all';
  const mayList = reach === 'all' || reach.includes(namespace);
  if (watched !== 'all' && watched.length > 0 && !watched.includes(namespace))
    return unwatched(kind, namespace, watched);
  return mayList
    ? {
        problem: true,
        reason: 'ObjectNotFound',
        message: `Namespace ${nameOf(namespace)} has no ${kind} ${nameOf(name)}`,
        next: 'Choose one on the overview',
      }
    : {
        problem: true,
        reason: 'Forbidden',
        message: `You have no right to list ${list}.slipway.dev in namespace ${nameOf(namespace)}`,
        next: 'Ask an administrator for the right, or choose a Subscription on the overview',
      };
}

function unwatched(kind: string, namespace: string, watched: readonly string[]): Problem {
  const place = `namespace ${nameOf(watched[0] ?? '')}`;
  return {
    problem: true,
    reason: 'ObjectNotFound',
    message: `The console watches ${kind}s in ${place} alone, and not namespace ${nameOf(namespace)}`,
    next: 'Start slipway ui with -n and that namespace',
  };
}

/** Sentences about the kinds that the person may not list everywhere; without one, a missing object does not exist. */
export function reachNotices({ reach, watched }: Visible, kinds: readonly VisibleKind[]): readonly Notice[] {
  return kinds.flatMap((kind): readonly Notice[] => {
    const reached = reach[kind];
    if (reached === 'all') return [];
    const [first] = reached;
    const [place] = watched?.[kind] === 'all' ? [] : (watched?.[kind] ?? []);
    if (place !== undefined && place === first)
      return [{ tone: 'unknown', text: `The console watches ${WORDS[kind]} in namespace ${nameOf(place)} alone; those of other namespaces are left out` }]; // prettier-ignore
    if (first === undefined && NAMESPACED.has(kind) && watched?.[kind]?.length !== 0)
      return [{ tone: 'unknown', text: `You may not list ${WORDS[kind]} in all namespaces, nor in one that has any: this page leaves them out` }]; // prettier-ignore
    if (first === undefined)
      return [{ tone: 'unknown', text: `You have no right to list ${WORDS[kind]}: this page leaves them out` }];
    const where = reached.length === 1 ? `namespace ${nameOf(first)}` : count(reached.length, 'namespace');
    return [{ tone: 'unknown', text: `You may list ${WORDS[kind]} in ${where}; those of other namespaces are left out` }]; // prettier-ignore
  });
}

const NAMESPACED: ReadonlySet<VisibleKind> = new Set(['subscriptions', 'revisions', 'events', 'leases']);

const WORDS: Readonly<Record<VisibleKind, string>> = {
  subscriptions: 'Subscriptions',
  revisions: 'Revisions',
  catalogs: 'Catalogs',
  registryPolicies: 'RegistryPolicies',
  events: 'events',
  leases: 'the Lease of the manager',
};

/** The sentence of Ready; without one, that of `slipway status`. */
export function readyMessage(
  kind: 'Subscription' | 'Revision' | 'Catalog' | 'RegistryPolicy',
  conditions: readonly Condition[] | undefined,
): string {
  const message = findCondition(conditions, 'Ready')?.message;
  return withoutApproval(line(message ?? `The manager has not reconciled the ${kind} yet`));
}
