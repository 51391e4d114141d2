/** The end of a hand-over that is under way when its Subscription is uninstalled, in sentences: for previews. Pure. */
import type { Subscription } from '../api/subscription.ts';
import { openByStatus, type OpenHandOver } from './open-hand-overs.ts';
import { argumentsFor, type AdoptedOperator } from './successor.ts';

/**
 * One paragraph for each hand-over: that it is under way, and its end.
 *
 * @param begun By the backups; none if they cannot be read
 * @param leaves Whether the uninstall leaves the objects of the operator
 */
export function describeOpen(
  subscription: Subscription,
  begun: readonly OpenHandOver[],
  leaves: boolean,
): readonly string[] {
  return (openByStatus(subscription) ?? begun).map((one) =>
    one.stage === 'Preparing' ? describePreparing(subscription, one) : describeTakingOver(subscription, one, leaves),
  );
}

function describePreparing({ metadata }: Subscription, { operator }: OpenHandOver): string {
  const named = argumentsFor(metadata, operator);
  return `${underWay(operator)}. An uninstall calls it off, and OLM has the operator as before. If OLM has given the operator up by then, it runs on without a manager: an administrator goes on by \`slipway adopt run ${named}\``;
}

function describeTakingOver({ metadata, status }: Subscription, { operator }: OpenHandOver, leaves: boolean): string {
  const held = operator.from === 'OLMv0' ? 'its ClusterServiceVersion' : `ClusterExtension ${operator.name}`;
  const webhooks = leaves ? '' : ', and webhook configurations of OLM whose Service is gone are deleted';
  const rest =
    status?.installed === undefined
      ? '. Objects that Slipway has not taken over yet stay, and an event names the backup that lists them'
      : '';
  const named = argumentsFor(metadata, operator);
  return `${underWay(operator)}. It ends with the uninstall: ${held} is held no longer${webhooks}${rest}. If the manager may not release it, as after a hand-over by the command line, an administrator does so by \`slipway adopt run ${named}\``;
}

function underWay({ from, name }: AdoptedOperator): string {
  return `The hand-over of ${name} from OLM ${from === 'OLMv0' ? 'v0' : 'v1'} is under way`;
}
