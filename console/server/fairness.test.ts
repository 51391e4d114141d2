/** One person who asks for everything at once does not keep others out, on any route that computes or reads. */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../kube/testing/eventually.ts';
import type { View } from '../data/view.ts';
import { PersonRights } from './rights.ts';
import { Browser } from './testing/browser.ts';
import { startConsoleWorld, type ConsoleWorld } from './testing/console-world.ts';

const SLOW: View<object> = {
  path: '/slow',
  query: ['n'],
  reads: [],
  ask: () => ({ versions: true }),
  show: () => ({}),
};

let world: ConsoleWorld;
let release: PromiseWithResolvers<void>;
const running: string[] = [];
const work = async (user: string): Promise<void> => {
  running.push(user);
  await release.promise;
};
beforeEach(async () => {
  release = Promise.withResolvers();
  running.length = 0;
  world = await startConsoleWorld({
    views: [SLOW],
    carryOut: async ({ user }) => work(user).then(() => ({})),
    icon: async ({ user }) => work(user).then(() => undefined),
  });
});
afterEach(async () => {
  release.resolve();
  await world[Symbol.asyncDispose]();
});

const count = (user: string): number => running.filter((one) => one === user).length;

describe.each([
  { because: 'views that are asked for once', path: (n: number) => `/api/view/slow?n=${n}` },
  { because: 'icons', path: (n: number) => `/api/icon/team/p${n}` },
])('a person who asks for 300 $because', ({ path }) => {
  test('has eight at a time, and is refused beyond those that may wait; another one is served', async () => {
    const [ann, bob] = await Promise.all(['ann', 'bob'].map((user) => world.cookieOf(user)));
    const statuses: number[] = [];
    const all = Array.from({ length: 300 }, async (_, n) => {
      const answer = await fetch(`${world.address}${path(n)}`, { headers: { cookie: ann ?? '' } }).catch(
        () => undefined,
      );
      if (answer !== undefined) statuses.push(answer.status);
    });
    await eventually(() => statuses.length === 300 - 8 - 256);
    expect(new Set(statuses)).toEqual(new Set([429]));
    const other = fetch(`${world.address}${path(0)}`, { headers: { cookie: bob ?? '' } });
    await eventually(() => count('bob') === 1);
    expect(count('ann')).toBe(8);
    release.resolve();
    await Promise.all([...all, other]);
    expect(count('ann')).toBe(264);
  });
});

describe('a person who reads no answer', () => {
  const LARGE: View<object> = {
    path: '/large',
    query: ['n'],
    reads: [],
    show: () => ({ text: (running.push('large'), BYTES) }),
  };
  const BYTES = 'x'.repeat(16 << 20);

  test.each([
    { because: 'each on a connection of its own', sockets: 12, requests: 1 },
    { because: 'all on one connection', sockets: 1, requests: 12 },
  ])('has eight of them in memory, and room again without them: $because', async ({ sockets, requests }) => {
    await using large = await startConsoleWorld({ views: [LARGE] });
    const cookie = await large.cookieOf('ann');
    const request = `GET /api/view/large HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\n\r\n`;
    const open = Array.from({ length: sockets }, () => {
      const socket = connect({ port: Number(new URL(large.address).port), host: '127.0.0.1' }).pause();
      socket.on('error', () => undefined).write(request.repeat(requests));
      return socket;
    });
    await eventually(() => running.length === 8);
    const small = await fetch(`${large.address}/api/session`, { headers: { cookie } });
    expect({ status: small.status, computed: running.length }).toEqual({ status: 200, computed: 8 });
    for (const socket of open) socket.destroy();
    const after = await fetch(`${large.address}/api/view/large`, { headers: { cookie } });
    expect((await after.text()).length).toBeGreaterThan(BYTES.length);
  });
});

test('a person has four acts carried out at a time and 32 that wait, and another one does not wait for them', async () => {
  await using acting = await startConsoleWorld({ act: async ({ user }) => work(user).then(() => 'Done') });
  const browserOf = async (user: string): Promise<Browser> => {
    const browser = new Browser(acting.address);
    browser.cookies.set('slipway-session', (await acting.cookieOf(user)).split('=', 2)[1] ?? '');
    return browser;
  };
  const [ann, bob] = [await browserOf('ann'), await browserOf('bob')];
  const act = (browser: Browser) =>
    browser.act('/api/act', { action: { kind: 'suspend', namespace: 'ops', name: 'gadget' } });
  const statuses: number[] = [];
  const all = Array.from({ length: 40 }, async () => statuses.push((await act(ann)).status));
  await eventually(() => statuses.length === 40 - 4 - 32);
  expect(new Set(statuses)).toEqual(new Set([429]));
  const other = act(bob);
  await eventually(() => count('bob') === 1);
  expect(count('ann')).toBe(4);
  release.resolve();
  await Promise.all([...all, other]);
  expect(count('ann')).toBe(36);
});

test('a person with 20 open views has eight computed at a time', async () => {
  const cookie = await world.cookieOf('ann');
  const over = new AbortController();
  const open = (n: number): Promise<Response> => fetch(`${world.address}/api/live/slow?n=${n}`, { headers: { cookie }, signal: over.signal }); // prettier-ignore
  await Promise.all(Array.from({ length: 20 }, (_, n) => open(n)));
  await eventually(() => count('ann') >= 8);
  expect({ running: count('ann'), open: world.hub.counts.views }).toEqual({ running: 8, open: 20 });
  release.resolve();
  await eventually(() => count('ann') === 20);
  over.abort();
});

describe('reviews of rights', () => {
  const access = (name: string) => ({ verb: 'get', group: '', resource: 'pods', name });

  test('of one person leave room for those of another', async () => {
    const blocked = Promise.withResolvers<boolean>();
    const asked = { ann: 0, bob: 0 };
    const rights = new PersonRights({
      actAs: ({ user }) => ({
        allows: () => {
          asked[user as 'ann' | 'bob'] += 1;
          return user === 'ann' ? blocked.promise : Promise.resolve(true);
        },
      }),
    });
    const ann = Array.from({ length: 1000 }, (_, at) => rights.may({ user: 'ann', groups: [] }, access(`${at}`)));
    expect(await rights.may({ user: 'bob', groups: [] }, access('x'))).toBe(true);
    expect(asked.ann).toBeLessThan(16);
    blocked.resolve(true);
    await Promise.all(ann);
  });

  test('of one person do not evict those of another', async () => {
    const asked: string[] = [];
    const rights = new PersonRights({
      actAs: ({ user }) => ({
        allows: async () => {
          asked.push(user);
          return true;
        },
      }),
      mostRemembered: 100,
    });
    await rights.may({ user: 'bob', groups: [] }, access('x'));
    for (let at = 0; at < 500; at++) await rights.may({ user: 'ann', groups: [] }, access(`${at}`));
    await rights.may({ user: 'bob', groups: [] }, access('x'));
    expect(asked.filter((user) => user === 'bob')).toHaveLength(1);
    await rights.may({ user: 'ann', groups: [] }, access('499'));
    expect(asked.filter((user) => user === 'ann')).toHaveLength(500);
  });
});
