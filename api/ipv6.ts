/** Addresses of IPv6 as numbers. Pure. */

/** The eight groups of an address without an interface; the URL parser writes a dotted tail as groups. Throws for any other text. */
export function groupsOfIpv6(literal: string): readonly number[] {
  const text = new URL(`http://[${literal}]/`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...middle, ...right].map((group) => Number.parseInt(group, 16));
}

/** The address of IPv4 that two groups contain. */
export function dottedIpv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
