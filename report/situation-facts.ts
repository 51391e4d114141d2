/** The situation of a Subscription as facts with names. Pure; the values are not cleaned yet. */
import { describeDuration, secondsBetween } from './age.ts';
import type { OperatorSituation } from './situation.ts';

export type StatusFact = readonly [string, string | readonly string[] | undefined];

/** The facts in a fixed order; one without a value is absent from the screen. */
export function factsOf(
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
    [rest.state === 'Suspended' ? 'Next' : 'In progress', pending && `${pending.bundle}${step}: ${pending.reason}`],
    ['Next window', nextEligibleTime && describeWindow(nextEligibleTime, now)],
    ['Problems', problems.map(({ condition, reason, message }) => `${condition} (${reason}): ${message}`)],
    ['Not chosen', refused.slice(0, MOST_REFUSED).map(({ version, message }) => `${version}: ${message}`)],
  ];
}

/** Refused versions that are printed; `-o json` has all. */
const MOST_REFUSED = 3;

/** A time that cannot be read, such as a leap second, stands alone. */
function describeWindow(time: string, now: Date): string {
  const seconds = secondsBetween(now.toISOString(), time);
  return seconds === undefined ? time : `${time} (in ${describeDuration(seconds)})`;
}
