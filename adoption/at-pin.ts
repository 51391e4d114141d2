/**
 * Whether Slipway has installed the version to which its Subscription is pinned. All builds of a version are inside of a pin,
 * and OLM and a catalog may write one version with and without its build. Pure.
 */
import { parseMastermindsRange } from '../resolver/ranges/masterminds.ts';
import { parseVersion } from '../resolver/version.ts';

/** As the resolver reads a pin; texts that are equal count also if they are no versions. */
export function isAtPin(version: string | undefined, pin: string): boolean {
  if (version === undefined || pin === '' || version === pin) return pin !== '' && version === pin;
  const [range, installed] = [parseMastermindsRange(pin), parseVersion(version)];
  return range.ok && installed.ok && range.value.includes(installed.value);
}
