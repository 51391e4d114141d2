/** The console on the user's machine: for the user of this machine alone, until Ctrl-C. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Browser } from '../../../console/server/testing/browser.ts';
import { listen } from '../../../console/server/testing/event-source.ts';
import { eventually } from '../../../kube/testing/eventually.ts';
import { useFakeCluster } from '../admin/testing/fake-cluster.ts';
import type { Finished } from '../testing/slipway.ts';

const cluster = useFakeCluster();

interface RunningUi extends AsyncDisposable {
  readonly address: URL;
  readonly browser: Browser;
  readonly ended: Promise<Finished>;
  stop(): void;
}

async function start(...flags: readonly string[]): Promise<RunningUi> {
  const over = new AbortController();
  let printed = '';
  const ended = cluster().runWith({ signal: over.signal, printed: (text) => void (printed += text) }, 'ui', ...flags);
  const gone = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
  const found = await Promise.race([eventually(() => /http:\/\/\S+?(?=[\s"])/.exec(printed)?.[0]), gone]);
  const address = new URL(found);
  const stop = (): void => over.abort(new Error('SIGINT'));
  return {
    address,
    browser: new Browser(address.origin),
    ended,
    stop,
    async [Symbol.asyncDispose]() {
      stop();
      await ended;
    },
  };
}

const ROUTES = [
  { method: 'GET', path: '/api/session' },
  { method: 'GET', path: '/api/view/overview' },
  { method: 'GET', path: '/api/live/overview' },
  { method: 'GET', path: '/api/icon/team/gadget' },
  { method: 'POST', path: '/api/act' },
  { method: 'POST', path: '/api/logout' },
];

describe('slipway ui', () => {
  test('prints an address of this machine that opens the console once', async () => {
    await using ui = await start();
    const { pathname, search, hostname } = ui.address;
    expect(hostname).toBe('127.0.0.1');
    const opened = await ui.browser.send(`${pathname}${search}`);
    expect({ status: opened.status, to: opened.headers['location'] }).toEqual({
      status: 303,
      to: expect.stringMatching(/^\/#key=[\w-]{43}$/) as string,
    });
    expect(String(opened.headers['set-cookie'])).toMatch(/; HttpOnly; SameSite=Strict$/);
    const session = JSON.parse((await ui.browser.send('/api/session')).text) as object;
    expect(session).toMatchObject({ way: 'local', readOnly: false, canLogOut: false });
    const again = await new Browser(ui.address.origin).send(`${pathname}${search}`);
    expect({ status: again.status, cookies: again.headers['set-cookie'] }).toEqual({ status: 403, cookies: undefined });
  });

  test('shows the operators of the cluster to the browser that was let in', async () => {
    await using ui = await start();
    await ui.browser.send(`${ui.address.pathname}${ui.address.search}`);
    const { status, text } = await ui.browser.send('/api/view/overview');
    expect({ status, operators: (JSON.parse(text) as { readonly operators: readonly { readonly name: string }[] }).operators.map(({ name }) => name) }).toEqual({ status: 200, operators: ['lamp', 'gadget'] }); // prettier-ignore
  });

  test.each(ROUTES)('is closed to a server on another port that was sent the cookie: $method $path', async (route) => {
    await using ui = await start();
    await ui.browser.send(`${ui.address.pathname}${ui.address.search}`);
    const { method, path } = route;
    const send = (browser: Browser) => browser.send(path, { method, headers: { origin: ui.address.origin } });
    for (const key of [undefined, '', 'k'.repeat(43)]) {
      const thief = new Browser(ui.address.origin);
      for (const [name, value] of ui.browser.cookies) thief.cookies.set(name, value);
      thief.key = key;
      expect((await send(thief)).status).toBe(401);
    }
    const keyless = new Browser(ui.address.origin);
    keyless.key = ui.browser.key;
    expect((await send(keyless)).status).toBe(401);
  });

  test('takes the key of a stream and of an icon from the address, since they can have no headers', async () => {
    await using ui = await start();
    await ui.browser.send(`${ui.address.pathname}${ui.address.search}`);
    const cookie = [...ui.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    using stream = await listen(`${ui.address.origin}/api/live/overview?key=${ui.browser.key}`, { cookie });
    await stream.until(({ event }) => event === 'view');
    expect((await ui.browser.send(`/api/icon/a/b?key=${ui.browser.key}`)).status).not.toBe(401);
  });

  test.each([
    { because: 'without the token', path: '/api/view/overview', headers: {}, status: 401 },
    { because: 'with a token that was guessed', path: '/login/start?token=guess', headers: {}, status: 403 },
    { because: 'through a name that leads to this machine', path: '/', headers: { host: 'evil.example' }, status: 403 },
  ])('is closed to other programs: $because', async ({ path, headers, status }) => {
    await using ui = await start();
    expect((await new Browser(ui.address.origin).send(path, { headers })).status).toBe(status);
  });

  test('with --read-only sends nothing to the cluster', async () => {
    await using ui = await start('--read-only');
    await ui.browser.send(`${ui.address.pathname}${ui.address.search}`);
    const before = cluster().api.requests.length;
    const action = { kind: 'suspend', namespace: 'ops', name: 'gadget' };
    expect((await ui.browser.act('/api/act', { action })).status).toBe(403);
    expect(
      cluster()
        .api.requests.slice(before)
        .filter(({ method }) => method === 'PATCH'),
    ).toEqual([]);
  });

  test('carries out an act with the credentials of the kubeconfig, and impersonates no other user', async () => {
    await using ui = await start();
    await ui.browser.send(`${ui.address.pathname}${ui.address.search}`);
    const action = { kind: 'reconcile', namespace: 'ops', name: 'gadget' };
    expect((await ui.browser.act('/api/act', { action })).status).toBe(200);
    const [sent] = cluster()
      .api.requests.filter(({ method }) => method === 'PATCH')
      .slice(-1);
    expect(sent?.headers).toMatchObject({ authorization: 'Bearer t' });
    expect(sent?.headers).not.toHaveProperty('impersonate-user');
  });

  test('ends with success at Ctrl-C, and its streams with it', async () => {
    const ui = await start();
    await ui.browser.send(`${ui.address.pathname}${ui.address.search}`);
    const cookie = [...ui.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    using stream = await listen(`${ui.address.origin}/api/live/overview?key=${ui.browser.key}`, { cookie });
    await stream.until(({ event }) => event === 'view');
    ui.stop();
    expect(await ui.ended).toMatchObject({ code: 0, stderr: '' });
    await eventually(() => stream.ended);
  });

  test('prints the address as JSON for programs', async () => {
    await using ui = await start('-o', 'json');
    expect(ui.address.pathname).toBe('/login/start');
  });

  test('names the port that is in use, and the remedy', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await cluster().run('ui', '--port', String(port));
    other.close();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `slipway: InputInvalid: port ${port} of 127.0.0.1 is in use\n  Name another one by --port, or leave it out\n`,
    });
  });

  test.each(['x', '-1', '70000', ''])('refuses %j as a port', async (port) => {
    const { code, stderr } = await cluster().run('ui', '--port', port);
    expect({ code, reason: stderr.split(':')[1]?.trim() }).toEqual({ code: 1, reason: 'InputInvalid' });
  });
});
