/**
 * The console of a cluster before a real API server, with real users, groups and RBAC, and without a manager:
 * no answer has an object that its person may not see, and the API server refuses each act for which they lack the right.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VIEWS } from '../../../console/data/views.ts';
import { listen } from '../../../console/server/testing/event-source.ts';
import { Browser } from '../../../console/server/testing/browser.ts';
import { startLoginIssuer, type LoginIssuer } from '../../../console/server/testing/login-issuer.ts';
import { startClusterConsole, type ClusterConsole } from '../../console/cluster-console.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, SYSTEM } from '../../lib/manager.ts';
import { isSample } from '../../lib/sample.ts';
import { until } from '../../lib/until.ts';
import { cookiesOf, letRead, logIn, MARK, setScene } from './people.ts';

const cluster = useCluster({ only: ['kube-apiserver'], registry: false, audit: true });
let issuer: LoginIssuer;
let running: ClusterConsole;

beforeAll(async () => {
  await installSlipway(cluster());
  await setScene(cluster());
  issuer = await startLoginIssuer();
  const [ca, secret] = ['issuer-ca', 'client-secret'].map((name) => join(cluster().folder, name));
  writeFileSync(ca!, issuer.ca);
  writeFileSync(secret!, 'hush\n');
  running = await startClusterConsole(cluster(), {
    SLIPWAY_CONSOLE_LOGIN: 'oidc,token',
    SLIPWAY_CONSOLE_OIDC_ISSUER: issuer.url,
    SLIPWAY_CONSOLE_OIDC_CA: ca!,
    SLIPWAY_CONSOLE_OIDC_CLIENT_ID: 'console',
    SLIPWAY_CONSOLE_OIDC_CLIENT_SECRET: secret!,
    SLIPWAY_CONSOLE_OIDC_USERNAME_CLAIM: 'email',
  });
  await letRead(cluster(), 'ann@example.com', 'red');
  await letRead(cluster(), 'bob@example.com', 'blue');
  const admin = ['create', 'clusterrolebinding', 'root', '--clusterrole=cluster-admin', '--user=root@example.com'];
  await cluster().kubectl(admin);
});
afterAll(async () => {
  await running?.stop();
  await issuer?.[Symbol.asyncDispose]();
});

const as = (email: string): Promise<Browser> => logIn(running.address, issuer, email);

/** Every view, about the objects of the namespace `blue`. */
const PATHS = VIEWS.map(({ path }) => {
  const [name] = path.startsWith('/revisions') ? ['gadget-1'] : ['gadget'];
  return path.replace(':namespace', 'blue').replace(':name', name).replace(':catalog', 'private').replace(':package', 'gadget'); // prettier-ignore
}).flatMap((path) => (path === '/events' ? [path, '/events?namespace=blue'] : [path]));

describe('the namespace of another person', () => {
  test.each(PATHS)('is in no answer: %s', async (path) => {
    for (const email of ['ann@example.com', 'eve@example.com']) {
      const browser = await as(email);
      const { text } = await browser.send(`/api/view${path}`);
      expect(text).not.toContain(MARK);
      using stream = await listen(`${running.address}/api/live${path}`, { cookie: cookiesOf(browser) });
      const first = await stream.until(({ event }) => event !== '');
      expect(JSON.stringify(first.data)).not.toContain(MARK);
    }
  });

  test('is shown to those who may see it, so that the table above can fail', async () => {
    const bob = await as('bob@example.com');
    const seen = [];
    for (const path of PATHS) if ((await bob.send(`/api/view${path}`)).text.includes(MARK)) seen.push(path);
    expect(seen).toEqual(
      expect.arrayContaining(['/overview', '/subscriptions/blue/gadget', '/revisions/blue/gadget-1', '/events']),
    );
    const root = await as('root@example.com');
    expect((await root.send('/api/view/slipway')).text).toContain(MARK);
  });

  test('leaves an open stream when the right is taken away, and no later change of it arrives', async () => {
    const takeAway = await letRead(cluster(), 'carl@example.com', 'blue');
    const carl = await as('carl@example.com');
    using stream = await listen(`${running.address}/api/live/overview`, { cookie: cookiesOf(carl) });
    await until('carl sees it', () => stream.events.some(({ data }) => JSON.stringify(data).includes(MARK)));
    await takeAway();
    await until('carl sees it no more', () => !JSON.stringify(stream.events.at(-1)?.data).includes(MARK));
    const seen = stream.events.length;
    await cluster().kubectl(['-n', 'blue', 'annotate', 'subscriptions.slipway.dev/gadget', 'a=b']);
    using root = await listen(`${running.address}/api/live/overview`, { cookie: cookiesOf(await as('root@example.com')) }); // prettier-ignore
    await until('root sees it', () => root.events.some(({ data }) => JSON.stringify(data).includes(MARK)));
    expect(JSON.stringify(stream.events.slice(seen))).not.toContain(MARK);
  });
});

test.each([
  '/api/icon/NAME/gadget',
  '/api/view/catalog/NAME/gadget',
  '/api/view/subscribe?catalog=NAME&package=gadget',
])('whether a Catalog exists is in no answer to a person who may not get it: %s', async (path) => {
  const ann = await as('ann@example.com');
  const answerAbout = async (name: string): Promise<object> => {
    const { status, text } = await ann.send(path.replace('NAME', name));
    return { status, text: text.replaceAll(name, 'NAME') };
  };
  expect(await answerAbout('absent')).toEqual(await answerAbout('private'));
});

describe('an act', () => {
  const reconcile = { kind: 'reconcile', namespace: 'red', name: 'gadget' };
  const approve = {
    kind: 'approve',
    namespace: 'red',
    revision: 'gadget-1',
    uid: 'x',
    plan: `sha256:${'0'.repeat(64)}`,
  };

  test.each([
    { because: 'a reader may not approve', action: approve },
    { because: 'a reader may not ask for a reconcile', action: reconcile },
    {
      because: 'a reader may not uninstall',
      action: {
        kind: 'uninstall',
        namespace: 'red',
        name: 'gadget',
        uid: 'x',
        customResources: 'Retain',
        objects: 'Delete',
      },
    },
    { because: 'a reader of one namespace may do nothing in another', action: { ...reconcile, namespace: 'blue' } },
    { because: 'a reader may not subscribe', action: { kind: 'subscribe', namespace: 'red', name: 'x', package: 'x' } },
  ])('is refused by the API server in the name of the person, and reported so: $because', async ({ action }) => {
    const { status, text } = await (await as('ann@example.com')).act('/api/act', { action });
    expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({
      status: 403,
      body: { problem: true, reason: 'Forbidden', message: expect.stringContaining('User "ann@example.com" cannot') as string }, // prettier-ignore
    });
  });

  test('of a person with the right is in the audit log in the name of that person', async () => {
    const { status } = await (await as('root@example.com')).act('/api/act', { action: reconcile });
    expect(status).toBe(200);
    const isOfRoot = ({ verb, impersonatedUser }: AuditEntry): boolean =>
      verb === 'patch' && impersonatedUser?.username === 'root@example.com';
    // a request is logged after it was answered
    await until('it is in the audit log', () => requestsOf(isOfRoot).length > 0);
    const patched = requestsOf(({ verb }) => verb === 'patch').at(-1);
    expect(patched).toMatchObject({
      user: { username: `system:serviceaccount:${SYSTEM}:slipway-console` },
      impersonatedUser: { username: 'root@example.com' },
    });
  });

  test('that names a plan which is not there approves nothing, not even for an administrator', async () => {
    const { status, text } = await (await as('root@example.com')).act('/api/act', { action: approve });
    expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({ status: 422, body: { reason: 'ApprovalVoid' } }); // prettier-ignore
    const revision = await cluster().kubectl(['-n', 'red', 'get', 'revisions.slipway.dev/gadget-1', '-o', 'json']);
    expect((JSON.parse(revision) as { readonly spec: { readonly approved?: boolean } }).spec.approved).not.toBe(true);
  });
});

describe('a person', () => {
  test.each([
    { because: 'with headers of impersonation', headers: { 'Impersonate-User': 'root@example.com' } },
    { because: 'with groups of administrators', headers: { 'impersonate-group': 'system:masters', 'IMPERSONATE-USER': 'x' } }, // prettier-ignore
    { because: 'with extras and a uid', headers: { 'Impersonate-Extra-Scopes': 'all', 'Impersonate-Uid': '0' } },
    { because: 'with headers that a proxy would drop', headers: { connection: 'close, impersonate-user', 'impersonate-user': 'root@example.com' } }, // prettier-ignore
    { because: 'with the headers of a trusted proxy', headers: { 'x-forwarded-user': 'root@example.com', 'x-remote-user': 'root@example.com' } }, // prettier-ignore
    { because: 'with a certificate of the API server’s own front', headers: { 'x-remote-group': 'system:masters' } },
  ])('stays the person of the session, whatever a browser sends: $because', async ({ headers }) => {
    const ann = await as('ann@example.com');
    expect((await ann.send('/api/view/slipway', { headers })).text).not.toContain(MARK);
    expect(JSON.parse((await ann.send('/api/session', { headers })).text)).toMatchObject({ user: 'ann@example.com' });
  });

  test.each(['system:admin', 'system:serviceaccount:kube-system:default', 'system:masters'])(
    'cannot be a part of the cluster: %s',
    async (email) => {
      await expect(as(email)).rejects.toThrow('failed with 403');
    },
  );

  test('with the token of a ServiceAccount is that account, with its rights, until the token ends', async () => {
    await cluster().kubectl(['-n', 'red', 'create', 'serviceaccount', 'robot']);
    const token = (await cluster().kubectl(['-n', 'red', 'create', 'token', 'robot'])).trim();
    await letRead(cluster(), 'system:serviceaccount:red:robot', 'red');
    const browser = new Browser(running.address);
    const { status } = await browser.send('/login/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: running.address },
      body: new URLSearchParams({ token }).toString(),
    });
    expect(status).toBe(303);
    expect(JSON.parse((await browser.send('/api/session')).text)).toMatchObject({ user: 'system:serviceaccount:red:robot', way: 'token' }); // prettier-ignore
    const text = await until('the right counts', async () => {
      const shown = (await browser.send('/api/view/overview')).text;
      return shown.includes('plain-gadget') ? shown : undefined;
    });
    expect(text).not.toContain(MARK);
  });

  test('who has logged out is out, and the cookie that was copied before opens nothing', async () => {
    const ann = await as('ann@example.com');
    const copied = cookiesOf(ann);
    expect((await ann.act('/api/logout', {})).status).toBe(200);
    const replayed = await new Browser(running.address).send('/api/view/overview', { headers: { cookie: copied } });
    expect(replayed.status).toBe(401);
  });

  test('is not led by a name that resolves to the console', async () => {
    const ann = await as('ann@example.com');
    expect((await ann.send('/api/view/overview', { headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await ann.send('/api/view/overview', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  });
});

test.skipIf(isSample)('a client that sends half a request is cut, and others are served meanwhile', async () => {
  const { port } = new URL(running.address);
  const slow = connect(Number(port), '127.0.0.1');
  const closed = new Promise<void>((resolve) => void slow.once('close', () => resolve()));
  slow.write('GET /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
  slow.on('error', () => undefined).resume();
  expect((await (await as('ann@example.com')).send('/api/session')).status).toBe(200);
  await closed;
});

test('50 browsers cost the API server the watches of one', async () => {
  const isWatch = ({ verb, user }: AuditEntry): boolean => verb === 'watch' && user.username.endsWith('slipway-console'); // prettier-ignore
  const before = requestsOf(isWatch).length;
  // One after another: the issuer logs in one person at a time.
  const browsers = [await as('ann@example.com'), await as('bob@example.com'), await as('root@example.com')];
  const streams = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      listen(`${running.address}/api/live/overview`, { cookie: cookiesOf(browsers[at % browsers.length]!) }),
    ),
  );
  await Promise.all(streams.map((stream) => stream.until(({ event }) => event === 'view')));
  const opened = requestsOf(isWatch).length;
  for (const stream of streams) stream.close();
  // Each watch is asked for again after some minutes.
  expect(opened - before).toBeLessThanOrEqual(6);
  expect(requestsOf(({ verb, impersonatedUser }) => verb === 'watch' && impersonatedUser !== undefined)).toEqual([]);
});

test('the console asks for nothing beyond its rights, and ends cleanly', async () => {
  const refused = requestsOf(
    ({ user, impersonatedUser, responseStatus }) =>
      user.username.endsWith('slipway-console') && impersonatedUser === undefined && responseStatus?.code === 403,
  );
  expect(refused).toEqual([]);
  expect(await running.stop()).toBe(0);
});

interface AuditEntry {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly responseStatus?: { readonly code: number };
}

function requestsOf(fits: (entry: AuditEntry) => boolean): readonly AuditEntry[] {
  const lines = readFileSync(join(cluster().folder, 'audit.jsonl'), 'utf8').split('\n');
  return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AuditEntry])).filter(fits);
}
