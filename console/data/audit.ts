/** The acts that Revisions and Subscriptions remember, long after the events about them are gone. Pure. */
import { compareText } from '../../api/compare-text.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { count } from '../../report/count.ts';
import { entriesOf } from '../../report/history.ts';
import { subscriptionPath } from './links.ts';
import type { AuditRow } from './models.ts';
import { revisionsOf } from './objects.ts';
import { line, nameOf } from './text.ts';
import type { Visible } from './view.ts';

/** The newest first. */
export function auditRows(visible: Visible, subscriptions: readonly Subscription[]): readonly AuditRow[] {
  return subscriptions
    .flatMap((one) => rowsOf(one, revisionsOf(visible, one)))
    .toSorted((one, other) => compareText(other.time, one.time) || compareText(one.key, other.key));
}

interface Act {
  readonly time: string | undefined;
  readonly act: string;
  readonly by?: string | undefined;
  readonly message: string;
}

function rowsOf(subscription: Subscription, revisions: readonly Revision[]): readonly AuditRow[] {
  const { metadata } = subscription;
  const acts = [...actsOfRevisions(subscription, revisions), ...actsOfStatus(subscription)];
  return acts.flatMap(({ time, act, by, message }) =>
    time === undefined || time === ''
      ? []
      : [
          {
            key: nameOf(`${metadata.namespace}/${metadata.name} ${act}`),
            time: nameOf(time),
            namespace: nameOf(metadata.namespace),
            subscription: nameOf(metadata.name),
            href: subscriptionPath(metadata),
            act: line(act),
            ...(by !== undefined && { by: nameOf(by) }),
            message: line(message),
          },
        ],
  );
}

function actsOfRevisions(subscription: Subscription, revisions: readonly Revision[]): readonly Act[] {
  const byName = new Map(revisions.map((one) => [one.metadata.name, one.status]));
  return entriesOf(subscription, revisions).flatMap((entry): readonly Act[] => {
    const { revision, version, bundle } = entry;
    const status = byName.get(revision);
    const plan = status?.approvedBy?.plan;
    return [
      {
        time: entry.approvedTime,
        act: `approved ${version} (${revision})`,
        by: entry.approvedBy,
        message: plan === undefined ? `${bundle} was approved` : `${bundle} was approved with the plan ${plan}`,
      },
      { time: entry.readyTime, act: `${version} became healthy (${revision})`, message: entry.outcome },
      {
        time: status?.failure?.since,
        act: `${version} failed (${revision})`,
        message: `${status?.failure?.reason}: ${status?.failure?.message}`,
      },
    ];
  });
}

function actsOfStatus({ status = {} }: Subscription): readonly Act[] {
  const { quarantined = [], lastRepair, losses = [] } = status;
  return [
    ...quarantined.flatMap(({ version, reason, message, since, rolledBackTime }): readonly Act[] => [
      { time: since, act: `${version} is quarantined`, message: `${reason}: ${message}` },
      { time: rolledBackTime, act: `rolled back from ${version}`, message },
    ]),
    ...(lastRepair === undefined
      ? []
      : [
          {
            time: lastRepair.time,
            act: `repaired ${count(lastRepair.objects, 'object')}`,
            message: lastRepair.message,
          },
        ]),
    ...losses.map(({ crd, since, message }) => ({ time: since, act: `${crd} was deleted`, message })),
  ];
}
