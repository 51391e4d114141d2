/** Behind a proxy: the headers count only if the proxy itself has sent them. */
import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { request } from 'node:https';
import { describe, expect, test } from 'vitest';
import { certificateFor, createFakeCertificate } from '../../../kube/testing/fake-certificate.ts';
import { eventually } from '../../../kube/testing/eventually.ts';
import { Browser } from '../testing/browser.ts';
import { startConsoleWorld, type ConsoleWorld, type WorldOptions } from '../testing/console-world.ts';
import { listen } from '../testing/event-source.ts';
import { proxyLogin } from './proxy.ts';

function dns(value: string) {
  return { type: 'dns', value } as const;
}

function uri(value: string) {
  return { type: 'url', value } as const;
}

const SECRET = 'x'.repeat(40);

function behindProxy(options: WorldOptions = {}): Promise<ConsoleWorld> {
  const login = (onLogOut: (session: string) => void) =>
    proxyLogin({
      onLogOut,
      userHeader: 'x-forwarded-user',
      groupsHeader: 'x-forwarded-groups',
      trust: { by: 'secret', header: 'x-slipway-proxy-secret', secret: () => SECRET },
      secret: () => Buffer.from('key'),
    });
  return startConsoleWorld({ login, ...options });
}

const proven = { 'x-slipway-proxy-secret': SECRET };

/** The characters that Node sends as the bytes of the text. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

describe('the person whom a proxy names', () => {
  test('is the person of the request, with the groups', async () => {
    await using world = await behindProxy();
    const headers = { ...proven, 'x-forwarded-user': 'ann', 'x-forwarded-groups': 'staff, red' };
    const { status, text } = await new Browser(world.address).send('/api/session', { headers });
    expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({
      status: 200,
      body: { user: 'ann', groups: ['staff', 'red'], way: 'proxy', canLogOut: false },
    });
  });

  test('may act with the secret of the page, which is that of this person', async () => {
    await using world = await behindProxy();
    const browser = new Browser(world.address);
    const csrfOf = async (user: string): Promise<string> => {
      const { text } = await browser.send('/api/session', { headers: { ...proven, 'x-forwarded-user': user } });
      return (JSON.parse(text) as { readonly csrf: string }).csrf;
    };
    const act = async (csrf: string) =>
      browser.send('/api/act', {
        method: 'POST',
        headers: { ...proven, 'x-forwarded-user': 'ann', 'x-csrf-token': csrf, 'content-type': 'application/json', origin: world.address }, // prettier-ignore
        body: JSON.stringify({ action: { kind: 'reconcile', namespace: 'a', name: 'b' } }),
      });
    expect((await act(await csrfOf('bob'))).status).toBe(403);
    expect((await act(await csrfOf('ann'))).status).toBe(200);
  });

  test.each([
    { because: 'the proxy has not proven itself', headers: { 'x-slipway-proxy-secret': [] } },
    { because: 'the secret is another one', headers: { 'x-slipway-proxy-secret': 'y'.repeat(40) } },
    { because: 'the secret is empty', headers: { 'x-slipway-proxy-secret': '' } },
    { because: 'the secret is there twice, once from the browser', headers: { 'x-slipway-proxy-secret': [SECRET, 'y'] } }, // prettier-ignore
    { because: 'the user is there twice, once from the browser', headers: { 'x-forwarded-user': ['admin', 'ann'] } },
    { because: 'there is no user', headers: { 'x-forwarded-user': [] } },
    { because: 'the user is empty', headers: { 'x-forwarded-user': '' } },
    { because: 'the user is a part of the cluster', headers: { 'x-forwarded-user': 'system:kube-scheduler' } },
    { because: 'a group is one of the cluster', headers: { 'x-forwarded-groups': 'staff,system:masters' } },
    { because: 'a no-break space hides a group of the cluster', headers: { 'x-forwarded-groups': latin1('staff,\u00A0system:masters') } }, // prettier-ignore
    { because: 'a no-break space before the user would make two users one', headers: { 'x-forwarded-user': latin1('\u00A0ann') } }, // prettier-ignore
    { because: 'the user is no text in UTF-8', headers: { 'x-forwarded-user': 'ann\u00FF' } },
  ])('is no person if $because', async ({ headers }) => {
    await using world = await behindProxy();
    const sent = { ...proven, 'x-forwarded-user': 'ann', ...headers };
    expect((await new Browser(world.address).send('/api/session', { headers: sent })).status).toBe(401);
  });
});

describe('streams behind a proxy', () => {
  const ann = { ...proven, 'x-forwarded-user': 'ann' };

  test('end at logout, those of the person who logs out and no others', async () => {
    await using world = await behindProxy();
    using own = await listen(`${world.address}/api/live/names`, ann);
    using other = await listen(`${world.address}/api/live/names`, { ...proven, 'x-forwarded-user': 'bob' });
    await Promise.all([own, other].map((stream) => stream.until(({ event }) => event === 'view')));
    const browser = new Browser(world.address);
    const { csrf } = JSON.parse((await browser.send('/api/session', { headers: ann })).text) as {
      readonly csrf: string;
    };
    const headers = { ...ann, 'x-csrf-token': csrf, 'content-type': 'application/json', origin: world.address };
    expect((await browser.send('/api/logout', { method: 'POST', headers, body: '{}' })).status).toBe(200);
    await eventually(() => own.ended);
    expect(other.ended).toBe(false);
  });

  test('end after five minutes, so that the proxy vouches for the person again', async () => {
    let now = new Date('2026-01-01T00:00:00Z');
    await using world = await behindProxy({ now: () => now, streams: { heartbeatSeconds: 0.02 } });
    using stream = await listen(`${world.address}/api/live/names`, ann);
    await stream.until(({ event }) => event === 'view');
    now = new Date('2026-01-01T00:04:59Z');
    const beats = stream.comments;
    await eventually(() => stream.comments > beats + 2);
    expect(stream.ended).toBe(false);
    now = new Date('2026-01-01T00:05:01Z');
    await eventually(() => stream.ended);
  });
});

describe('a proxy that proves itself by its certificate', () => {
  test.each([
    { because: 'its name is trusted', names: ['127.0.0.1', 'localhost'], withCertificate: true, trusted: true },
    { because: 'it has no certificate', names: ['127.0.0.1', 'localhost'], withCertificate: false, trusted: false },
    { because: 'the certificate has another name', names: ['proxy.example'], withCertificate: true, trusted: false },
  ])('is believed or not: $because', async ({ names, withCertificate, trusted }) => {
    const certificate = await createFakeCertificate();
    const login = proxyLogin({
      userHeader: 'x-forwarded-user',
      groupsHeader: 'x-forwarded-groups',
      trust: { by: 'certificate', names },
      secret: () => Buffer.from('key'),
    });
    const found = Promise.withResolvers<string | undefined>();
    const tls = { cert: certificate.cert, key: certificate.key, ca: certificate.cert, requestCert: true, rejectUnauthorized: false }; // prettier-ignore
    const server = createServer(tls, (incoming, response) => {
      const context = { env: { incoming } } as Parameters<typeof login.identify>[0];
      void login.identify(context).then((visitor) => found.resolve(visitor?.person.user));
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const own = withCertificate ? { cert: certificate.cert, key: certificate.key } : {};
    request({ port, host: '127.0.0.1', ca: certificate.cert, headers: { 'x-forwarded-user': 'ann' }, ...own }).end();
    expect(await found.promise).toBe(trusted ? 'ann' : undefined);
    server.closeAllConnections();
    server.close();
  });
});

describe('the names in the certificate of a proxy', () => {
  test.each([
    { because: 'the common name', names: [], commonName: 'proxy.example', trusted: true },
    { because: 'a name of a host', names: [dns('a.example'), dns('proxy.example')], commonName: 'x', trusted: true },
    { because: 'a name of a host has a separator, and another one in it', names: [dns('a.example, DNS:proxy.example, DNS:b')], commonName: 'x', trusted: false }, // prettier-ignore
    { because: 'a name that is no host has one in it', names: [uri('http://a.example/, DNS:proxy.example, DNS:b')], commonName: 'x', trusted: false }, // prettier-ignore
    { because: 'one of its other names has', names: [dns('proxy.example'), uri('http://a.example/, DNS:b')], commonName: 'x', trusted: false }, // prettier-ignore
    { because: 'it is an address of a page', names: [uri('proxy.example')], commonName: 'x', trusted: false },
  ])('count or not: $because', async ({ names, commonName, trusted }) => {
    const subjectaltname = new X509Certificate(await certificateFor(commonName, names)).subjectAltName;
    const login = proxyLogin({
      userHeader: 'x-forwarded-user',
      groupsHeader: 'x-forwarded-groups',
      trust: { by: 'certificate', names: ['proxy.example'] },
      secret: () => Buffer.from('key'),
    });
    const socket = { authorized: true, getPeerCertificate: () => ({ subject: { CN: commonName }, subjectaltname }) };
    const incoming = { socket, rawHeaders: ['x-forwarded-user', 'ann'] };
    const visitor = await login.identify({ env: { incoming } } as unknown as Parameters<typeof login.identify>[0]);
    expect(visitor?.person.user).toBe(trusted ? 'ann' : undefined);
  });
});
