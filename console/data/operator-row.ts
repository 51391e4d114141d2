/** One Subscription as a row of a list. Pure. */
import { compareText } from '../../api/compare-text.ts';
import type { Subscription } from '../../api/subscription.ts';
import { judge } from '../../report/situation.ts';
import { stateBadge } from './badges.ts';
import { subscriptionPath } from './links.ts';
import type { OperatorRow } from './models.ts';
import { readyMessage } from './objects.ts';
import { outdatedSentence } from './sentences.ts';
import { nameOf } from './text.ts';

export function operatorRow(subscription: Subscription): OperatorRow {
  const { metadata, spec, status } = subscription;
  const { installed, available } = status ?? {};
  const outdated = outdatedSentence(subscription);
  return {
    href: subscriptionPath(metadata),
    namespace: nameOf(metadata.namespace),
    name: nameOf(metadata.name),
    package: nameOf(spec.package),
    state: stateBadge(judge(subscription)),
    message: readyMessage('Subscription', status?.conditions),
    ...(installed !== undefined && { installed: nameOf(installed.version) }),
    ...(available !== undefined && available.bundle !== installed?.bundle && { available: nameOf(available.version) }),
    ...(outdated !== undefined && { outdated }),
  };
}

/** By namespace and name. */
export function bySubscription(one: Subscription, other: Subscription): number {
  const [a, b] = [one, other].map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`) as [string, string];
  return compareText(a, b);
}
