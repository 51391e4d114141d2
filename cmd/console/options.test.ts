import { describe, expect, test } from 'vitest';
import { connectionsPerAddress, warningsOf } from './option-rules.ts';
import { describeOptions, parseOptions } from './options.ts';

const OIDC = ['--external-url', 'https://console.example', '--oidc-issuer', 'https://i', '--oidc-client-id', 'c'];
const PROXY = ['--external-url', 'https://console.example', '--login', 'proxy'];

describe('the options of the console', () => {
  test('have defaults, and flags win over the environment', () => {
    expect(parseOptions(OIDC, { SLIPWAY_CONSOLE_SESSION_HOURS: '2' })).toMatchObject({
      'external-url': 'https://console.example',
      listen: ':8080',
      'listen-metrics': ':8082',
      'listen-probes': ':8081',
      login: new Set(['oidc']),
      'oidc-username-claim': 'sub',
      'session-hours': 2,
      'read-only': false,
    });
    expect(parseOptions([...OIDC, '--read-only', 'true', '--oidc-extra', 'a/b=c, d=e'], {})).toMatchObject({
      'read-only': true,
      'oidc-extra': new Map([['a/b', 'c'], ['d', 'e']]), // prettier-ignore
    });
  });

  test.each([
    { because: 'the address is missing', args: OIDC.slice(2) },
    { because: 'the address has a path', args: [...OIDC, '--external-url', 'https://x/y'] },
    { because: 'the address has a user', args: [...OIDC, '--external-url', 'https://a@x'] },
    { because: 'the address is of no web page', args: [...OIDC, '--external-url', 'ftp://x'] },
    { because: 'the issuer is missing', args: OIDC.slice(0, 2) },
    { because: 'the issuer is reached without TLS', args: [...OIDC, '--oidc-issuer', 'http://i'] },
    { because: 'the way to log in is unknown', args: [...OIDC, '--login', 'oidc,password'] },
    { because: 'there is no way to log in', args: [...OIDC, '--login', ','] },
    { because: 'a proxy beside another way would let its clients name any user', args: [...OIDC, '--login', 'oidc,proxy'] }, // prettier-ignore
    { because: 'a proxy that proves nothing would let every client name any user', args: PROXY },
    { because: 'a proxy proves itself in one way', args: [...PROXY, '--proxy-secret-file', 'a', '--proxy-ca-file', 'b'] }, // prettier-ignore
    { because: 'a certificate of a proxy needs TLS', args: [...PROXY, '--proxy-ca-file', 'b', '--proxy-names', 'p'] },
    { because: 'any certificate of the authority would be the proxy', args: [...PROXY, '--proxy-ca-file', 'b', '--tls-cert-file', 'c', '--tls-key-file', 'k'] }, // prettier-ignore
    { because: 'a certificate needs its key', args: [...OIDC, '--tls-cert-file', 'c'] },
    { because: 'an extra is a pair', args: [...OIDC, '--oidc-extra', 'scope'] },
    { because: 'an unknown flag is a mistake', args: [...OIDC, '--colour', 'red'] },
  ])('are refused if $because', ({ args }) => {
    expect(() => parseOptions(args, {})).toThrow(expect.objectContaining({ reason: 'InvalidConfiguration' }));
  });

  test('are all in the help', () => {
    expect(describeOptions()).toContain('--proxy-names');
  });
});

describe('a proxy to the issuer', () => {
  test.each([
    {
      because: 'the address is complete',
      text: 'http://proxy.example:3128/',
      proxy: 'http://proxy.example:3128/',
      warnings: 0,
    },
    {
      because: 'the scheme may be missing',
      text: 'proxy.example:3128',
      proxy: 'http://proxy.example:3128/',
      warnings: 0,
    },
    {
      because: 'a cluster may set another one for all Pods',
      text: 'socks5://proxy.example',
      proxy: undefined,
      warnings: 1,
    },
    { because: 'an empty variable is none', text: '', proxy: undefined, warnings: 0 },
  ])('is that of HTTPS_PROXY if it can be used: $because', ({ text, proxy, warnings }) => {
    const options = parseOptions(OIDC, { HTTPS_PROXY: text });
    expect([options['https-proxy'], warningsOf(options)]).toEqual([
      proxy,
      expect.objectContaining({ length: warnings }),
    ]);
  });

  test('that a flag names has to be one', () => {
    const refused = expect.objectContaining({ reason: 'InvalidConfiguration' }) as Error;
    expect(() => parseOptions([...OIDC, '--https-proxy', 'socks5://x'], {})).toThrow(refused);
  });
});

describe('the connections of one address', () => {
  const TLS = ['--tls-cert-file', 'c', '--tls-key-file', 'k'];

  test.each([
    { because: 'browsers connect themselves', args: [...OIDC, ...TLS], most: 256 },
    { because: 'a quarter is rounded up', args: [...OIDC, ...TLS, '--max-connections', '3'], most: 1 },
    { because: 'what ends TLS is before the console, and has one address', args: OIDC, most: 1024 },
    { because: 'the proxy that logs people in has one address', args: [...PROXY, ...TLS, '--proxy-ca-file', 'b', '--proxy-names', 'p'], most: 1024 }, // prettier-ignore
    { because: 'the administrator knows better', args: [...OIDC, '--max-connections-per-address', '7'], most: 7 },
  ])('are bounded so that others have a share: $because', ({ args, most }) => {
    expect(connectionsPerAddress(parseOptions(args, {}))).toBe(most);
  });
});

test.each([
  { because: 'everyone on the way reads sessions', url: 'http://console.example', count: 1 },
  { because: 'a name that begins like this machine is another one', url: 'http://127.0.0.1.evil.example', count: 1 },
  { because: 'an address of a network is on a way', url: 'http://10.0.0.1:8080', count: 1 },
  { because: 'TLS protects them', url: 'https://console.example', count: 0 },
  { because: 'nothing leaves this machine', url: 'http://127.0.0.1:8080', count: 0 },
  { because: 'nothing leaves this machine by its name', url: 'http://localhost:8080', count: 0 },
  { because: 'nothing leaves this machine by IPv6', url: 'http://[::1]:8080', count: 0 },
])('an address without TLS is warned of: $because', ({ url, count }) => {
  expect(warningsOf(parseOptions([...OIDC, '--external-url', url], {}))).toHaveLength(count);
});
