/** `slipway events`: the events of Slipway's objects, the oldest first. */
import { groupOf, type KubeObject } from '../../../api/object.ts';
import { GROUP } from '../../../api/names.ts';
import { fieldsOf, numberOf, textOf } from '../../../api/untyped.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { Environment } from '../environment.ts';
import { withCluster } from '../input/connection.ts';
import { invalidInput } from '../input/invalid.ts';
import type { Outcome } from '../outcome.ts';
import { formatTable } from '../output/table.ts';
import { describeAge } from './age.ts';
import type { ReadFlags } from './flags.ts';
import { GrowingTable } from './growing-table.ts';
import { needSubscription, parseTarget, revisionsOf } from './objects.ts';
import { formatStreamed, outcomeOf } from './print.ts';
import { follow } from './watch.ts';

export interface EventFlags extends ReadFlags {
  readonly warnings?: boolean;
}

/** A kind that every API server has, with its path. */
const EVENT = { apiVersion: 'events.k8s.io/v1', kind: 'Event', served: { plural: 'events', namespaced: true } };

export async function events(environment: Environment, text: string | undefined, flags: EventFlags): Promise<Outcome> {
  if (text !== undefined && flags.allNamespaces === true)
    throw invalidInput('-A goes with no name', 'Leave the name or -A out');
  return withCluster(environment, flags, async (connection) => {
    const { client, namespace } = connection;
    const target = text === undefined ? undefined : parseTarget(text, namespace);
    const wanted = await scopeOf(environment, connection, text);
    const options = flags.allNamespaces === true ? {} : { namespace: target?.namespace ?? namespace };
    if (flags.watch === true) return watch(environment, client, { wanted, options, flags });
    const objects = await client.list(EVENT, options, environment.signal);
    const reported = reportedEvents(objects, { wanted, warnings: flags.warnings === true });
    return outcomeOf({ events: reported }, printEvents(reported, flags, environment.columns), flags.output);
  });
}

/** Objects by kind and name; undefined for all objects of Slipway. */
type WantedEvents = ReadonlySet<string> | undefined;

/** The Subscription and its Revisions. */
async function scopeOf(
  { signal }: Environment,
  connection: Parameters<typeof needSubscription>[0],
  text: string | undefined,
): Promise<WantedEvents> {
  if (text === undefined) return undefined;
  const subscription = await needSubscription(connection, text, signal);
  const revisions = await revisionsOf(connection.client, subscription, signal);
  return new Set([
    `Subscription ${subscription.metadata.name}`,
    ...revisions.map(({ metadata }) => `Revision ${metadata.name}`),
  ]);
}

export interface ReportedEvent {
  readonly namespace: string;
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  /** `Subscription beacon` */
  readonly object: string;
  readonly message: string;
  /** How many times it was recorded. */
  readonly count: number;
}

export interface EventFilter {
  readonly wanted: WantedEvents;
  readonly warnings: boolean;
}

/** The events about Slipway's objects, the oldest first. */
export function reportedEvents(
  objects: readonly KubeObject[],
  { wanted, warnings }: EventFilter,
): readonly ReportedEvent[] {
  return objects
    .flatMap((object) => {
      const regarding = fieldsOf(object['regarding']);
      const about = `${textOf(regarding['kind'])} ${textOf(regarding['name'])}`;
      const isOurs = groupOf(textOf(regarding['apiVersion'])) === GROUP && (wanted?.has(about) ?? true);
      if (!isOurs || (warnings && object['type'] !== 'Warning')) return [];
      return [describeEvent(object, about)];
    })
    .toSorted((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
}

function describeEvent(object: KubeObject, about: string): ReportedEvent {
  const series = fieldsOf(object['series']);
  const time = textOf(series['lastObservedTime']) || textOf(object['eventTime']) || textOf(object['deprecatedLastTimestamp']); // prettier-ignore
  return {
    namespace: object.metadata.namespace ?? '',
    time: time || (object.metadata.creationTimestamp ?? ''),
    type: textOf(object['type']),
    reason: textOf(object['reason']),
    object: about,
    message: textOf(object['note']),
    count: numberOf(series['count']) ?? 1,
  };
}

/** The table; one line if there are no events. */
export function printEvents(
  reported: readonly ReportedEvent[],
  flags: Pick<EventFlags, 'allNamespaces'>,
  columns?: number,
): string {
  // prettier-ignore
  if (reported.length === 0) return 'There are no events; the API server keeps them for an hour by default\n';
  return formatTable(headerOf(flags), reported.map((event) => rowOf(event, flags, new Date())), columns); // prettier-ignore
}

function headerOf({ allNamespaces = false }: Pick<EventFlags, 'allNamespaces'>): readonly string[] {
  return [...(allNamespaces ? ['NAMESPACE'] : []), 'LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'];
}

function rowOf(
  { namespace, time, type, reason, object, message, count }: ReportedEvent,
  { allNamespaces = false }: Pick<EventFlags, 'allNamespaces'>,
  now: Date,
): readonly string[] {
  // prettier-ignore
  const repeated = count > 1 ? `${message} (${count} times)` : message;
  return [...(allNamespaces ? [namespace] : []), describeAge(time, now), type, reason, object, repeated];
}

interface WatchedEvents {
  readonly wanted: WantedEvents;
  readonly options: { readonly namespace?: string };
  readonly flags: EventFlags;
}

/** Prints the events so far, then each further one. Ends with the signal only. */
async function watch(
  { print, signal, columns }: Environment,
  client: Client,
  { wanted, options, flags }: WatchedEvents,
): Promise<Outcome> {
  const table = new GrowingTable(headerOf(flags), columns);
  for await (const changes of follow(client, EVENT, { options, signal })) {
    const objects = changes.filter(({ type }) => type !== 'DELETED').map(({ object }) => object);
    for (const event of reportedEvents(objects, { wanted, warnings: flags.warnings === true }))
      print(formatStreamed(event, flags.output) ?? table.add(rowOf(event, flags, new Date())));
  }
  return { data: {}, text: '' };
}
