/** The console as browsers and attackers meet it, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_VERSION } from '../../api/names.ts';
import { eventually } from '../../kube/testing/eventually.ts';
import { ApiError } from '../../api/api-error.ts';
import { Browser } from './testing/browser.ts';
import { NAMES_VIEW, startConsoleWorld, type ConsoleWorld } from './testing/console-world.ts';
import { listen } from './testing/event-source.ts';

const acts: { readonly user: string; readonly kind: string }[] = [];
const icons: (readonly string[])[] = [];
let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld({
    act: async ({ user }, action) => {
      acts.push({ user, kind: action.kind });
      if (action.kind === 'resume') throw new ApiError('patch x', { code: 403, message: 'no', causes: [] });
      return 'Done';
    },
    icon: async (_person, ...names) => {
      icons.push(names.slice(0, 2) as string[]);
      return { bytes: new Uint8Array([1]), type: 'image/svg+xml' };
    },
  });
  world.allow(() => true);
});
afterAll(() => world[Symbol.asyncDispose]());

async function browserOf(user: string): Promise<Browser> {
  const browser = new Browser(world.address);
  const [name = '', value = ''] = (await world.cookieOf(user)).split('=');
  browser.cookies.set(name, value);
  return browser;
}

const RECONCILE = { kind: 'reconcile', namespace: 'red', name: 'gadget' } as const;

/** Every route that shows or does something. */
const ROUTES: readonly { readonly method: string; readonly path: string }[] = [
  { method: 'GET', path: '/api/session' },
  { method: 'GET', path: '/api/view/names' },
  { method: 'GET', path: '/api/live/names' },
  { method: 'GET', path: '/api/icon/team/gadget' },
  { method: 'POST', path: '/api/act' },
  { method: 'POST', path: '/api/logout' },
  { method: 'GET', path: '/api/other' },
];

describe.each(ROUTES)('$method $path', ({ method, path }) => {
  const send = (browser: Browser, headers: Readonly<Record<string, string>>) =>
    browser.send(path, { method, headers: { origin: world.address, 'content-type': 'application/json', ...headers } });

  test('is closed to a browser that has not logged in', async () => {
    const { status, text } = await send(new Browser(world.address), {});
    expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({ status: 401, body: { reason: 'Forbidden', login: '/login' } }); // prettier-ignore
  });

  test.each([
    { because: 'a name that an attacker leads here', headers: { host: 'evil.example' } },
    { because: 'a page of another site', headers: { origin: 'https://evil.example' } },
    { because: 'a script of another site', headers: { 'sec-fetch-site': 'cross-site' } },
  ])('is closed even to a session of a person, from $because', async ({ headers }) => {
    const { status, text } = await send(await browserOf('ann'), headers);
    expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
  });

  test('has the headers that keep other sites out', async () => {
    const { headers } = await send(new Browser(world.address), {});
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'/) as string,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('an act', () => {
  test('is carried out as the person, once', async () => {
    acts.length = 0;
    const { status, text } = await (await browserOf('ann')).act('/api/act', { action: RECONCILE });
    expect({ status, text: JSON.parse(text) as unknown }).toEqual({ status: 200, text: { done: 'Done' } });
    expect(acts).toEqual([{ user: 'ann', kind: 'reconcile' }]);
  });

  test('that the API server refuses is reported with its reason', async () => {
    const answer = await (await browserOf('ann')).act('/api/act', { action: { ...RECONCILE, kind: 'resume' } });
    expect({ ...answer, text: JSON.parse(answer.text) as unknown }).toMatchObject({ status: 403, text: { problem: true, reason: 'Forbidden' } }); // prettier-ignore
  });

  test.each([
    { because: 'it repeats no secret of the page', headers: { 'x-csrf-token': '' }, status: 403 },
    { because: 'it repeats that of another session', headers: { 'x-csrf-token': 'a'.repeat(43) }, status: 403 },
    { because: 'it is a form', headers: { 'content-type': 'application/x-www-form-urlencoded' }, status: 415 },
    { because: 'it is a text, which other sites may send', headers: { 'content-type': 'text/plain' }, status: 415 },
  ])('is refused if $because', async ({ headers, status }) => {
    acts.length = 0;
    expect((await (await browserOf('ann')).act('/api/act', { action: RECONCILE }, headers)).status).toBe(status);
    expect(acts).toEqual([]);
  });

  test.each([
    { because: 'a path of the API server', action: { kind: 'raw', path: '/api/v1/secrets' } },
    { because: 'a field that the act does not have', action: { ...RECONCILE, path: '/api/v1/secrets' } },
    { because: 'a name that leaves its path', action: { ...RECONCILE, name: '../../secrets/x' } },
    { because: 'a namespace that leaves its path', action: { ...RECONCILE, namespace: 'a/b' } },
    { because: 'nothing', action: undefined },
    { because: 'a list', action: [RECONCILE] },
    { because: 'a prototype', action: JSON.parse('{"__proto__":{"kind":"reconcile"}}') as unknown },
  ])('is data of a closed list, and not $because', async ({ action }) => {
    acts.length = 0;
    expect((await (await browserOf('ann')).act('/api/act', { action })).status).toBe(400);
    expect(acts).toEqual([]);
  });

  test('with a body that is larger than any act is not read', async () => {
    const { status } = await (await browserOf('ann')).act('/api/act', { action: RECONCILE, more: 'x'.repeat(100_000) });
    expect(status).toBe(413);
  });

  test('is refused by a console that is read-only', async () => {
    await using quiet = await startConsoleWorld({ readOnly: true, act: async () => 'Done' });
    const browser = new Browser(quiet.address);
    browser.cookies.set('slipway-session', (await quiet.cookieOf('ann')).replace(/^[^=]+=/, ''));
    expect((await browser.act('/api/act', { action: RECONCILE })).status).toBe(403);
  });
});

/** Larger than any request of a page. */
const LARGE = 100_000;

describe.each([
  { path: '/login/token', type: 'application/x-www-form-urlencoded' },
  { path: '/login/token', type: 'multipart/form-data; boundary=x' },
  { path: '/login/callback', type: 'application/x-www-form-urlencoded' },
  { path: '/api/act', type: 'application/json' },
  { path: '/api/logout', type: 'application/json' },
  { path: '/overview', type: 'text/plain' },
])('a body that is larger than any act, of $type to $path', ({ path, type }) => {
  test.each([
    { because: 'says its length', headers: { 'content-length': String(LARGE) } },
    { because: 'comes in pieces', headers: { 'transfer-encoding': 'chunked' } },
  ])('is not read without a login: $because', async ({ headers }) => {
    const own = { origin: world.address, 'content-type': type, ...headers };
    const { status } = await new Browser(world.address).send(path, { method: 'POST', headers: own, body: 'token=' + 'x'.repeat(LARGE - 6) }); // prettier-ignore
    expect(status).toBe(413);
  });
});

test('a body that comes in pieces is read, if it is small', async () => {
  const headers = { 'transfer-encoding': 'chunked' };
  expect((await (await browserOf('ann')).act('/api/act', { action: RECONCILE }, headers)).status).toBe(200);
});

describe('HEAD', () => {
  test.each([
    '/api/live/names',
    '/api/live/names?x=1',
    '/%61pi/live/names',
    '/api/view/names',
    '/api/session',
    '/api/icon/team/gadget',
    '/login/start?token=x',
    '/login/callback?code=x',
    '/login/oidc',
  ])('is refused, and opens nothing, at %s', async (path) => {
    const before = world.hub.counts;
    const { status, headers } = await (await browserOf('ann')).send(path, { method: 'HEAD' });
    expect({ status, cookies: headers['set-cookie'] }).toEqual({ status: 405, cookies: undefined });
    expect(world.hub.counts).toEqual(before);
  });

  test.each(['/', '/overview', '/main-0123ABCD.js', '/login'])('is answered for a page: %s', async (path) => {
    expect((await new Browser(world.address).send(path, { method: 'HEAD' })).status).toBe(200);
  });
});

test.each([
  { because: 'the path has a backslash', path: '/..\\..\\etc\\passwd', headers: {} },
  { because: 'the address has another scheme', path: 'ftp://console.example/', headers: {} },
  { because: 'the name of the host cannot be one', path: '/', headers: { host: 'a b' } },
  { because: 'the host has a user', path: '/', headers: { host: 'evil@127.0.0.1' } },
])('a request that is refused before any route has the same headers: $because', async ({ path, headers }) => {
  const answer = await new Browser(world.address).send(path, { headers });
  expect(answer).toMatchObject({
    status: 400,
    headers: {
      'content-security-policy': expect.stringMatching(/^default-src 'none'/) as string,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
  });
  expect(JSON.parse(answer.text)).toMatchObject({ problem: true, reason: 'InputInvalid' });
});

describe('a session', () => {
  test('reports the person, and a secret for acts that no other session has', async () => {
    const [ann, again] = await Promise.all([browserOf('ann'), browserOf('ann')]);
    const [one, other] = await Promise.all([ann, again].map(async (browser) => JSON.parse((await browser.send('/api/session')).text) as object)); // prettier-ignore
    expect(one).toEqual({
      user: 'ann',
      groups: [],
      version: '0.0.0',
      readOnly: false,
      way: 'oidc',
      canLogOut: true,
      csrf: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
    expect(one).not.toEqual(other);
  });

  test('ends at logout with its streams, and its cookie opens nothing afterwards', async () => {
    const browser = await browserOf('ann');
    const stolen = `slipway-session=${browser.cookies.get('slipway-session') ?? ''}`;
    using stream = await listen(`${world.address}/api/live/names`, { cookie: stolen });
    await stream.until(({ event }) => event === 'view');
    expect((await browser.act('/api/logout', {})).status).toBe(200);
    await eventually(() => stream.ended);
    expect(browser.cookies.size).toBe(0);
    const replayed = await new Browser(world.address).send('/api/session', { headers: { cookie: stolen } });
    expect(replayed.status).toBe(401);
  });

  test('of a cookie that the browser brought from elsewhere is not taken over', async () => {
    const { status } = await new Browser(world.address).send('/api/session', {
      headers: { cookie: 'slipway-session=attacker-knows-this; slipway-session-1=more' },
    });
    expect(status).toBe(401);
  });
});

describe('headers of impersonation that a browser sends', () => {
  test.each([
    { because: 'in small letters', headers: { 'impersonate-user': 'admin' } },
    { because: 'in capitals', headers: { 'Impersonate-User': 'admin', 'IMPERSONATE-GROUP': 'system:masters' } },
    { because: 'twice', headers: { 'Impersonate-User': ['admin', 'root'] } },
    { because: 'with a uid and extras', headers: { 'Impersonate-Uid': '0', 'Impersonate-Extra-Scopes': 'all' } },
    { because: 'hidden from proxies', headers: { connection: 'impersonate-user', 'impersonate-user': 'admin' } },
    { because: 'with an authorization of its own', headers: { authorization: 'Bearer stolen', 'x-remote-user': 'admin' } }, // prettier-ignore
  ])('reach the API server in no request: $because', async ({ headers }) => {
    const before = world.api.requests.length;
    const user = `eve-${before}`;
    const answer = await (await browserOf(user)).send('/api/view/names', { headers });
    expect(answer.status).toBe(200);
    const mine = world.api.requests.slice(before).filter((one) => one.headers['impersonate-user'] !== undefined);
    expect(mine.length).toBeGreaterThan(0);
    for (const one of mine) {
      const names = Object.keys(one.headers).filter((name) => name.startsWith('impersonate-'));
      expect({ user: one.headers['impersonate-user'], names }).toEqual({ user, names: ['impersonate-user'] });
      expect(one.headers).not.toHaveProperty('authorization');
      expect(one.headers).not.toHaveProperty('x-remote-user');
    }
  });
});

describe('the files of the pages', () => {
  test.each(['/', '/overview', '/subscriptions/ops/a.b', '/catalog/team/x.y', '/nowhere'])(
    'answer a view with the page itself: %s',
    async (path) => {
      const { status, headers, text } = await new Browser(world.address).send(path);
      expect({ status, text, type: headers['content-type'], cache: headers['cache-control'] }).toEqual({
        status: 200,
        text: '<!doctype html>',
        type: 'text/html; charset=utf-8',
        cache: 'no-cache',
      });
    },
  );

  test('with a hash in their name are kept for good, and sent small', async () => {
    const { headers } = await new Browser(world.address).send('/main-0123ABCD.js', { headers: { 'accept-encoding': 'gzip' } }); // prettier-ignore
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'gzip',
      'content-type': 'text/javascript',
    });
  });

  test('that the browser has are not sent again', async () => {
    const browser = new Browser(world.address);
    const { headers } = await browser.send('/overview');
    const again = await browser.send('/overview', { headers: { 'if-none-match': String(headers['etag']) } });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
  });

  test.each([
    '/../package.json',
    '/..%2fpackage.json',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..\\..\\etc\\passwd',
    '//etc/passwd',
    '/main-0123ABCD.js/../../package.json',
    '/main-0123ABCD.js%00.html',
    '/package.json',
    '/assets/../../package.json',
    '/api/icon/..%2f..%2fetc/passwd',
    '/api/view/..%2f..%2fetc%2fpasswd',
  ])('are the only files that a path leads to: %s', async (path) => {
    const { status, text } = await (await browserOf('ann')).send(path);
    expect(text).not.toMatch(/root:|"name":\s*"slipway"/);
    expect([200, 400, 404]).toContain(status);
    if (status === 200) expect(['<!doctype html>', '\u0001']).toContain(text);
  });
});

test('an icon is an attachment in a sandbox', async () => {
  const { status, headers } = await (await browserOf('ann')).send('/api/icon/team/gadget');
  expect({ status, headers }).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'image/svg+xml',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringContaining('attachment') as string,
    },
  });
});

test.each([
  { because: 'a part cannot be decoded', path: '/api/icon/a/%' },
  { because: 'a part is no text in UTF-8', path: '/api/icon/%ff/gadget' },
  { because: 'a part is half an escape', path: '/api/icon/a/%2' },
])('an icon under an address that cannot be read does not exist: $because', async ({ path }) => {
  const { status, text } = await (await browserOf('ann')).send(path);
  expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({ status: 404, body: { problem: true } });
});

test.each([
  { because: 'escapes are undone once', path: '/api/icon/te%2561m/gadget', names: ['te%61m', 'gadget'] },
  { because: 'a slash in a name is part of it', path: '/api/icon/team/a%2Fb', names: ['team', 'a/b'] },
  { because: 'names may have other letters', path: '/api/icon/team/%C3%BC', names: ['team', 'ü'] },
])('an icon is asked for by the names in its address: $because', async ({ path, names }) => {
  icons.length = 0;
  await (await browserOf('ann')).send(path);
  expect(icons).toEqual([names]);
});

describe('a view', () => {
  test.each(['/api/view/other', '/api/live/other'])('that does not exist is a problem: %s', async (path) => {
    const { status, text } = await (await browserOf('ann')).send(path);
    expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({ status: 404, body: { problem: true } });
  });

  test('follows the rights of its person while its stream is open', async () => {
    await using quick = await startConsoleWorld({ streams: { refreshSeconds: 0.02 } });
    const metadata = { namespace: 'red', name: 'gadget' };
    quick.api.put({ apiVersion: API_VERSION, kind: 'Subscription', metadata, spec: {} });
    quick.allow(() => true);
    using stream = await listen(`${quick.address}/api/live/names`, { cookie: await quick.cookieOf('ann') });
    await stream.until(({ data }) => JSON.stringify(data).includes('red/gadget'));
    quick.allow(() => false);
    const after = stream.events.length;
    await stream.until(({ data }) => !JSON.stringify(data).includes('red/gadget'), after);
    quick.api.put({ apiVersion: API_VERSION, kind: 'Subscription', metadata: { namespace: 'red', name: 'late' }, spec: {} }); // prettier-ignore
    quick.allow((_, { resource }) => resource === 'catalogs');
    quick.api.put({ apiVersion: API_VERSION, kind: 'Catalog', metadata: { name: 'mark' }, spec: {} });
    await stream.until(({ data }) => JSON.stringify(data).includes('/mark'), after);
    expect(JSON.stringify(stream.events.slice(after + 1))).not.toContain('red/');
  });

  test('that asks for rights alone shows the second of two changes without a pause', async () => {
    const views = [{ ...NAMES_VIEW, ask: () => ({ access: [] }), asksRightsOnly: true as const }];
    await using quick = await startConsoleWorld({ views, streams: { restSeconds: 3600 } });
    quick.allow(() => true);
    using stream = await listen(`${quick.address}/api/live/names`, { cookie: await quick.cookieOf('ann') });
    await stream.until(({ event }) => event === 'view');
    for (const name of ['first', 'second']) {
      quick.api.put({ apiVersion: API_VERSION, kind: 'Catalog', metadata: { name }, spec: {} });
      await stream.until(({ data }) => JSON.stringify(data).includes(`/${name}`));
    }
  });

  test('is a problem while the API server cannot be asked for rights', async () => {
    await using deaf = await startConsoleWorld();
    deaf.allow(() => {
      throw new Error('broken');
    });
    const browser = new Browser(deaf.address);
    browser.cookies.set('slipway-session', (await deaf.cookieOf('ann')).replace(/^[^=]+=/, ''));
    const { status, text } = await browser.send('/api/view/names');
    expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({ body: { problem: true, reason: 'ApiUnavailable' }, status: 503 }); // prettier-ignore
  });
});

test('50 browsers of 10 persons cost the API server the watches of one', async () => {
  await using shared = await startConsoleWorld();
  shared.allow(() => true);
  const watches = (): number => shared.api.requests.filter(({ query }) => query.get('watch') === 'true').length;
  const before = await eventually(() => (shared.api.watches === 6 ? watches() : undefined));
  const users = Array.from({ length: 50 }, (_, at) => `user-${at % 10}`);
  const streams = await Promise.all(
    users.map(async (user) => listen(`${shared.address}/api/live/names`, { cookie: await shared.cookieOf(user) })),
  );
  await Promise.all(streams.map((stream) => stream.until(({ event }) => event === 'view')));
  shared.api.put({ apiVersion: API_VERSION, kind: 'Catalog', metadata: { name: 'new' }, spec: {} });
  await Promise.all(streams.map((stream) => stream.until(({ data }) => JSON.stringify(data).includes('/new'))));
  expect({ watches: watches(), open: shared.api.watches }).toEqual({ watches: before, open: 6 });
  const lists = shared.api.requests.filter(({ method, path, headers }) => method === 'GET' && path.startsWith('/apis/slipway') && headers['impersonate-user'] !== undefined); // prettier-ignore
  expect(lists).toEqual([]);
  for (const stream of streams) stream.close();
});
