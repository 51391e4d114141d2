/**
 * Keeps a registry from sending the manager to places that only the manager can reach: token services and
 * redirects of a public registry must be public too, and metadata services of clouds are no registries. Decides on
 * addresses, not names: those that a connection is about to be made to, and those from which an answer came, so
 * that a name cannot resolve to one thing when checked and another when used.
 */
import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { dottedIpv4, groupsOfIpv6 } from '../api/ipv6.ts';
import { unavailable } from './errors.ts';

/** The reach of an address. `linkLocal` has the metadata services of clouds. */
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
      [
        ['169.254.0.0', 16],
        ['100.100.100.200', 32],
        ['168.63.129.16', 32],
      ],
      [
        ['fe80::', 10],
        ['fd00:ec2::254', 128],
        ['fd20:ce::254', 128],
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
        // A NAT64 prefix of the network itself: the position of the IPv4 address in it is unknown here.
        ['64:ff9b:1::', 48],
      ],
    ),
  ],
];

/** The reach of a literal address; IPv4 inside IPv6 (mapped, translated, NAT64, 6to4) counts as that IPv4 address. */
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

/** Resolves names to addresses, and judges their reach. Tests pass one of their own. */
export interface Network {
  readonly lookup: LookupFunction;
  readonly reachOf: (address: string) => Reach;
}

type LookupCallback = Parameters<LookupFunction>[2];

/**
 * All that ask for a name at the same time share one look-up. The system makes two at a time in one process, and one of a name whose
 * servers do not answer takes ten seconds or more: those for one such registry would leave none for the others.
 */
export function sharedLookup(lookup: LookupFunction): LookupFunction {
  const waiting = new Map<string, LookupCallback[]>();
  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, options]);
    const others = waiting.get(key);
    if (others !== undefined) return void others.push(callback);
    const callbacks = [callback];
    waiting.set(key, callbacks);
    lookup(hostname, options, (...answer) => {
      waiting.delete(key);
      for (const one of callbacks) one(...answer);
    });
  };
}

/** The system's resolver. */
export const SYSTEM_NETWORK: Network = { lookup: sharedLookup(dnsLookup), reachOf };

/** The addresses that one request may connect to. */
export interface Bounds {
  readonly admits: (reach: Reach) => boolean;
  readonly refusal: (hostname: string) => Error;
}

/**
 * A resolver for one connection that returns only those addresses of a name which are within bounds, and fails if there
 * are none. The connection uses its result: there is no second look-up that could differ.
 */
export function guardedLookup({ admits, refusal }: Bounds, { lookup, reachOf: place }: Network): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 4);
      const addresses = found as readonly LookupAddress[];
      const admitted = addresses.filter(({ address }) => admits(place(address)));
      const first = admitted[0];
      if (first === undefined) return callback(refusal(hostname), '', 4);
      return options.all === true ? callback(null, admitted) : callback(null, first.address, first.family);
    });
  };
}

/** The refusal of a host that a registry points to, for literal addresses and resolved names alike. */
export function outOfBounds(hostname: string) {
  return unavailable(`the host ${hostname} that a registry points to is a private address`, {
    hint: 'Slipway does not follow a public registry into a private network. Name the registry by its private address, or add a mirror in a RegistryPolicy',
  });
}

/** The refusal of a link-local address, for a registry that was named and for a host that one points to. */
export function linkLocalRefused(hostname: string) {
  return unavailable(`the host ${hostname} has a link-local address, where clouds keep credentials of the node`, {
    hint: 'Name the registry by another address; if it has no other, start the manager with --link-local-registries=true',
  });
}

function embeddedIpv4(literal: string): string | undefined {
  if (isIP(literal) !== 6) return undefined;
  const groups = groupsOfIpv6(literal);
  const [high = 0, low = 0] = groups.slice(6);
  const zeros = (count: number): boolean => groups.slice(0, count).every((group) => group === 0);
  if (zeros(5) && groups[5] === 0xffff) return dottedIpv4(high, low);
  if (zeros(4) && groups[4] === 0xffff && groups[5] === 0) return dottedIpv4(high, low);
  if (zeros(6) && high !== 0) return dottedIpv4(high, low);
  if (groups[0] === 0x64 && groups[1] === 0xff9b && groups[2] === 0) return dottedIpv4(high, low);
  if (groups[0] === 0x2002) return dottedIpv4(groups[1] ?? 0, groups[2] ?? 0);
  return undefined;
}

function blockList(v4: readonly (readonly [string, number])[], v6: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of v4) list.addSubnet(net, prefix, 'ipv4');
  for (const [net, prefix] of v6) list.addSubnet(net, prefix, 'ipv6');
  return list;
}
