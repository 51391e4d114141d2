/** Login by a token that is pasted: the API server says whose it is, again and again. */
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createManualClock } from '../../../kube/testing/manual-clock.ts';
import { eventually } from '../../../kube/testing/eventually.ts';
import { Browser } from '../testing/browser.ts';
import { startConsoleWorld, type ConsoleWorld } from '../testing/console-world.ts';
import { listen } from '../testing/event-source.ts';
import { inClusterLogin } from './in-cluster.ts';
import { OwnSession } from './own-session.ts';
import { ownKeys, Sessions } from './session.ts';
import { TokenReviews } from './token-review.ts';

const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'));
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

function ownSession(): OwnSession {
  const sessions = new Sessions({ keys: ownKeys(), seconds: 3600 });
  const cookie = { name: 'slipway-session', isSecure: false, sameSite: 'Strict' } as const;
  return new OwnSession({ sessions, cookie, canLogOut: true });
}

let world: ConsoleWorld;
beforeAll(async () => {
  const tokens = new TokenReviews({ transport, clock });
  const login = inClusterLogin({ session: ownSession(), tokens });
  world = await startConsoleWorld({ login, streams: { heartbeatSeconds: 0.02 } });
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
  { address }: Pick<ConsoleWorld, 'address'> = world,
) {
  const browser = new Browser(address);
  const answer = await browser.send('/login/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: address, ...headers },
    body: new URLSearchParams({ token }).toString(),
  });
  return { browser, ...answer };
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

  test.each([
    { because: 'it left a group', user: { ...ACCOUNT, groups: ['system:authenticated'] } },
    { because: 'another account has its name', user: { ...ACCOUNT, uid: '8' } },
    { because: 'its name changed', user: { ...ACCOUNT, username: 'system:serviceaccount:red:other' } },
  ])('ends its streams when its person is no longer the same: $because', async ({ user }) => {
    server.users.set('changing.token', ACCOUNT);
    const { browser } = await paste('changing.token');
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    using stream = await listen(`${world.address}/api/live/names`, { cookie });
    await stream.until(({ event }) => event === 'view');
    server.users.set('changing.token', user);
    clock.advance(31);
    await eventually(() => stream.ended);
  });

  test.each([
    { because: 'a long token is named as such', token: 'x'.repeat(7000), says: 'the token is too long' },
    { because: 'one that fits opens a session', token: 'x'.repeat(4000), says: '' },
  ])('may be of any length that a session can hold: $because', async ({ token, says }) => {
    server.users.set(token, ACCOUNT);
    const { text } = await paste(token);
    expect(text).toContain(says);
    expect(text).not.toContain('groups');
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

describe('reviews', () => {
  /** A transport whose answers a test gives; `asked` has the tokens in the order of their requests. */
  function held() {
    const answers: PromiseWithResolvers<unknown>[] = [];
    const asked: string[] = [];
    const reviews = new TokenReviews({
      clock,
      transport: {
        async request({ body }) {
          asked.push((JSON.parse(String(body)) as { readonly spec: { readonly token: string } }).spec.token);
          const answer = Promise.withResolvers<unknown>();
          answers.push(answer);
          const text = JSON.stringify({ status: await answer.promise });
          return { status: 201, headers: {}, body: Buffer.from(text), text: () => text };
        },
      },
    });
    const answerAll = async (status: object): Promise<void> => {
      for (let at = 0; at < answers.length; at++) {
        answers[at]?.resolve(status);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return { reviews, asked, answers, answerAll };
  }

  const HERE = '192.0.2.1';
  const ACCEPTED = { authenticated: true, user: { username: 'ann' } };
  const userOf = (found: Awaited<ReturnType<TokenReviews['admit']>>): string | undefined =>
    typeof found === 'string' ? found : found?.user;

  test('of one token at the same time are one, for 24 requests of a session', async () => {
    const { reviews, asked, answerAll } = held();
    const persons = Array.from({ length: 24 }, () => reviews.personOf('a'));
    await answerAll(ACCEPTED);
    expect(new Set((await Promise.all(persons)).map((person) => person?.user))).toEqual(new Set(['ann']));
    expect(asked).toEqual(['a']);
  });

  test('of one token that is pasted several times at once are one', async () => {
    const { reviews, asked, answerAll } = held();
    const persons = Array.from({ length: 24 }, () => reviews.admit('a', HERE));
    await answerAll(ACCEPTED);
    expect((await Promise.all(persons)).map(userOf)).toEqual(Array.from({ length: 24 }, () => 'ann'));
    expect(asked).toEqual(['a']);
  });

  test('of many sessions wait for each other, and each is answered', async () => {
    const { reviews, asked, answerAll } = held();
    const persons = Array.from({ length: 40 }, (_, at) => reviews.personOf(`t${at}`));
    expect(asked).toHaveLength(8);
    await answerAll(ACCEPTED);
    expect((await Promise.all(persons)).every((person) => person?.user === 'ann')).toBe(true);
  });

  test('of tokens that are made up hold no session back, and remove none', async () => {
    const { reviews, asked, answerAll, answers } = held();
    const session = reviews.personOf('good');
    await answerAll(ACCEPTED);
    await session;
    for (let round = 0; round < 200; round++) {
      const [from, junk] = [answers.length, [0, 1].map((at) => reviews.admit(`junk-${round}-${at}`, HERE))];
      const other = reviews.personOf(`other-${round}`);
      expect(asked.at(-1)).toBe(`other-${round}`);
      for (const answer of answers.slice(from)) answer.resolve({ authenticated: false });
      await Promise.all([...junk, other]);
    }
    const before = asked.length;
    expect((await reviews.personOf('good'))?.user).toBe('ann');
    expect(asked).toHaveLength(before);
  });

  test('of one address are two at a time and 16 that wait, and do not hold up a login from another one', async () => {
    const { reviews, asked, answerAll } = held();
    const junk = Array.from({ length: 18 }, (_, at) => reviews.admit(`junk-${at}`, HERE));
    expect(await reviews.admit('one-more', HERE)).toBe('holder');
    expect(asked).toEqual(['junk-0', 'junk-1']);
    const other = reviews.admit('good', '192.0.2.2');
    expect(asked.at(-1)).toBe('good');
    await answerAll(ACCEPTED);
    expect(userOf(await other)).toBe('ann');
    expect((await Promise.all(junk)).every((person) => userOf(person) === 'ann')).toBe(true);
  });

  test('of many addresses are eight at a time', async () => {
    const { reviews, asked, answerAll } = held();
    const all = Array.from({ length: 12 }, (_, at) => reviews.admit(`t${at}`, `192.0.2.${at}`));
    expect(asked).toHaveLength(8);
    await answerAll(ACCEPTED);
    expect((await Promise.all(all)).every((person) => userOf(person) === 'ann')).toBe(true);
  });

  test('of many addresses are 256 that wait, and there is room again afterwards', async () => {
    const { reviews, answerAll } = held();
    const all = Array.from({ length: 300 }, (_, at) => reviews.admit(`t${at}`, `192.0.${at}.1`));
    await answerAll(ACCEPTED);
    const users = (await Promise.all(all)).map(userOf);
    expect(users).toEqual(Array.from({ length: 300 }, (_, at) => (at < 264 ? 'ann' : 'all')));
    const later = reviews.admit('later', HERE);
    await answerAll(ACCEPTED);
    expect(userOf(await later)).toBe('ann');
  });

  test.each([
    { because: 'of one address', addresses: 1, status: 429 },
    { because: 'of all addresses', addresses: 300, status: 503 },
  ])('that are too many $because are refused with a sentence and a time', async ({ addresses, status }) => {
    const { reviews, answerAll } = held();
    const from = (at: number): string => (addresses === 1 ? '127.0.0.1' : `192.0.${at}.1`);
    const flood = Array.from({ length: 300 }, (_, at) => reviews.admit(`junk-${at}`, from(at)));
    const full: string[] = [];
    const login = inClusterLogin({ session: ownSession(), tokens: reviews, onFull: (why) => full.push(why) });
    await using busy = await startConsoleWorld({ login });
    const answer = await paste('good', {}, busy);
    expect(answer).toMatchObject({ status, text: expect.stringContaining('Try again in some seconds') as string });
    expect({ after: answer.headers['retry-after'], full }).toEqual({
      after: '5',
      full: [addresses === 1 ? 'holder' : 'all'],
    });
    await answerAll({ authenticated: false });
    await Promise.all(flood);
  });

  test.skipIf(!hasIPv6)(
    'of an address of IPv4 are of the same client if the console listens at both families',
    async () => {
      const { reviews, answerAll } = held();
      const flood = Array.from({ length: 18 }, (_, at) => reviews.admit(`junk-${at}`, '127.0.0.1'));
      const login = inClusterLogin({ session: ownSession(), tokens: reviews });
      await using both = await startConsoleWorld({ login, listen: '::' });
      expect(await paste('good', {}, both)).toMatchObject({ status: 429 });
      await answerAll({ authenticated: false });
      await Promise.all(flood);
    },
  );

  test('that failed are made again, for a login and for a session', async () => {
    const { reviews, asked, answers } = held();
    for (const ask of [() => reviews.admit('a', HERE), () => reviews.personOf('a')]) {
      const failed = ask();
      answers.at(-1)?.reject(new Error('away'));
      await expect(failed).rejects.toThrow('away');
      const again = ask();
      answers.at(-1)?.resolve({ authenticated: false });
      expect(await again).toBeUndefined();
    }
    expect(asked).toEqual(['a', 'a', 'a', 'a']);
  });
});
