/**
 * Whether the installed version is as the spec requests it: if so, neither a catalog without an answer nor an upgrade that
 * cannot be begun counts against it. Pure.
 */
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { parseMastermindsRange } from '../../resolver/ranges/masterminds.ts';
import { parseVersion } from '../../resolver/version.ts';
import { configHash } from '../config-hash.ts';

/** Whether it is in the range and of the channel of the spec, with the configuration that the spec requests. */
export function isAsRequested(subscription: Subscription, revision: Revision): boolean {
  return isAsConfigured(subscription, revision) && isInRange(subscription, revision);
}

/** Whether it is of the channel of the spec, with the configuration that the spec requests; its version may be any. */
export function isAsConfigured(subscription: Subscription, revision: Revision): boolean {
  return revision.spec.configHash === configHash(subscription) && isOfChannel(subscription, revision);
}

/** Whether it was chosen from the channel of the spec; without one, any counts. */
export function isOfChannel({ spec }: Subscription, { spec: { channel: chosen } }: Revision): boolean {
  const { channel = ANY_CHANNEL } = spec;
  return channel === ANY_CHANNEL || channel === chosen;
}

export const ANY_CHANNEL = '*';

/** Whether its version is in the range of the spec. */
export function isInRange(
  { spec: { version: range } }: Pick<Subscription, 'spec'>,
  { spec: { version } }: { readonly spec: Pick<Revision['spec'], 'version'> },
): boolean {
  if (range === undefined) return true;
  const [wanted, installed] = [parseMastermindsRange(range), parseVersion(version)];
  return wanted.ok && installed.ok && wanted.value.includes(installed.value);
}
