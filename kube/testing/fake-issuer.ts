/**
 * An OpenID Connect issuer for tests, on loopback with TLS: returns id-tokens for refresh-tokens, each of which is
 * valid once.
 */
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakeCertificate } from './fake-certificate.ts';

export interface FakeIssuer extends AsyncDisposable {
  readonly url: string;
  /** PEM of the authority that its certificate is signed by. */
  readonly ca: string;
  /** The currently valid refresh-token. */
  readonly refreshToken: () => string;
  /** An id-token that expires in this many seconds. */
  readonly idToken: (seconds: number) => string;
  /** Tokens issued so far. */
  readonly given: readonly string[];
  /** Authentication methods for clients, as the issuer announces them. */
  authMethods: readonly string[] | undefined;
  /** The method that the last client used. */
  readonly lastClient: () => string | undefined;
}

/** An issuer for the client `slipway` with the secret `hush`; its tokens last for `lifetimeSeconds`. */
export async function startFakeIssuer({ lifetimeSeconds = 3600 } = {}): Promise<FakeIssuer> {
  const { cert, key } = await createFakeCertificate();
  const given: string[] = [];
  let [refreshToken, serial, lastClient] = ['refresh-0', 0, undefined as string | undefined];
  const server = createServer({ cert, key }, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const idToken = (seconds: number): string => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: url, aud: 'slipway', sub: 'person', iat: now, exp: now + seconds, jti: String(serial++) };
    return [{ alg: 'RS256' }, claims].map(encode).concat(Buffer.from('signature').toString('base64url')).join('.');
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/.well-known/openid-configuration') return void response.end(JSON.stringify(metadata()));
    const form = new URLSearchParams(await readText(request));
    lastClient = clientOf(request, form);
    if (form.get('refresh_token') !== refreshToken || !/^(basic|post) slipway hush$/.test(lastClient)) {
      response.statusCode = 400;
      return void response.end(JSON.stringify({ error: 'invalid_grant', error_description: 'the session has ended' }));
    }
    refreshToken = `refresh-${given.length + 1}`;
    given.push(idToken(lifetimeSeconds));
    const token = { access_token: 'unused', token_type: 'Bearer', expires_in: lifetimeSeconds };
    response.end(JSON.stringify({ ...token, id_token: given.at(-1), refresh_token: refreshToken }));
  }

  function metadata(): object {
    const methods = issuer.authMethods;
    return {
      issuer: url,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
      ...(methods !== undefined && { token_endpoint_auth_methods_supported: methods }),
    };
  }

  const issuer: FakeIssuer = {
    url,
    ca: cert,
    refreshToken: () => refreshToken,
    idToken,
    given,
    authMethods: undefined,
    lastClient: () => lastClient,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return issuer;
}

function clientOf({ headers }: IncomingMessage, form: URLSearchParams): string {
  const [, basic] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
  if (basic !== undefined) return `basic ${Buffer.from(basic, 'base64').toString().replace(':', ' ')}`;
  return `post ${form.get('client_id')} ${form.get('client_secret')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8') as AsyncIterable<string>) text += piece;
  return text;
}
