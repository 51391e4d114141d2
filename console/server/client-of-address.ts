/** The client behind a remote address: shares are counted by clients, and one host may have many addresses. Pure. */

const GROUPS = 8;
const OF_NETWORK = 4;

/**
 * An address of IPv4 stands for itself. One of IPv6 stands for its network of 64 bits, since a host may take every address of
 * it. An address of IPv4 that is written as one of IPv6, as servers for both see it, is that address of IPv4.
 */
export function clientOfAddress(address: string): string {
  if (!address.includes(':')) return address;
  const groups = groupsOf(address.replace(/%.*$/, ''));
  if (isIpv4Inside(groups)) return groups.slice(-2).flatMap(bytesOf).join('.');
  const network = groups.slice(0, OF_NETWORK).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight numbers of an address of IPv6, the zeros of `::` among them. */
function groupsOf(address: string): readonly number[] {
  const [before = [], after = []] = address.split('::').map(numbersIn);
  const zeros = Array.from({ length: Math.max(0, GROUPS - before.length - after.length) }, () => 0);
  return [...before, ...zeros, ...after];
}

/** The last part may be an address of IPv4, which has the place of two numbers. */
function numbersIn(text: string): readonly number[] {
  const parts = text.split(':').filter((part) => part !== '');
  return parts.flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

/** Mapped (`::ffff:192.0.2.1`), or translated by the prefix of all networks (`64:ff9b::192.0.2.1`). */
function isIpv4Inside(groups: readonly number[]): boolean {
  const prefix = groups.slice(0, 6).map((group) => group.toString(16));
  return prefix.join(':') === '0:0:0:0:0:ffff' || prefix.join(':') === '64:ff9b:0:0:0:0';
}

function bytesOf(group: number): readonly number[] {
  return [group >> 8, group & 255];
}
