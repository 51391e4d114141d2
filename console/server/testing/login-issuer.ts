/** An OpenID Connect issuer for tests, on loopback with TLS: code flow with PKCE, and tokens that are signed for real. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { createFakeCertificate } from '../../../kube/testing/fake-certificate.ts';

export interface LoginIssuer extends AsyncDisposable {
  readonly url: string;
  /** PEM of the authority of its certificate. */
  readonly ca: string;
  /** Claims of the person who logs in; `nonce`, `aud` and the like may be replaced too. */
  claims: Readonly<Record<string, unknown>>;
  /** How id-tokens are signed. */
  signing: 'own key' | 'another key' | 'not at all';
  /** Requests for tokens so far, with their forms. */
  readonly exchanges: readonly URLSearchParams[];
  /** Logs the person in at the address to which a browser was sent; returns the address to which it is sent back. */
  authorize(address: string): string;
}

interface Granted {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirectUri: string;
}

/** An issuer for the client `console` with the secret `hush`. */
export async function startLoginIssuer(): Promise<LoginIssuer> {
  const { cert, key } = await createFakeCertificate();
  const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const codes = new Map<string, Granted>();
  const exchanges: URLSearchParams[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/.well-known/openid-configuration') return void response.end(JSON.stringify(metadataOf(url)));
    if (request.url === '/keys') {
      const jwk = { ...(await exportJWK(own.publicKey)), kid: 'own', alg: 'RS256', use: 'sig' };
      return void response.end(JSON.stringify({ keys: [jwk] }));
    }
    const form = new URLSearchParams(await readText(request));
    exchanges.push(form);
    const granted = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    if (granted === undefined || !isMeant(form, granted)) {
      response.statusCode = 400;
      return void response.end(JSON.stringify({ error: 'invalid_grant', error_description: 'the code is not known' }));
    }
    const token = { access_token: 'unused', token_type: 'Bearer', expires_in: 60, id_token: await idToken(granted) };
    response.end(JSON.stringify(token));
  }

  async function idToken({ nonce }: Granted): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: url, aud: 'console', sub: 'person', iat: now, exp: now + 60, nonce, ...issuer.claims };
    if (issuer.signing === 'not at all') return new UnsecuredJWT(claims).encode();
    const { privateKey } = issuer.signing === 'own key' ? own : other;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'own' }).sign(privateKey);
  }

  const issuer: LoginIssuer = {
    url,
    ca: cert,
    claims: {},
    signing: 'own key',
    exchanges,
    authorize(address) {
      const { searchParams } = new URL(address);
      const read = (name: string): string => searchParams.get(name) ?? '';
      const code = randomUUID();
      codes.set(code, {
        challenge: read('code_challenge'),
        nonce: read('nonce'),
        redirectUri: read('redirect_uri'),
      });
      const back = new URL(read('redirect_uri'));
      back.search = new URLSearchParams({ code, state: read('state') }).toString();
      return back.href;
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return issuer;
}

function metadataOf(url: string): object {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    end_session_endpoint: `${url}/logout`,
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
  };
}

function isMeant(form: URLSearchParams, { challenge, redirectUri }: Granted): boolean {
  const verifier = form.get('code_verifier') ?? '';
  const isProven = createHash('sha256').update(verifier).digest('base64url') === challenge;
  return isProven && form.get('redirect_uri') === redirectUri && form.get('client_secret') === 'hush';
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8') as AsyncIterable<string>) text += piece;
  return text;
}
