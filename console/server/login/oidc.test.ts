/** Login by an issuer: only a browser that began it, with tokens that are meant for this console and this login. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchTrusting } from '../../../kube/kubeconfig/fetch-trusting.ts';
import { Browser } from '../testing/browser.ts';
import { startConsoleWorld, type ConsoleWorld } from '../testing/console-world.ts';
import { startLoginIssuer, type LoginIssuer } from '../testing/login-issuer.ts';
import { inClusterLogin } from './in-cluster.ts';
import { discoverIssuer } from './oidc.ts';
import { oidcClient } from './oidc-flow.ts';
import { OwnSession } from './own-session.ts';
import { ownKeys, Sessions } from './session.ts';

let issuer: LoginIssuer;
let world: ConsoleWorld;
beforeAll(async () => {
  issuer = await startLoginIssuer();
  const sessions = new Sessions({ keys: ownKeys(), seconds: 3600 });
  const cookie = { name: 'slipway-session', isSecure: false, sameSite: 'Strict' } as const;
  const oidc = oidcClient({
    sessions,
    isSecure: false,
    externalUrl: 'http://127.0.0.1:1',
    mapping: {
      issuer: issuer.url,
      usernameClaim: 'email',
      usernamePrefix: '',
      groupsClaim: 'groups',
      groupsPrefix: 'oidc:',
      uidClaim: 'sub',
      extra: new Map([['example.com/team', 'team']]),
    },
    issuer: () =>
      discoverIssuer({
        issuer: issuer.url,
        clientId: 'console',
        clientSecret: 'hush',
        scopes: ['openid', 'email'],
        fetch: fetchTrusting(issuer.ca),
      }),
  });
  const session = new OwnSession({ sessions, cookie, canLogOut: true });
  world = await startConsoleWorld({ login: inClusterLogin({ session, oidc }) });
});
afterAll(() => Promise.all([world[Symbol.asyncDispose](), issuer[Symbol.asyncDispose]()]));

const ANN = { email: 'ann@example.com', email_verified: true, groups: ['staff'], team: 'red' };

interface Attempt {
  readonly browser: Browser;
  /** Address at the issuer. */
  readonly sent: string;
  /** Path to which the issuer leads back. */
  readonly back: string;
}

async function begin(path = '/login/oidc'): Promise<Attempt> {
  issuer.claims = ANN;
  issuer.signing = 'own key';
  const browser = new Browser(world.address);
  const { headers } = await browser.send(path);
  const sent = String(headers['location']);
  const { pathname, search } = new URL(issuer.authorize(sent));
  return { browser, sent, back: `${pathname}${search}` };
}

describe('a login', () => {
  test('makes the claims the person, whom every request to the API server names', async () => {
    const { browser, back } = await begin('/login/oidc?back=/catalog?search=lamp');
    const { status, headers } = await browser.send(back);
    expect({ status, to: headers['location'] }).toEqual({ status: 303, to: '/catalog?search=lamp' });
    const session = JSON.parse((await browser.send('/api/session')).text) as object;
    expect(session).toMatchObject({ user: 'ann@example.com', groups: ['oidc:staff'], way: 'oidc', canLogOut: true });
    await browser.send('/api/view/names');
    expect(world.asked('ann@example.com').at(-1)?.headers).toMatchObject({
      'impersonate-user': 'ann@example.com',
      'impersonate-group': 'oidc:staff',
      'impersonate-uid': 'person',
      'impersonate-extra-example.com%2fteam': 'red',
    });
  });

  test('asks with state, nonce and a challenge of its own each time', async () => {
    const [one, other] = [await begin(), await begin()].map(({ sent }) => new URL(sent).searchParams);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(one?.get(name)).toMatch(/^[\w-]{43}$/);
      expect(one?.get(name)).not.toBe(other?.get(name));
    }
    expect(one?.get('code_challenge_method')).toBe('S256');
  });

  test('leaves no cookie of the login behind, and a new id of the session', async () => {
    const first = await begin();
    await first.browser.send(first.back);
    const before = first.browser.cookies.get('slipway-session');
    const { headers } = await first.browser.send('/login/oidc');
    const { pathname, search } = new URL(issuer.authorize(String(headers['location'])));
    await first.browser.send(`${pathname}${search}`);
    expect([...first.browser.cookies.keys()]).toEqual(['slipway-session']);
    expect(first.browser.cookies.get('slipway-session')).not.toBe(before);
    const old = await new Browser(world.address).send('/api/session', { headers: { cookie: `slipway-session=${before}` } }); // prettier-ignore
    expect(old.status).toBe(401);
  });

  test.each(['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '/api/act', '/login'])(
    'leads back to this console alone, and not to %s',
    async (to) => {
      const { browser, back } = await begin(`/login/oidc?back=${encodeURIComponent(to)}`);
      expect((await browser.send(back)).headers['location']).toBe('/');
    },
  );

  test('ends at the issuer too after logout', async () => {
    const { browser, back } = await begin();
    await browser.send(back);
    const { text } = await browser.act('/api/logout', {});
    expect((JSON.parse(text) as { readonly next: string }).next).toMatch(`${issuer.url}/logout?`);
    expect((await browser.send('/api/session')).status).toBe(401);
  });
});

const REFUSALS: readonly {
  readonly because: string;
  readonly change: (attempt: Attempt) => Partial<Attempt> | void;
}[] = [
  { because: 'another browser began the login', change: () => ({ browser: new Browser(world.address) }) },
  { because: 'the state is another one', change: ({ back }) => ({ back: back.replace(/state=[\w-]+/, 'state=x') }) },
  { because: 'the code was made up', change: ({ back }) => ({ back: back.replace(/code=[\w-]+/, 'code=x') }) },
  { because: 'the nonce is that of another login', change: () => void (issuer.claims = { ...ANN, nonce: 'x' }) },
  { because: 'the token is for another client', change: () => void (issuer.claims = { ...ANN, aud: 'other' }) },
  { because: 'the token is of another issuer', change: () => void (issuer.claims = { ...ANN, iss: 'https://x' }) },
  { because: 'the token has ended', change: () => void (issuer.claims = { ...ANN, exp: 1000 }) },
  { because: 'the token is signed by another key', change: () => void (issuer.signing = 'another key') },
  { because: 'the token is not signed', change: () => void (issuer.signing = 'not at all') },
  { because: 'the email is not verified', change: () => void (issuer.claims = { ...ANN, email_verified: false }) },
  { because: 'the claim is missing', change: () => void (issuer.claims = {}) },
  { because: 'the claim is no text', change: () => void (issuer.claims = { ...ANN, email: { toString: 'x' } }) },
  { because: 'the name has a line break', change: () => void (issuer.claims = { ...ANN, email: 'a\r\nImpersonate-Group: x' }) }, // prettier-ignore
  { because: 'the name is one of the cluster itself', change: () => void (issuer.claims = { ...ANN, email: 'system:admin' }) }, // prettier-ignore
  { because: 'the issuer refuses the person', change: () => ({ back: '/login/callback?error=access_denied&state=x' }) },
];

test.each(REFUSALS)('a login is refused, and opens no session, if $because', async ({ change }) => {
  const attempt = await begin();
  const { browser, back } = { ...attempt, ...change(attempt) };
  const { status, headers, text } = await browser.send(back);
  expect(status).toBe(403);
  expect(text).toContain('The login failed');
  expect(String(headers['set-cookie'] ?? '')).not.toMatch(/slipway-session=[^;]/);
  expect((await browser.send('/api/session')).status).toBe(401);
});

test('a code is good for one login', async () => {
  const { browser, back } = await begin();
  const cookies = new Map(browser.cookies);
  await browser.send(back);
  const second = new Browser(world.address);
  for (const [name, value] of cookies) second.cookies.set(name, value);
  expect((await second.send(back)).status).toBe(403);
});

test('groups of the cluster itself are refused even with a prefix that allows them', async () => {
  const { personOfClaims } = await import('./claims.ts');
  const mapping = { issuer: 'https://i', usernameClaim: 'sub', usernamePrefix: '-', groupsClaim: 'groups', groupsPrefix: '', uidClaim: '', extra: new Map<string, string>() }; // prettier-ignore
  expect(() => personOfClaims({ sub: 'ann', groups: ['system:masters'] }, mapping)).toThrow(
    expect.objectContaining({ reason: 'Forbidden' }),
  );
  expect(personOfClaims({ sub: 'ann', groups: 'staff' }, { ...mapping, usernamePrefix: '' })).toEqual({
    user: 'https://i#ann',
    groups: ['staff'],
  });
});
