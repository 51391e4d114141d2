import { describe, expect, test } from 'vitest';
import { describeOptions, parseOptions } from './options.ts';

const OIDC = ['--external-url', 'https://console.example', '--oidc-issuer', 'https://i', '--oidc-client-id', 'c'];
const PROXY = ['--external-url', 'https://console.example', '--login', 'proxy'];

describe('the options of the console', () => {
  test('have defaults, and flags win over the environment', () => {
    expect(parseOptions(OIDC, { SLIPWAY_CONSOLE_SESSION_HOURS: '2' })).toMatchObject({
      'external-url': 'https://console.example',
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
