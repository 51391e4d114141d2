import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { silentLog } from '../../kube/log.ts';
import { createManualClock } from '../../kube/testing/manual-clock.ts';
import type { ApiRequest } from '../../kube/transport/api-request.ts';
import type { Transport } from '../../kube/transport/transport.ts';
import { CATALOG_AUDIENCE, createCatalogAccess, type Authorize } from './catalog-access.ts';

interface Answers {
  readonly token?: object;
  readonly access?: object;
}

const GOOD: Answers = {
  token: { authenticated: true, audiences: [CATALOG_AUDIENCE], user: { username: 'ann', groups: ['g'] } },
  access: { allowed: true },
};

interface Review {
  readonly kind: string;
  readonly spec: object;
}

/** An API server that gives these answers, and records the requests. */
function scene(answers: Answers | Error = GOOD) {
  const asked: Review[] = [];
  const clock = createManualClock();
  const state = { answers, hold: Promise.resolve() as Promise<unknown> };
  const request = (async ({ body }: ApiRequest) => {
    const review = JSON.parse(String(body)) as Review;
    asked.push(review);
    await state.hold;
    if (state.answers instanceof Error) throw state.answers;
    const status = review.kind === 'TokenReview' ? state.answers.token : state.answers.access;
    return { text: () => JSON.stringify({ ...review, status }) };
  }) as unknown as Transport['request'];
  return { asked, clock, state, authorize: createCatalogAccess({ transport: { request }, log: silentLog, clock }) };
}

/** The same, which answers nothing until `release` is called. */
function heldScene() {
  const made = scene();
  const hold = Promise.withResolvers<void>();
  made.state.hold = hold.promise;
  return { ...made, release: hold.resolve };
}

const HERE = '192.0.2.1';

function ask(authorize: Authorize, authorization = 'Bearer a.b.c', catalog = 'hub', remoteAddress = HERE) {
  return authorize({ headers: { authorization }, socket: { remoteAddress } } as IncomingMessage, catalog);
}

test.each([
  { because: 'the token is good and its user may', answers: GOOD, code: undefined },
  { because: 'the token is not', answers: { token: { authenticated: false } }, code: 401 },
  {
    because: 'the token was made for another audience, which the API server does not distinguish',
    answers: { ...GOOD, token: { authenticated: true, user: { username: 'ann' } } },
    code: 401,
  },
  { because: 'its user may not', answers: { ...GOOD, access: { allowed: false } }, code: 403 },
  { because: 'there is no answer about rights', answers: { token: GOOD.token! }, code: 403 },
  { because: 'the API server cannot be asked', answers: new Error('refused'), code: 503 },
])('gives $code: $because', async ({ answers, code }) => {
  expect(await ask(scene(answers).authorize)).toBe(code);
});

test('asks about this user, this catalog, and the audience of catalogs', async () => {
  const { asked, authorize } = scene();
  await ask(authorize);
  expect(asked.map(({ spec }) => spec)).toEqual([
    { token: 'a.b.c', audiences: [CATALOG_AUDIENCE] },
    {
      user: 'ann',
      groups: ['g'],
      resourceAttributes: { group: 'slipway.dev', resource: 'catalogs', verb: 'get', name: 'hub' },
    },
  ]);
});

test.each([
  { because: 'there is none', header: '' },
  { because: 'it is a password', header: 'Basic dTpw' },
  { because: 'it is no token', header: 'Bearer a b' },
  { because: 'it is too long', header: `Bearer ${'a'.repeat(9000)}` },
])('sends no review for a header that cannot hold a token: $because', async ({ header }) => {
  const { asked, authorize } = scene();
  expect(await ask(authorize, header)).toBe(401);
  expect(asked).toEqual([]);
});

test('asks once for the same token and catalog, again after a while, and at once for another catalog', async () => {
  const { asked, clock, state, authorize } = scene();
  await Promise.all([ask(authorize), ask(authorize)]);
  await ask(authorize);
  expect(asked).toHaveLength(2);
  await ask(authorize, 'Bearer a.b.c', 'other');
  expect(asked).toHaveLength(4);
  state.answers = { token: { authenticated: false } };
  clock.advance(31);
  expect(await ask(authorize), 'a token that was revoked').toBe(401);
  state.answers = GOOD;
  clock.advance(6);
  expect(await ask(authorize), 'a right that was given').toBeUndefined();
});

test('does not pass a flood of made-up tokens on to the API server', async () => {
  const { asked, authorize, release } = heldScene();
  const all = Array.from({ length: 100 }, (_, n) => ask(authorize, `Bearer t${n}`));
  expect(asked).toHaveLength(2);
  release();
  expect((await Promise.all(all)).filter((code) => code === 503)).toHaveLength(82);
  expect(await ask(authorize, 'Bearer later')).toBeUndefined();
});

test('a flood from one address does not hold up a client of another one', async () => {
  const { asked, authorize, release } = heldScene();
  const flood = Array.from({ length: 100 }, (_, n) => ask(authorize, `Bearer t${n}`));
  const before = asked.length;
  const other = ask(authorize, 'Bearer good', 'hub', '192.0.2.2');
  expect(asked).toHaveLength(before + 1);
  release();
  expect(await other).toBeUndefined();
  await Promise.all(flood);
});

test('many addresses together have eight reviews at a time', async () => {
  const { asked, authorize, release } = heldScene();
  const all = Array.from({ length: 20 }, (_, n) => ask(authorize, `Bearer t${n}`, 'hub', `192.0.2.${n}`));
  expect(asked).toHaveLength(8);
  release();
  expect(new Set(await Promise.all(all))).toEqual(new Set([undefined]));
});

test('many addresses together have 264 reviews that run or wait, and the others are refused', async () => {
  const { asked, authorize, release } = heldScene();
  const all = Array.from({ length: 300 }, (_, n) => ask(authorize, `Bearer t${n}`, 'hub', `192.0.2.${n}`));
  expect(asked).toHaveLength(8);
  release();
  const codes = await Promise.all(all);
  expect(codes.filter((code) => code === 503)).toHaveLength(300 - 264);
  expect(await ask(authorize, 'Bearer later')).toBeUndefined();
});
