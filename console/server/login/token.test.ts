/** Login by a token that is pasted: the API server says whose it is, again and again. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createManualClock } from '../../../kube/testing/manual-clock.ts';
import { Browser } from '../testing/browser.ts';
import { startConsoleWorld, type ConsoleWorld } from '../testing/console-world.ts';
import { inClusterLogin } from './in-cluster.ts';
import { OwnSession } from './own-session.ts';
import { ownKeys, Sessions } from './session.ts';
import { TokenReviews } from './token-review.ts';

const clock = createManualClock();
const server = {
  /** By token: the user that the API server reports. */
  users: new Map<string, object>(),
  reviews: 0,
};
const transport = {
  async request({ body }: { readonly body?: string | Buffer }) {
    server.reviews += 1;
    const { spec } = JSON.parse(String(body)) as { readonly spec: { readonly token: string } };
    const user = server.users.get(spec.token);
    const text = JSON.stringify({ status: user === undefined ? { authenticated: false } : { authenticated: true, user } }); // prettier-ignore
    return { status: 201, headers: {}, body: Buffer.from(text), text: () => text };
  },
};

let world: ConsoleWorld;
beforeAll(async () => {
  const sessions = new Sessions({ keys: ownKeys(), seconds: 3600 });
  const cookie = { name: 'slipway-session', isSecure: false, sameSite: 'Strict' } as const;
  const session = new OwnSession({ sessions, cookie, canLogOut: true });
  const tokens = new TokenReviews({ transport, clock });
  world = await startConsoleWorld({ login: inClusterLogin({ session, tokens }) });
});
afterAll(() => world[Symbol.asyncDispose]());

const ACCOUNT = {
  username: 'system:serviceaccount:red:robot',
  uid: '7',
  groups: ['system:serviceaccounts', 'system:authenticated'],
  extra: { 'authentication.kubernetes.io/credential-id': ['JTI=1'] },
};

async function paste(
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ browser: Browser; status: number }> {
  // prettier-ignore
  const browser = new Browser(world.address);
  const { status } = await browser.send('/login/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: world.address, ...headers },
    body: new URLSearchParams({ token }).toString(),
  });
  return { browser, status };
}

describe('a token', () => {
  test('makes its user the person, exactly as the API server reports', async () => {
    server.users.set('good.token', ACCOUNT);
    const { browser, status } = await paste('good.token');
    expect(status).toBe(303);
    expect(JSON.parse((await browser.send('/api/session')).text)).toMatchObject({ user: ACCOUNT.username, way: 'token' }); // prettier-ignore
    await browser.send('/api/view/names');
    expect(world.asked(ACCOUNT.username).at(-1)?.headers).toMatchObject({
      'impersonate-uid': '7',
      'impersonate-group': 'system:serviceaccounts, system:authenticated',
      'impersonate-extra-authentication.kubernetes.io%2fcredential-id': 'JTI=1',
    });
  });

  test('that is revoked ends its session', async () => {
    server.users.set('short.token', ACCOUNT);
    const { browser } = await paste('short.token');
    expect((await browser.send('/api/session')).status).toBe(200);
    server.users.delete('short.token');
    clock.advance(31);
    expect((await browser.send('/api/session')).status).toBe(401);
  });

  test.each([
    { because: 'the API server does not accept it', token: 'bad.token' },
    { because: 'it is empty', token: '' },
    { because: 'it has a line break', token: 'good.token\r\nx: y' },
    { because: 'it is longer than any token', token: 'x'.repeat(9000) },
  ])('opens nothing if $because', async ({ token }) => {
    const { browser, status } = await paste(token);
    expect(status).toBe(403);
    expect(browser.cookies.size).toBe(0);
  });

  test('that another site sends opens nothing: its person would act as another', async () => {
    const { browser, status } = await paste('good.token', { origin: 'https://evil.example' });
    expect({ status, cookies: browser.cookies.size }).toEqual({ status: 403, cookies: 0 });
  });

  test('is reviewed once for many requests', async () => {
    server.users.set('many.token', ACCOUNT);
    const { browser } = await paste('many.token');
    const before = server.reviews;
    for (let n = 0; n < 5; n++) await browser.send('/api/session');
    expect(server.reviews).toBe(before);
  });
});

test('the page of the login has a policy for its form, and no script', async () => {
  const { text, headers } = await new Browser(world.address).send('/login?back=/x"><script>');
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*form-action 'self'/);
  expect(text).not.toContain('<script');
  expect(text).toContain('action="/login/token"');
});
