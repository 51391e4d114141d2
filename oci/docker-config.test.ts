import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { ReasonedError } from '../api/errors.ts';
import { type Credential, parseDockerConfig } from './docker-config.ts';

const pair = (user: string): { auth: string } => ({ auth: Buffer.from(`${user}:secret`).toString('base64') });
const basic = (username: string): Credential => ({ kind: 'basic', username, password: 'secret' });
const config = (auths: Record<string, unknown>): string => JSON.stringify({ auths });

interface Case {
  readonly auths: Record<string, unknown>;
  readonly ask: readonly [registry: string, repository: string];
  readonly want: Credential | undefined;
  readonly because: string;
}

const CASES: readonly Case[] = [
  { auths: { 'quay.io': pair('u') }, ask: ['quay.io', 'org/app'], want: basic('u'), because: 'the host matches' },
  {
    auths: { 'quay.io': pair('u'), 'quay.io/org': pair('o'), 'quay.io/org/app': pair('a') },
    ask: ['quay.io', 'org/app'],
    want: basic('a'),
    because: 'the longest path wins',
  },
  {
    auths: { 'quay.io/org': pair('o'), 'quay.io': pair('u') },
    ask: ['quay.io', 'org/sub/app'],
    want: basic('o'),
    because: 'a prefix of whole parts matches',
  },
  {
    auths: { 'quay.io/org': pair('o') },
    ask: ['quay.io', 'organ/app'],
    want: undefined,
    because: 'half a part does not',
  },
  {
    auths: { 'quay.io:8443': pair('u') },
    ask: ['quay.io', 'a'],
    want: undefined,
    because: 'another port is another registry',
  },
  { auths: { 'Quay.IO:443': pair('u') }, ask: ['quay.io', 'a'], want: basic('u'), because: '443 is the port of https' },
  {
    auths: { '*.example.com:443/team': pair('u') },
    ask: ['eu.example.com', 'team/a'],
    want: basic('u'),
    because: 'that is so in a pattern too',
  },
  {
    auths: { 'https://index.docker.io/v1/': pair('u') },
    ask: ['docker.io', 'library/nginx'],
    want: basic('u'),
    because: 'the historical key means docker.io',
  },
  {
    auths: { 'index.docker.io': pair('u') },
    ask: ['docker.io', 'library/nginx'],
    want: basic('u'),
    because: 'the host of its index means docker.io too',
  },
  {
    auths: { 'https://quay.io/v2/': pair('u') },
    ask: ['quay.io', 'a'],
    want: basic('u'),
    because: 'scheme and version do not count',
  },
  { auths: { 'QUAY.IO': pair('u') }, ask: ['quay.io', 'a'], want: basic('u'), because: 'host names have no case' },
  {
    auths: { '*.example.com': pair('u') },
    ask: ['reg.example.com', 'a'],
    want: basic('u'),
    because: 'a star is one label',
  },
  {
    auths: { '*.example.com': pair('u') },
    ask: ['a.b.example.com', 'a'],
    want: undefined,
    because: 'a star is not two labels',
  },
  {
    auths: { 'q.io': { username: 'n', password: 'secret' } },
    ask: ['q.io', 'a'],
    want: basic('n'),
    because: 'user and password may stand alone',
  },
  {
    auths: { 'q.io': { ...pair('x'), username: 'n', password: 'p' } },
    ask: ['q.io', 'a'],
    want: basic('x'),
    because: 'auth has precedence over user and password',
  },
  {
    auths: { 'q.io': { ...pair('x'), identitytoken: 't' } },
    ask: ['q.io', 'a'],
    want: { kind: 'identityToken', token: 't' },
    because: 'an identity token is the stronger proof',
  },
  {
    auths: { 'q.io': { auth: Buffer.from('<token>:t').toString('base64') } },
    ask: ['q.io', 'a'],
    want: { kind: 'identityToken', token: 't' },
    because: 'this user name says that the password is one',
  },
  {
    auths: { 'q.io': { registrytoken: 'r' } },
    ask: ['q.io', 'a'],
    want: { kind: 'registryToken', token: 'r' },
    because: 'a registry token is sent as it is',
  },
  {
    auths: { 'q.io': { auth: Buffer.from('u:secret\0\0').toString('base64') } },
    ask: ['q.io', 'a'],
    want: basic('u'),
    because: 'padding by some tools is dropped',
  },
  { auths: { 'q.io': {} }, ask: ['q.io', 'a'], want: undefined, because: 'an empty entry is left by a logout' },
  {
    auths: { 'q.io': { auth: Buffer.from('u:a:b').toString('base64') } },
    ask: ['q.io', 'a'],
    want: { kind: 'basic', username: 'u', password: 'a:b' },
    because: 'a password may have colons',
  },
  { auths: {}, ask: ['q.io', 'a'], want: undefined, because: 'no entry means anonymous' },
  {
    auths: { constructor: pair('u') },
    ask: ['toString', 'a'],
    want: undefined,
    because: 'names of prototypes are not found',
  },
];

describe('a pull secret', () => {
  test.each(CASES)('$because', ({ auths, ask, want }) => {
    expect(parseDockerConfig(config(auths))(ask[0], ask[1])).toEqual(want);
  });

  test('the older form has its entries at the top', () => {
    expect(parseDockerConfig(JSON.stringify({ 'quay.io': pair('u') }))('quay.io', 'a')).toEqual(basic('u'));
  });

  test('settings beside the entries do not matter', () => {
    const content = JSON.stringify({
      auths: { 'q.io': pair('u') },
      credHelpers: { 'gcr.io': 'gcloud' },
      credsStore: 'x',
      HttpHeaders: {},
    });
    expect(parseDockerConfig(Buffer.from(content))('q.io', 'a')).toEqual(basic('u'));
  });

  test.each([
    { content: 'no json', because: 'it is no JSON' },
    { content: '[]', because: 'it is a list' },
    { content: 'null', because: 'it is null' },
    { content: '{"auths":[]}', because: 'the entries are a list' },
    { content: '{"auths":{"q.io":"x"}}', because: 'an entry is a text' },
    { content: '{"auths":{"q.io":{"auth":5}}}', because: 'an auth is a number' },
    { content: config({ 'q.io': { auth: 'bm9jb2xvbg==' } }), because: 'an auth has no password' },
    { content: ' '.repeat((1 << 20) + 1), because: 'it is too large' },
  ])('a pull secret is PullSecretInvalid when $because', ({ content }) => {
    expect(() => parseDockerConfig(content)).toThrow(
      expect.objectContaining({ reason: 'PullSecretInvalid', retry: 'backoff' }),
    );
  });

  test('an error never shows the secret', () => {
    const secret = Buffer.from('topsecret').toString('base64');
    try {
      parseDockerConfig(config({ 'q.io': { auth: secret } }));
      expect.unreachable();
    } catch (error) {
      expect((error as ReasonedError).describe()).not.toMatch(/topsecret|dG9wc2Vj/);
    }
  });

  test('any content is read or refused with its reason', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (content) => {
        try {
          parseDockerConfig(content)('quay.io', 'a/b');
        } catch (error) {
          expect(error).toMatchObject({ reason: 'PullSecretInvalid' });
        }
      }),
      { numRuns: runsOf(1000) },
    );
  });
});
