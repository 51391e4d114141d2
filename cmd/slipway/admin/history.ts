/** `slipway history`: the Revisions of a Subscription, how long each took and ran, who approved it, and why it ended. */
import type { Subscription } from '../../../api/subscription.ts';
import { entriesOf, type HistoryEntry } from '../../../report/history.ts';
import type { Environment } from '../environment.ts';
import { withCluster, type Connection } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { formatTable } from '../output/table.ts';
import { describeAge, describeDuration, secondsBetween } from '../../../report/age.ts';
import type { ReadFlags } from './flags.ts';
import { followSubscription } from './followed.ts';
import { needSubscription, revisionsOf } from './objects.ts';
import { outcomeOf } from './print.ts';
import { Screen } from './screen.ts';

export async function history(environment: Environment, text: string, flags: ReadFlags): Promise<Outcome> {
  return withCluster(environment, flags, async (connection) => {
    const subscription = await needSubscription(connection, text, environment.signal);
    if (flags.watch === true) return watch(environment, connection, { subscription, output: flags.output });
    const revisions = await revisionsOf(connection.client, subscription, environment.signal);
    const entries = entriesOf(subscription, revisions);
    return outcomeOf({ revisions: entries }, printEntries(entries, new Date(), environment.columns), flags.output);
  });
}

interface WatchedHistory {
  readonly subscription: Subscription;
  readonly output: string;
}

/** Prints the table again after each change that shows, until the signal aborts. */
async function watch(
  environment: Environment,
  { client }: Connection,
  { subscription: followed, output }: WatchedHistory,
): Promise<Outcome> {
  const screen = new Screen<{ readonly revisions: readonly HistoryEntry[] }>(environment, output, ({ revisions }) =>
    printEntries(revisions, new Date(), environment.columns),
  );
  for await (const { subscription, revisions } of followSubscription(client, followed, environment.signal))
    screen.show(subscription === undefined ? undefined : { revisions: entriesOf(subscription, revisions) });
  return { data: {}, text: '' };
}

const HEADER = ['REVISION', 'VERSION', 'STATE', 'CREATED', 'APPROVED BY', 'ROLL-OUT', 'IN USE', 'OUTCOME'];

/** The table, the oldest first. */
export function printEntries(entries: readonly HistoryEntry[], now: Date, columns?: number): string {
  if (entries.length === 0) return 'The Subscription has no Revision yet\n';
  const rows = entries.map((entry) => {
    const { revision, version, state, created, approvedBy = '', rollOutSeconds, readyTime, endTime, outcome } = entry;
    const used = secondsBetween(readyTime, endTime ?? now.toISOString());
    return [
      revision,
      version,
      state,
      `${describeAge(created, now)} ago`,
      approvedBy,
      rollOutSeconds === undefined ? '' : describeDuration(rollOutSeconds),
      used === undefined || used < 0 ? '' : describeDuration(used),
      outcome,
    ];
  });
  return formatTable(HEADER, rows, columns);
}
