/** Sessions of the ways in with a page, whatever became of the issuer and of the cookies since they began. */
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../../api/errors.ts';
import { eventually } from '../../../kube/testing/eventually.ts';
import { Browser } from '../testing/browser.ts';
import { startConsoleWorld, type ConsoleWorld } from '../testing/console-world.ts';
import type { Person } from '../person.ts';
import { inClusterLogin, type InClusterLoginOptions } from './in-cluster.ts';
import type { OidcClient } from './oidc-flow.ts';
import { OwnSession } from './own-session.ts';
import { ownKeys, Sessions } from './session.ts';
import { TokenReviews } from './token-review.ts';

/** An issuer that sends back the person whom a test names. */
function issuerOf(person: () => Person, endAddress: OidcClient['endAddress'] = async () => undefined): OidcClient {
  return {
    begin: async (context) => context.redirect('/', 303),
    finish: async () => ({ person: person(), back: '/' }),
    endAddress,
  };
}

const keys = ownKeys();

function consoleWith(ways: Omit<InClusterLoginOptions, 'session'>): Promise<ConsoleWorld> {
  const cookie = { name: 'slipway-session', isSecure: false, sameSite: 'Strict' } as const;
  const session = new OwnSession({ sessions: new Sessions({ keys, seconds: 3600 }), cookie, canLogOut: true });
  return startConsoleWorld({ login: inClusterLogin({ session, ...ways }) });
}

test('answers of an issuer are 16 at a time of one address, and those beyond 128 that wait are refused', async () => {
  const release = Promise.withResolvers<void>();
  let [asked, refused] = [0, 0];
  const oidc: OidcClient = {
    ...issuerOf(() => SMALL),
    finish: async () => {
      asked += 1;
      await release.promise;
      return { person: SMALL, back: '/' };
    },
  };
  await using world = await consoleWith({ oidc, onFull: () => (refused += 1) });
  const all = Array.from({ length: 150 }, () => new Browser(world.address).send('/login/callback?code=1'));
  await eventually(() => refused === 150 - 16 - 128);
  expect(asked).toBe(16);
  release.resolve();
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(6);
  expect(statuses.filter((status) => status === 303)).toHaveLength(144);
});

const SMALL = { user: 'ann', groups: ['staff'] };
const LARGE = { user: 'ann', groups: Array.from({ length: 100 }, (_, at) => `group-${at}-${'x'.repeat(25)}`) };

describe('a login', () => {
  test.each([
    { because: 'a part of the old session is no longer used', before: LARGE, after: SMALL },
    { because: 'a part is used for the first time', before: SMALL, after: LARGE },
    { because: 'each part is replaced', before: LARGE, after: { ...LARGE, user: 'bob' } },
  ])('replaces a session whose cookies another site has held back: $because', async ({ before, after }) => {
    let person: Person = before;
    await using world = await consoleWith({ oidc: issuerOf(() => person) });
    const browser = new Browser(world.address);
    await browser.send('/login/callback?code=1');
    person = after;
    // The issuer leads back: strict cookies stay in the browser.
    await browser.send('/login/callback?code=2', { headers: { cookie: '' } });
    const { status, text } = await browser.send('/api/session');
    expect({ status, session: JSON.parse(text) as unknown }).toMatchObject({ status: 200, session: after });
  });

  test.each([
    { because: 'of its groups', person: { user: 'ann', groups: Array.from({ length: 190 }, (_, at) => `group-${at}-${'x'.repeat(40)}`) }, says: '190 groups' }, // prettier-ignore
    { because: 'of its extra fields', person: { user: 'ann', groups: ['a'], extra: { team: Array.from({ length: 40 }, () => 'x'.repeat(300)) } }, says: 'extra fields' }, // prettier-ignore
  ])('names the part of a person that no session can hold: $because', async ({ person, says }) => {
    await using world = await consoleWith({ oidc: issuerOf(() => person) });
    const { status, text } = await new Browser(world.address).send('/login/callback?code=1');
    expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining(says) as string });
  });
});

describe('a logout ends the session in the browser too', () => {
  const away = new ReasonedError({ reason: 'CredentialsUnavailable', retry: 'backoff', message: 'the issuer does not answer' }); // prettier-ignore

  test.each([
    { because: 'the issuer ends its own', endAddress: async () => 'https://i.example/end', next: 'https://i.example/end' }, // prettier-ignore
    { because: 'the issuer has no such address', endAddress: async () => undefined, next: '/login' },
    { because: 'the issuer is away', endAddress: () => Promise.reject(away), next: '/login' },
    { because: 'the answer of the issuer is a defect', endAddress: () => Promise.reject(new TypeError('x')), next: '/login' }, // prettier-ignore
  ])('if $because', async ({ endAddress, next }) => {
    await using world = await consoleWith({ oidc: issuerOf(() => LARGE, endAddress) });
    const browser = new Browser(world.address);
    await browser.send('/login/callback?code=1');
    const { status, text } = await browser.act('/api/logout', {});
    expect({ status, body: JSON.parse(text) as unknown, cookies: browser.cookies.size }).toEqual({ status: 200, body: { next }, cookies: 0 }); // prettier-ignore
  });
});

test('a session of an issuer ends when people may no longer log in by one', async () => {
  const oidc = issuerOf(() => SMALL);
  const transport = { request: () => Promise.reject(new Error('no token is reviewed')) };
  await using before = await consoleWith({ oidc });
  const browser = new Browser(before.address);
  await browser.send('/login/callback?code=1');
  const headers = { cookie: `slipway-session=${browser.cookies.get('slipway-session')}` };
  await using still = await consoleWith({ oidc });
  await using after = await consoleWith({ tokens: new TokenReviews({ transport }) });
  const [first, second] = [still, after].map(({ address }) => new Browser(address).send('/api/session', { headers }));
  expect([(await first)?.status, (await second)?.status]).toEqual([200, 401]);
});
