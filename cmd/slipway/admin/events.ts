/** `slipway events`: the events of Slipway's objects, the oldest first. */
import type { Client } from '../../../kube/client/client.ts';
import { reportedEvents, type ReportedEvent, type WantedEvents } from '../../../report/events.ts';
import type { Environment } from '../environment.ts';
import { withCluster } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import { formatTable } from '../output/table.ts';
import { describeAge } from '../../../report/age.ts';
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
