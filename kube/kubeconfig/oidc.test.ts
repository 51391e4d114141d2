import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFakeApi, type FakeApi } from '../testing/fake-api.ts';
import { startFakeIssuer, type FakeIssuer } from '../testing/fake-issuer.ts';
import { clusterEntry, kubeconfigText } from '../testing/kubeconfig-text.ts';
import { createTransport, type Transport } from '../transport/transport.ts';
import { loadKubeconfig } from './kubeconfig.ts';

const LIST = { method: 'GET', path: '/api/v1/namespaces' } as const;
let folder: string;
let api: FakeApi;
let issuer: FakeIssuer;
let transport: Transport | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-oidc-'));
  [api, issuer] = await Promise.all([startFakeApi(), startFakeIssuer()]);
});
afterEach(async () => {
  transport?.close();
  await Promise.all([api.close(), issuer[Symbol.asyncDispose]()]);
  rmSync(folder, { recursive: true });
});

async function connect(changes: Readonly<Record<string, string>>): Promise<Transport> {
  const config = {
    'idp-issuer-url': issuer.url,
    'idp-certificate-authority-data': btoa(issuer.ca),
    'client-id': 'slipway',
    'client-secret': 'hush',
    'refresh-token': issuer.refreshToken(),
    ...changes,
  };
  const path = join(folder, 'kubeconfig');
  writeFileSync(path, kubeconfigText({ 'auth-provider': { name: 'oidc', config } }, clusterEntry(api.config)));
  return (transport = createTransport((await loadKubeconfig(path)).config, { random: () => 0 }));
}

const tokens = (): (string | undefined)[] =>
  api.requests.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));

describe('an id-token of OpenID Connect', () => {
  test('a valid id-token is sent without a call to the issuer', async () => {
    const idToken = issuer.idToken(600);
    const connected = await connect({ 'id-token': idToken });
    await connected.request(LIST);
    expect(tokens()).toEqual([idToken]);
    expect(issuer.given).toEqual([]);
  });

  test.each([
    { because: 'it has expired', lifetime: -60 },
    { because: 'it would expire on the way', lifetime: 5 },
    { because: 'there is none yet', lifetime: undefined },
  ])('an id-token is replaced once for all requests: $because', async ({ lifetime }) => {
    const old: Record<string, string> = lifetime === undefined ? {} : { 'id-token': issuer.idToken(lifetime) };
    const connected = await connect(old);
    await Promise.all([connected.request(LIST), connected.request(LIST)]);
    await connected.request(LIST);
    expect(issuer.given).toHaveLength(1);
    expect(tokens()).toEqual([issuer.given[0], issuer.given[0], issuer.given[0]]);
  });

  test('an id-token that the API server refuses is replaced, using the newest refresh-token', async () => {
    const connected = await connect({ 'id-token': issuer.idToken(-60) });
    api.fault((request, response) => {
      if (request.headers.authorization !== `Bearer ${issuer.given[0]}`) return false;
      response.writeHead(401).end();
      return true;
    });
    expect((await connected.request(LIST)).status).toBe(200);
    expect(tokens()).toEqual([issuer.given[0], issuer.given[1]]);
  });

  test('a refused id-token is kept if there is no refresh-token', async () => {
    api.fault((_request, response) => (response.writeHead(401).end(), true));
    const connected = await connect({ 'id-token': issuer.idToken(600), 'refresh-token': '' });
    await expect(connected.request(LIST)).rejects.toMatchObject({ code: 401 });
  });
});

describe('an OpenID Connect issuer', () => {
  test.each([
    { because: 'it announces no methods', methods: undefined, client: 'basic slipway hush' },
    {
      because: 'it accepts both methods',
      methods: ['client_secret_post', 'client_secret_basic'],
      client: 'basic slipway hush',
    },
    { because: 'it accepts the body only', methods: ['client_secret_post'], client: 'post slipway hush' },
  ])('the issuer gets the client secret: $because', async ({ methods, client }) => {
    issuer.authMethods = methods;
    await (await connect({ 'id-token': issuer.idToken(-60) })).request(LIST);
    expect(issuer.lastClient()).toBe(client);
  });

  test("the issuer's certificate authority may be in a file beside the kubeconfig", async () => {
    writeFileSync(join(folder, 'issuer.pem'), issuer.ca);
    const changes = { 'idp-certificate-authority-data': '', 'idp-certificate-authority': 'issuer.pem' };
    await (await connect(changes)).request(LIST);
    expect(issuer.given).toHaveLength(1);
  });

  test.each([
    { because: 'the session has ended', changes: { 'refresh-token': 'spent' }, says: 'the session has ended' },
    {
      because: 'its certificate is not trusted',
      changes: { 'idp-certificate-authority-data': '' },
      says: 'certificate',
    },
    { because: 'its host does not answer', changes: { 'idp-issuer-url': 'https://127.0.0.1:1' }, says: '127.0.0.1:1' },
    { because: 'its address is invalid', changes: { 'idp-issuer-url': 'nowhere' }, says: 'nowhere' },
    { because: 'it is not configured', changes: { 'idp-issuer-url': '' }, says: 'idp-issuer-url' },
    { because: 'the client is not configured', changes: { 'client-id': '' }, says: 'client-id' },
    { because: 'there is no refresh-token', changes: { 'refresh-token': '' }, says: 'refresh-token' },
  ])('without a token from the issuer, no request is sent: $because', async ({ changes, says }) => {
    const connected = await connect({ 'id-token': issuer.idToken(-60), ...changes });
    await expect(connected.request(LIST)).rejects.toMatchObject({
      reason: 'CredentialsUnavailable',
      retry: 'backoff',
      message: expect.stringContaining(says),
      hint: expect.stringMatching(/\S/),
    });
    expect(api.requests).toEqual([]);
  });
});
