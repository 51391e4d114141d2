/** The client behind a remote address: shares are counted by clients, and one host may have many addresses. Pure. */
import { isIP } from 'node:net';
import { dottedIpv4, groupsOfIpv6 } from '../../api/ipv6.ts';

/** Mapped (`::ffff:192.0.2.1`), or translated by the prefix of all networks (`64:ff9b::192.0.2.1`). */
const BEFORE_IPV4: ReadonlySet<string> = new Set(['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0']);

/**
 * An address of IPv4 stands for itself. One of IPv6 stands for its network of 64 bits, since a host may take every address of
 * it. An address of IPv4 that is written as one of IPv6, as servers for both see it, is that address of IPv4.
 */
export function clientOfAddress(address: string): string {
  const literal = address.replace(/%.*$/, '');
  if (isIP(literal) !== 6) return address;
  const groups = groupsOfIpv6(literal);
  const [high = 0, low = 0] = groups.slice(6);
  const written = groups.map((group) => group.toString(16));
  if (BEFORE_IPV4.has(written.slice(0, 6).join(':'))) return dottedIpv4(high, low);
  return `${written.slice(0, 4).join(':')}::/64`;
}
