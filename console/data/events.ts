/** Events, the newest first, and the record of who approved which version. Pure. */
import { count } from '../../report/count.ts';
import { reportedEvents, type ReportedEvent, type WantedEvents } from '../../report/events.ts';
import { auditRows } from './audit.ts';
import { quote } from './kubectl.ts';
import { revisionPath, subscriptionPath, withQuery } from './links.ts';
import type { Badge, EventRow, EventsModel, Link, Notice } from './models.ts';
import { reachNotices, revisionsOf } from './objects.ts';
import { firstOf, line, nameOf } from './text.ts';
import type { Parameters, View, Visible } from './view.ts';

const MOST_EVENTS = 300;
const MOST_ACTS = 300;
const MOST_NAMESPACES = 200;

export const events: View<EventsModel> = {
  path: '/events',
  query: ['namespace', 'name', 'warnings'],
  reads: ['subscriptions', 'revisions', 'events'],
  show: showEvents,
};

function showEvents(visible: Visible, parameters: Parameters): EventsModel {
  const { namespace, name } = parameters;
  const onlyWarnings = parameters['warnings'] === 'true';
  const subscriptions = visible.subscriptions.filter(
    ({ metadata }) =>
      (namespace === undefined || metadata.namespace === namespace) && (name === undefined || metadata.name === name),
  );
  const found = reportedEvents(
    visible.events.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
    { wanted: wantedBy(visible, parameters), warnings: onlyWarnings },
  ).toReversed();
  const shown = firstOf(found, MOST_EVENTS, 'event');
  const acts = firstOf(auditRows(visible, subscriptions), MOST_ACTS, 'act');
  const isEmpty = found.length === 0 && acts.shown.length === 0;
  return {
    title: 'Events',
    notices: [...reachNotices(visible, ['events', 'subscriptions', 'revisions']), ...cutNotices(visible, namespace)],
    ...(namespace !== undefined && { namespace: nameOf(namespace) }),
    namespaces: namespacesOf(visible),
    onlyWarnings,
    events: withKeys(shown.shown.map((event) => eventRow(event))),
    ...(shown.cut !== undefined && { cut: shown.cut }),
    audit: acts.shown,
    ...(acts.cut !== undefined && { auditCut: acts.cut }),
    ...(isEmpty && { empty: { message: NO_EVENTS, next: [{ label: 'Overview', href: '/overview' }] } }),
  };
}

/** A sentence about the namespaces whose older events are not kept. */
function cutNotices({ cutEvents = [] }: Visible, namespace: string | undefined): readonly Notice[] {
  const cut = cutEvents.filter((one) => namespace === undefined || one === namespace);
  const [first] = cut;
  if (first === undefined) return [];
  const [where, flag] = cut.length === 1 ? [`Namespace ${nameOf(first)}`, `-n ${quote(first)}`] : [count(cut.length, 'namespace'), '-A']; // prettier-ignore
  const text = `${where} ${cut.length === 1 ? 'has' : 'have'} more events than the console keeps: the oldest are left out. kubectl get events ${flag} lists all`;
  return [{ tone: 'unknown', text }];
}

const NO_EVENTS = 'There are no events; the API server keeps them for an hour by default';

/** The objects of one Subscription, if the query names it; as `slipway events NAME` chooses them. */
function wantedBy(visible: Visible, { namespace, name }: Parameters): WantedEvents {
  if (name === undefined) return undefined;
  const owner = visible.subscriptions.find(
    ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
  );
  const revisions = owner === undefined ? [] : revisionsOf(visible, owner);
  return new Set([`Subscription ${name}`, ...revisions.map(({ metadata }) => `Revision ${metadata.name}`)]);
}

function namespacesOf({ subscriptions }: Visible): readonly Link[] {
  const names = [...new Set(subscriptions.map(({ metadata }) => metadata.namespace ?? ''))].sort();
  return names
    .slice(0, MOST_NAMESPACES)
    .map((namespace) => ({ label: nameOf(namespace), href: withQuery('/events', { namespace }) }));
}

function eventRow({ namespace, time, type, reason, object, message, count }: ReportedEvent): EventRow {
  const href = pathOf(object, namespace);
  return {
    key: nameOf(`${namespace} ${object} ${reason} ${time}`),
    time: nameOf(time),
    type: typeBadge(type),
    reason: nameOf(reason),
    object: nameOf(object),
    // The API server keeps events about objects of no namespace in one that says nothing about them.
    namespace: OF_NO_NAMESPACE.test(object) ? '' : nameOf(namespace),
    ...(href !== undefined && { href }),
    message: line(message),
    count,
  };
}

const OF_NO_NAMESPACE = /^(Catalog|RegistryPolicy) /;

function typeBadge(type: string): Badge {
  return type === 'Warning' ? { word: 'Warning', tone: 'bad' } : { word: nameOf(type) || 'Normal', tone: 'good' };
}

/** `Subscription beacon` */
function pathOf(object: string, namespace: string): string | undefined {
  const [kind, name = ''] = object.split(' ');
  if (kind === 'Subscription') return subscriptionPath({ namespace, name });
  if (kind === 'Revision') return revisionPath(namespace, name);
  return kind === 'Catalog' || kind === 'RegistryPolicy' ? '/slipway' : undefined;
}

/** Several events may be alike: their place among those distinguishes them. */
function withKeys(rows: readonly EventRow[]): readonly EventRow[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const at = seen.get(row.key) ?? 0;
    seen.set(row.key, at + 1);
    return at === 0 ? row : { ...row, key: `${row.key} ${at}` };
  });
}
