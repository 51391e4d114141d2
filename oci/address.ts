/**
 * Keeps a registry from sending the manager to places that only the manager can reach: token services and
 * redirects of a public registry must be public too. Decides on addresses, not names, so that a name cannot
 * resolve to one thing when checked and another when used.
 */
import { lookup as dnsLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { unavailable } from './errors.ts';

/** Where an address lies. `linkLocal` holds the metadata services of clouds. */
export type Reach = 'public' | 'private' | 'loopback' | 'linkLocal';

const LISTS: readonly (readonly [Reach, BlockList])[] = [
  [
    'loopback',
    blockList(
      [
        ['127.0.0.0', 8],
        ['0.0.0.0', 8],
      ],
      [
        ['::1', 128],
        ['::', 128],
      ],
    ),
  ],
  [
    'linkLocal',
    blockList(
      [['169.254.0.0', 16]],
      [
        ['fe80::', 10],
        ['fd00:ec2::254', 128],
      ],
    ),
  ],
  [
    'private',
    blockList(
      [
        ['10.0.0.0', 8],
        ['172.16.0.0', 12],
        ['192.168.0.0', 16],
        ['100.64.0.0', 10],
        ['198.18.0.0', 15],
        ['192.0.0.0', 24],
        ['224.0.0.0', 3],
      ],
      [
        ['fc00::', 7],
        ['fec0::', 10],
        ['ff00::', 8],
      ],
    ),
  ],
];

/** Where a literal address lies; IPv4 inside IPv6 (mapped, NAT64, 6to4) counts as that IPv4 address. */
export function reachOf(address: string): Reach {
  const literal = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const embedded = embeddedIpv4(literal);
  if (embedded !== undefined) return reachOf(embedded);
  const family = isIP(literal) === 6 ? 'ipv6' : 'ipv4';
  return LISTS.find(([, list]) => list.check(literal, family))?.[0] ?? 'public';
}

/** Whether a host may be reached from a registry that lies at `from`: public ones always, others only alike. */
export function mayReach(from: Reach, to: Reach): boolean {
  return to === 'public' || to === from || (from === 'loopback' && to === 'private');
}

/** Where a URL's host name leads, by the system's resolver; the nearest of several addresses counts. */
export async function lookupReach(hostname: string): Promise<Reach> {
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return reachOf(hostname);
  return new Promise((resolve) => {
    dnsLookup(hostname, { all: true }, (error, addresses) => {
      const reaches = error === null ? addresses.map(({ address }) => reachOf(address)) : [];
      resolve(reaches.find((reach) => reach !== 'public') ?? 'public');
    });
  });
}

/** A resolver for one connection that fails where any address of the name is out of bounds. */
export function guardedLookup(from: Reach): LookupFunction {
  return (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      const first = addresses?.[0];
      if (error !== null || first === undefined) return callback(error, '', 4);
      if (!addresses.every(({ address }) => mayReach(from, reachOf(address)))) {
        return callback(outOfBounds(hostname), '', 4);
      }
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

/** The refusal, for literal addresses and resolved names alike. */
export function outOfBounds(hostname: string) {
  return unavailable(`the host ${hostname} that a registry points to is a private address`, {
    hint: 'A public registry must not lead into the private network; if it is meant to, allow private addresses',
  });
}

function embeddedIpv4(literal: string): string | undefined {
  if (isIP(literal) !== 6) return undefined;
  const groups = expand(literal);
  const [high = 0, low = 0] = groups.slice(6);
  const zeros = (count: number): boolean => groups.slice(0, count).every((group) => group === 0);
  if (zeros(5) && groups[5] === 0xffff) return dotted(high, low);
  if (zeros(6) && high !== 0) return dotted(high, low);
  if (groups[0] === 0x64 && groups[1] === 0xff9b) return dotted(high, low);
  if (groups[0] === 0x2002) return dotted(groups[1] ?? 0, groups[2] ?? 0);
  return undefined;
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address; the URL parser writes a dotted tail as groups. */
function expand(literal: string): readonly number[] {
  const text = new URL(`http://[${literal}]/`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...middle, ...right].map((group) => Number.parseInt(group, 16));
}

function blockList(v4: readonly (readonly [string, number])[], v6: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of v4) list.addSubnet(net, prefix, 'ipv4');
  for (const [net, prefix] of v6) list.addSubnet(net, prefix, 'ipv6');
  return list;
}
