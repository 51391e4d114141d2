/** Requests of other sites, and of names that lead here by a trick, are refused. */
import { describe, expect, test } from 'vitest';
import { refuseForeign, type OwnHosts, type RequestSource } from './same-origin.ts';

const base: RequestSource = {
  method: 'GET',
  path: '/api/session',
  host: '127.0.0.1:4000',
  origin: undefined,
  site: undefined,
};
const cluster: OwnHosts = { origin: 'https://console.example' };

describe('on this machine', () => {
  test.each([
    { because: 'the address that was printed', change: {} },
    { because: 'the same machine by its name', change: { host: 'localhost:4000' } },
    { because: 'a tunnel has another port', change: { host: 'localhost:9' } },
    { because: 'IPv6', change: { host: '[::1]:4000' } },
    { because: 'a page of the console', change: { origin: 'http://127.0.0.1:4000', site: 'same-origin' } },
    { because: 'an act of a page', change: { method: 'POST', origin: 'http://127.0.0.1:4000', site: 'same-origin' } },
    { because: 'an address that was typed', change: { path: '/overview', site: 'none' } },
    { because: 'a link on another site shows the page', change: { path: '/overview', site: 'cross-site' } },
  ])('is answered: $because', ({ change }) => {
    expect(refuseForeign({ ...base, ...change }, 'loopback')).toBeUndefined();
  });

  test.each([
    { because: 'a name of an attacker that resolves to this machine', change: { host: 'evil.example:4000' } },
    { because: 'a name that begins like this machine', change: { host: '127.0.0.1.evil.example' } },
    { because: 'a name that ends like this machine', change: { host: 'evil.localhost:4000' } },
    { because: 'a user in the name', change: { host: 'evil@127.0.0.1:4000' } },
    { because: 'an address of this machine that was not printed', change: { host: '0.0.0.0:4000' } },
    { because: 'no name at all', change: { host: undefined } },
    { because: 'a page of another site', change: { origin: 'https://evil.example' } },
    { because: 'a page of another port', change: { origin: 'http://127.0.0.1:5000' } },
    { because: 'a page without an origin', change: { origin: 'null' } },
    { because: 'a script of another site that hides its origin', change: { site: 'cross-site' } },
    { because: 'a script of another port', change: { site: 'same-site' } },
    { because: 'an act that does not say where it comes from', change: { method: 'POST' } },
    { because: 'an act that was typed', change: { method: 'POST', site: 'none' } },
    {
      because: 'an act of another site',
      change: { method: 'POST', origin: 'http://127.0.0.1:4000', site: 'cross-site' },
    },
    { because: 'a form of another site', change: { method: 'POST', path: '/login/token', site: 'cross-site' } },
    { because: 'a method that the console does not have', change: { method: 'DELETE' } },
    { because: 'a method that changes the connection', change: { method: 'CONNECT' } },
  ])('is refused: $because', ({ change }) => {
    expect(refuseForeign({ ...base, ...change }, 'loopback')).toBeTypeOf('string');
  });
});

describe('in a cluster', () => {
  const inCluster = { ...base, host: 'console.example' };

  test.each([
    { because: 'its own name', change: {} },
    { because: 'the name in capitals', change: { host: 'CONSOLE.example' } },
    { because: 'a page of its own', change: { origin: 'https://console.example', site: 'same-origin' } },
    { because: 'the issuer leads back', change: { path: '/login/callback', site: 'cross-site' } },
  ])('is answered: $because', ({ change }) => {
    expect(refuseForeign({ ...inCluster, ...change }, cluster)).toBeUndefined();
  });

  test.each([
    { because: 'another port is another place', change: { host: 'console.example:8443' } },
    { because: 'the address of the Pod', change: { host: '10.0.0.7:8080' } },
    { because: 'this machine', change: { host: 'localhost' } },
    { because: 'the same name without TLS', change: { origin: 'http://console.example' } },
    { because: 'a name below', change: { origin: 'https://a.console.example' } },
  ])('is refused: $because', ({ change }) => {
    expect(refuseForeign({ ...inCluster, ...change }, cluster)).toBeTypeOf('string');
  });
});
