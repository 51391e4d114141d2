/** `slipway status`: one screen about one Subscription. */
import type { Phase } from '../../../api/revision.ts';
import type { Subscription } from '../../../api/subscription.ts';
import type { Environment } from '../environment.ts';
import { withCluster, type Connection } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../output/clean.ts';
import { wrapText } from '../output/layout.ts';
import { formatFacts, formatTable } from '../output/table.ts';
import { describeAge } from './age.ts';
import type { ReadFlags } from './flags.ts';
import { followSubscription } from './followed.ts';
import { needSubscription, revisionsOf } from './objects.ts';
import { outcomeOf } from './print.ts';
import { Screen } from './screen.ts';
import { situationOf, type OperatorSituation } from './situation.ts';

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

type StatusFact = readonly [string, string | readonly string[] | undefined];

function factsOf(
  { installed, available, path, pending, problems, refused, nextEligibleTime, ...rest }: OperatorSituation,
  now: Date,
): readonly StatusFact[] {
  // prettier-ignore
  const origin = installed && [installed.channel && `channel ${installed.channel}`, `catalog ${installed.catalog}`, `Revision ${installed.revision}`]; // prettier-ignore
  const step = pending?.step === undefined ? '' : `, step ${pending.step} of ${pending.steps}`;
  return [
    ['Package', rest.package],
    ['Installed', installed === undefined ? 'nothing' : `${installed.version} (${origin?.filter(Boolean).join(', ')})`],
    ['Available', available === undefined ? 'nothing' : available.version],
    ['Path', path.length > 1 ? path.join(' → ') : undefined],
    ['In progress', pending && `${pending.bundle}${step}: ${pending.reason}`],
    ['Next window', nextEligibleTime && `${nextEligibleTime} (in ${describeAge(now.toISOString(), new Date(nextEligibleTime))})`], // prettier-ignore
    ['Problems', problems.map(({ condition, reason, message }) => `${condition} (${reason}): ${message}`)],
    ['Not chosen', refused.slice(0, MOST_REFUSED).map(({ version, message }) => `${version}: ${message}`)],
  ];
}

/** Refused versions that are printed; `-o json` has all. */
const MOST_REFUSED = 3;

function printPhases(phases: readonly Phase[], columns: number | undefined): string {
  const rows = phases.map(({ name, state, objects, ready, message = '' }) => [
    name,
    state,
    `${ready}/${objects}`,
    message,
  ]);
  return formatTable(['PHASE', 'STATE', 'READY', 'MESSAGE'], rows, columns);
}
