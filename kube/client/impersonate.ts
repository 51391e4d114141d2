/** Acts as another user over the same connections. */
import type { Transport } from '../transport/transport.ts';

/** The user to act as: the API server checks the request against that user's rights. */
export interface ImpersonatedUser {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Headers of the caller that name a user to act as are replaced, whatever their spelling.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export function impersonating(transport: Transport, subject: ImpersonatedUser): Transport {
  const own = headersOf(subject);
  const headersFor = (given: Headers = {}): Headers => ({ ...withoutImpersonation(given), ...own });
  return {
    request: (request) => transport.request({ ...request, headers: headersFor(request.headers) }),
    stream: (request) => transport.stream({ ...request, headers: headersFor(request.headers) }),
    close: () => transport.close(),
  };
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

function headersOf({ user, uid = '', groups = [], extra = {} }: ImpersonatedUser): Headers {
  const extras = Object.entries(extra)
    .filter(([, values]) => values.length > 0)
    .map(([key, values]) => [`impersonate-extra-${escapeKey(key)}`, values.map(asBytes)] as const);
  return {
    'impersonate-user': asBytes(user),
    ...(uid !== '' && { 'impersonate-uid': asBytes(uid) }),
    ...(groups.length > 0 && { 'impersonate-group': groups.map(asBytes) }),
    ...Object.fromEntries(extras),
  };
}

function withoutImpersonation(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^impersonate-/i.test(name)));
}

/** The API server reads names of headers in lower case, and undoes the escapes after that. */
function escapeKey(key: string): string {
  const bytes = [...Buffer.from(key)];
  return bytes
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[a-z0-9_.-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}

/** The API server reads the bytes of a header as UTF-8, and Node writes one byte for each character. */
function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
