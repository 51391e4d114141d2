/** `slipway status`: one screen about one Subscription. */
import type { Phase } from '../../../api/revision.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { factsOf } from '../../../report/situation-facts.ts';
import type { Environment } from '../environment.ts';
import { withCluster, type Connection } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { wrapText } from '../output/layout.ts';
import { formatFacts, formatTable } from '../output/table.ts';
import type { ReadFlags } from './flags.ts';
import { followSubscription } from './followed.ts';
import { needSubscription, revisionsOf } from './objects.ts';
import { outcomeOf } from './print.ts';
import { Screen } from './screen.ts';
import { situationOf, type OperatorSituation } from '../../../report/situation.ts';

export async function status(environment: Environment, text: string, flags: ReadFlags): Promise<Outcome> {
  return withCluster(environment, flags, async (connection) => {
    const subscription = await needSubscription(connection, text, environment.signal);
    if (flags.watch === true) return watch(environment, connection, { subscription, output: flags.output });
    const revisions = await revisionsOf(connection.client, subscription, environment.signal);
    const situation = situationOf(subscription, revisions);
    return outcomeOf(situation, printSituation(situation, new Date(), environment.columns), flags.output);
  });
}

interface WatchedStatus {
  readonly subscription: Subscription;
  readonly output: string;
}

/** Prints the screen again after each change that shows, until the signal aborts. */
async function watch(
  environment: Environment,
  { client }: Connection,
  { subscription: followed, output }: WatchedStatus,
): Promise<Outcome> {
  const screen = new Screen<OperatorSituation>(environment, output, (situation) =>
    printSituation(situation, new Date(), environment.columns),
  );
  for await (const { subscription, revisions } of followSubscription(client, followed, environment.signal))
    screen.show(subscription === undefined ? undefined : situationOf(subscription, revisions));
  return { data: {}, text: '' };
}

/** The screen: what is installed, available, in progress and wrong, and the commands that help. */
export function printSituation(situation: OperatorSituation, now: Date, columns?: number): string {
  const { subscription, state, message, next } = situation;
  const heading = cleanLine(`Subscription ${subscription.namespace}/${subscription.name}: ${state}`);
  const parts = [
    `${heading}\n${wrapText(`  ${cleanLine(message)}`, columns ?? Infinity)}\n`,
    formatFacts(factsOf(situation, now), columns),
    situation.phases.length === 0 ? '' : printPhases(situation.phases, columns),
    next.length === 0 ? '' : `Next steps:\n${next.map(({ command, effect }) => `  ${cleanLine(command)}  # ${cleanLine(effect)}\n`).join('')}`, // prettier-ignore
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function printPhases(phases: readonly Phase[], columns: number | undefined): string {
  const rows = phases.map(({ name, state, objects, ready, message = '' }) => [
    name,
    state,
    `${ready}/${objects}`,
    message,
  ]);
  return formatTable(['PHASE', 'STATE', 'READY', 'MESSAGE'], rows, columns);
}
