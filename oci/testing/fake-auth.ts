/** The authentication of the fake registry, and its token service at `/token`. */
import type { FakeAnswer, FakeCall } from './fake-call.ts';

export type FakeAuth =
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | {
      readonly kind: 'bearer';
      /** The user who may get tokens; absent: everyone. */
      readonly username?: string;
      readonly password?: string;
      readonly identityToken?: string;
      /** `expires_in` of the tokens. */
      readonly expiresIn?: number;
      /** Target of the challenge; `<url>/token` by default. */
      readonly realm?: string;
    };

const SERVICE = 'fake';

/** The refusal or token for a call; undefined if the call may go on. */
export function answerAuth(auth: FakeAuth | undefined, call: FakeCall, base: string): FakeAnswer | undefined {
  if (auth === undefined) return undefined;
  if (call.url.pathname === '/token' && auth.kind === 'bearer') return answerToken(auth, call);
  const { authorization } = call.headers;
  if (auth.kind === 'basic') {
    return authorization === basic(auth.username, auth.password) ? undefined : unauthorized('Basic realm="fake"');
  }
  const granted = authorization?.startsWith('Bearer ') === true ? readToken(authorization.slice(7)) : [];
  const needed = neededScopes(call);
  if (needed.every(({ repository, action }) => granted.includes(`${repository}:${action}`))) return undefined;
  const scope =
    needed.length === 0
      ? ''
      : `,scope="repository:${needed[0]?.repository}:${needed.map((need) => need.action).join(',')}"`;
  return unauthorized(`Bearer realm="${auth.realm ?? `${base}/token`}",service="${SERVICE}"${scope}`);
}

/** A token that the fake accepts for scopes such as `repository:org/app:pull`. */
export function fakeToken(scopes: readonly string[]): string {
  return Buffer.from(JSON.stringify(scopes)).toString('base64url');
}

function answerToken(auth: FakeAuth & { kind: 'bearer' }, call: FakeCall): FakeAnswer {
  const form = new URLSearchParams(call.body.toString('utf8'));
  const scopes = call.method === 'POST' ? (form.get('scope') ?? '').split(' ') : call.url.searchParams.getAll('scope');
  if (!isWelcome(auth, call, form)) return { status: 401, body: '{}' };
  const token = { token: fakeToken(scopes), ...(auth.expiresIn !== undefined && { expires_in: auth.expiresIn }) };
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(token) };
}

function isWelcome(auth: FakeAuth & { kind: 'bearer' }, call: FakeCall, form: URLSearchParams): boolean {
  if (call.method === 'POST') return form.get('refresh_token') === auth.identityToken;
  return auth.username === undefined || call.headers.authorization === basic(auth.username, auth.password ?? '');
}

/** `repository:org/app:pull,push` → `org/app:pull`, `org/app:push`. */
function readToken(token: string): readonly string[] {
  try {
    const scopes = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as string[];
    return scopes.flatMap((scope) => {
      const [, repository = '', actions = ''] = scope.split(':');
      return actions.split(',').map((action) => `${repository}:${action}`);
    });
  } catch {
    return [];
  }
}

function neededScopes({ method, url }: FakeCall): readonly { repository: string; action: string }[] {
  const repository = /^\/v2\/(.+?)\/(?:manifests|blobs|tags|referrers)\//.exec(url.pathname)?.[1];
  if (repository === undefined) return [];
  if (method === 'GET' || method === 'HEAD') return [{ repository, action: 'pull' }];
  if (method === 'DELETE' && !url.pathname.includes('/uploads/')) return [{ repository, action: 'delete' }];
  const from = url.searchParams.get('from');
  const both = ['pull', 'push'].map((action) => ({ repository, action }));
  return from === null ? both : [...both, { repository: from, action: 'pull' }];
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function unauthorized(challenge: string): FakeAnswer {
  return {
    status: 401,
    headers: { 'www-authenticate': challenge, 'content-type': 'application/json' },
    body: '{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}',
  };
}
