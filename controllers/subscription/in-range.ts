/** Whether what is installed is in the range that the spec asks for: a catalog without an answer says nothing against it. Pure. */
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { parseMastermindsRange } from '../../resolver/ranges/masterminds.ts';
import { parseVersion } from '../../resolver/version.ts';

export function isInRange({ spec: { version: range } }: Subscription, { spec: { version } }: Revision): boolean {
  if (range === undefined) return true;
  const [wanted, installed] = [parseMastermindsRange(range), parseVersion(version)];
  return wanted.ok && installed.ok && wanted.value.includes(installed.value);
}
