/**
 * Whether the installed version is in the range of the spec: if so, a catalog without an answer does not count against
 * it. Pure.
 */
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { parseMastermindsRange } from '../../resolver/ranges/masterminds.ts';
import { parseVersion } from '../../resolver/version.ts';

export function isInRange({ spec: { version: range } }: Subscription, { spec: { version } }: Revision): boolean {
  if (range === undefined) return true;
  const [wanted, installed] = [parseMastermindsRange(range), parseVersion(version)];
  return wanted.ok && installed.ok && wanted.value.includes(installed.value);
}
