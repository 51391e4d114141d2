/** Overview: which operators are installed, which of them have a problem, and which wait for a person. Pure. */
import { compareText } from '../../api/compare-text.ts';
import { findCondition, isReady } from '../../api/conditions.ts';
import type { Catalog } from '../../api/catalog.ts';
import type { Subscription } from '../../api/subscription.ts';
import { count } from '../../report/count.ts';
import { judge, situationOf, type State } from '../../report/situation.ts';
import { waitingOf } from '../../report/targets.ts';
import { accessOfOffers, type ButtonTerms } from './buttons.ts';
import { isStale, readyBadge, riskBadge, stateBadge } from './badges.ts';
import { subscriptionPath } from './links.ts';
import { noOperators } from './empty.ts';
import type { CatalogTrouble, OverviewModel, StateCount, WaitingRow } from './models.ts';
import { accountOf, reachNotices, readyMessage, revisionsOf } from './objects.ts';
import { bySubscription, operatorRow } from './operator-row.ts';
import { buttonsOf, refreshOffer, termsOf } from './offers.ts';
import { firstOf, nameOf } from './text.ts';
import type { Asked, View, Visible } from './view.ts';

/** Rows of one list; a page with more is no overview. */
const MOST_ROWS = 500;

export const overview: View<OverviewModel> = {
  path: '/overview',
  query: [],
  reads: ['subscriptions', 'revisions', 'catalogs'],
  asksRightsOnly: true,
  ask: (visible) => ({ access: accessOfOffers(troubled(visible).map(refreshOffer), accountOf(visible)) }),
  show: showOverview,
};

function showOverview(visible: Visible, _parameters: unknown, asked: Asked): OverviewModel {
  const subscriptions = visible.subscriptions.toSorted(bySubscription);
  const { shown, cut } = firstOf(subscriptions, MOST_ROWS, 'Subscription');
  const counts = countStates(subscriptions);
  const empty = noOperators(visible);
  const terms = termsOf(visible, { askedFor: troubled(visible).map(refreshOffer), asked });
  return {
    title: 'Overview',
    notices: reachNotices(visible, ['subscriptions', 'revisions', 'catalogs']),
    summary: summarize(subscriptions.length, counts),
    counts,
    waiting: subscriptions
      .flatMap((one) => waitingRow(visible, one) ?? [])
      .toSorted(byTime)
      .map(({ row }) => row)
      .slice(0, MOST_ROWS),
    wrong: subscriptions.filter(isWrong).slice(0, MOST_ROWS).map(operatorRow),
    catalogs: troubled(visible).map((one) => troubleOf(one, terms)),
    operators: shown.map(operatorRow),
    ...(cut !== undefined && { cut }),
    ...(empty !== undefined && { empty }),
  };
}

const ORDER: readonly State[] = ['Failed', 'Waiting', 'Working', 'Removing', 'Unknown', 'Suspended', 'Ready'];

function countStates(subscriptions: readonly Subscription[]): readonly StateCount[] {
  const groups = Map.groupBy(subscriptions, judge);
  return ORDER.flatMap((state) => {
    const found = groups.get(state)?.length ?? 0;
    return found === 0 ? [] : [{ ...stateBadge(state), count: found }];
  });
}

function summarize(all: number, counts: readonly StateCount[]): string {
  const parts = counts.map((one) => `${one.count} ${one.word.toLowerCase()}`);
  return parts.length === 0 ? 'No operator is installed' : `${count(all, 'operator')}: ${parts.join(', ')}`;
}

/** Failed, or with a condition that is bad news. */
function isWrong(subscription: Subscription): boolean {
  return judge(subscription) === 'Failed' || situationOf(subscription, []).problems.length > 0;
}

interface TimedRow {
  readonly time: string;
  readonly row: WaitingRow;
}

function waitingRow(visible: Visible, subscription: Subscription): TimedRow | undefined {
  const { spec, status } = subscription;
  const waiting = waitingOf(subscription, revisionsOf(visible, subscription));
  if (waiting === undefined) return undefined;
  const { risk } = waiting.status?.plan ?? {};
  const from = status?.installed?.version;
  const change = from === undefined ? `installation of ${spec.package} ${waiting.spec.version}` : `${spec.package} ${from} → ${waiting.spec.version}`; // prettier-ignore
  return {
    time: waiting.metadata.creationTimestamp ?? '',
    row: {
      ...operatorRow(subscription),
      change: nameOf(change),
      ...(risk !== undefined && { risk: riskBadge(risk) }),
      plan: { label: 'Read the plan', href: subscriptionPath(subscription.metadata, 'plan') },
    },
  };
}

function byTime(one: TimedRow, other: TimedRow): number {
  return compareText(one.time, other.time);
}

/** Those that are not ready, and those that are served although their registry gives no newer content. */
function troubled({ catalogs }: Visible): readonly Catalog[] {
  const isTroubled = (one: Catalog): boolean =>
    !isReady(one) || isStale(findCondition(one.status?.conditions, 'Ready'));
  return catalogs.filter(isTroubled).slice(0, MOST_ROWS);
}

function troubleOf(catalog: Catalog, terms: ButtonTerms): CatalogTrouble {
  const { conditions } = catalog.status ?? {};
  const isWorking = findCondition(conditions, 'Reconciling') !== undefined;
  return {
    name: nameOf(catalog.metadata.name),
    state: readyBadge(findCondition(conditions, 'Ready'), isWorking),
    message: readyMessage('Catalog', conditions),
    buttons: buttonsOf([refreshOffer(catalog)], terms),
  };
}
