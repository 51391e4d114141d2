/** Addresses of one client have one share, and those of two clients have two. */
import { expect, test } from 'vitest';
import { clientOfAddress } from './client-of-address.ts';

test.each([
  { because: 'an address of IPv4 is a client', address: '192.0.2.1', client: '192.0.2.1' },
  { because: 'a host may take every address of its network', address: '2001:db8:0:7::1', client: '2001:db8:0:7::/64' },
  { because: 'the same network', address: '2001:db8:0:7:ffff:ffff:ffff:ffff', client: '2001:db8:0:7::/64' },
  { because: 'the next network', address: '2001:db8:0:8::1', client: '2001:db8:0:8::/64' },
  { because: 'the zeros may be at the end', address: '2001:db8::', client: '2001:db8:0:0::/64' },
  { because: 'the spelling does not count', address: '2001:0DB8:0:7::1', client: '2001:db8:0:7::/64' },
  { because: 'this machine', address: '::1', client: '0:0:0:0::/64' },
  { because: 'the interface is no part of it', address: 'fe80::1%eth0', client: 'fe80:0:0:0::/64' },
  { because: 'a server for both sees IPv4 so', address: '::ffff:192.0.2.1', client: '192.0.2.1' },
  { because: 'another one of these', address: '::ffff:192.0.2.2', client: '192.0.2.2' },
  { because: 'the same in hexadecimal digits', address: '::ffff:c000:201', client: '192.0.2.1' },
  { because: 'a cluster of IPv6 alone sees IPv4 so', address: '64:ff9b::192.0.2.1', client: '192.0.2.1' },
  { because: 'the connection is gone', address: '', client: '' },
])('$address is of the client $client: $because', ({ address, client }) => {
  expect(clientOfAddress(address)).toBe(client);
});
