/** Explains why a connection failed: which address refused it, which names the certificate has. Pure. */

export interface ConnectionFailure {
  /**
   * Follows `HOST cannot be reached: `. The same cause gives the same text, whatever the order in which addresses were
   * tried.
   */
  readonly message: string;
  /** The remedy, if there is a typical one. */
  readonly hint?: string;
}

/** Describes an error of Node's net, dns or tls module. */
export function describeConnectionFailure(error: unknown): ConnectionFailure {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return { message: 'the connection failed' };
  if (code === 'EPROTO') return withoutTls(error as Error, code);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return wrongName(error as WrongName, code);
  const wording = WORDINGS.get(code);
  if (wording !== undefined) return worded(wording, error, code);
  return isUntrusted(code) ? { message: code, hint: TRUST_IT } : { message: code };
}

interface Wording {
  readonly say: (addresses: string) => string;
  readonly hint?: string;
}

const TRUST_IT = 'Add the certificate authority of the server to those that are trusted';

const WORDINGS: ReadonlyMap<string, Wording> = new Map<string, Wording>([
  ['ENOTFOUND', { say: () => 'the name is unknown' }],
  ['ECONNREFUSED', { say: (to) => `the connection${to} is refused` }],
  ['ETIMEDOUT', { say: (to) => `the connection${to} timed out` }],
  ['EHOSTUNREACH', { say: (to) => `there is no route${to}` }],
  ['ENETUNREACH', { say: (to) => `there is no route${to}` }],
  ['ECONNRESET', { say: () => 'the connection was cut' }],
  ['CERT_HAS_EXPIRED', { say: () => 'the certificate has expired', hint: 'Renew the certificate of the server' }],
  [
    'CERT_NOT_YET_VALID',
    { say: () => 'the certificate is not valid yet', hint: 'Compare the clocks of the server and of this machine' },
  ],
]);

function worded({ say, hint }: Wording, error: unknown, code: string): ConnectionFailure {
  return { message: `${say(addressesOf(error))} (${code})`, ...(hint !== undefined && { hint }) };
}

/** ` to 127.0.0.1:5000 and [::1]:5000`, sorted; empty if the error names none. */
function addressesOf(error: unknown): string {
  const each = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error];
  const found = each.map((one) => one as { readonly address?: string; readonly port?: number });
  const addresses = found.flatMap(({ address, port }) =>
    address === undefined || port === undefined ? [] : `${address.includes(':') ? `[${address}]` : address}:${port}`,
  );
  return addresses.length === 0 ? '' : ` to ${[...new Set(addresses)].sort().join(' and ')}`;
}

/** As Node's tls module reports it; the certificate's content is the server's claim. */
interface WrongName {
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string; readonly subject?: { readonly CN?: unknown } };
}

function wrongName({ host, cert }: WrongName, code: string): ConnectionFailure {
  const names = namesOf(cert);
  const listed = names.length === 0 ? 'no name at all' : names.join(', ');
  return {
    message: `the certificate is for ${listed}${host === undefined ? '' : `, not for ${host}`} (${code})`,
    hint: 'Address the server by a name that its certificate has, or issue the certificate for this name',
  };
}

const MAX_NAMES = 5;

function namesOf(cert: WrongName['cert']): readonly string[] {
  const alternatives = (cert?.subjectaltname ?? '')
    .split(', ')
    .map((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1]);
  const names = alternatives.filter((name) => name !== undefined);
  const common = cert?.subject?.CN;
  const all = names.length === 0 && typeof common === 'string' ? [common] : names;
  const more = all.length - MAX_NAMES;
  return [...all.slice(0, MAX_NAMES).map((name) => name.slice(0, 253)), ...(more > 0 ? [`${more} more names`] : [])];
}

/** A server without TLS answers the greeting of TLS by text, or by nothing that TLS knows. */
function withoutTls({ message }: Error, code: string): ConnectionFailure {
  if (!/wrong version number|packet length too long|http request/i.test(message))
    return { message: `the TLS handshake failed (${code})` };
  return {
    message: `the server does not speak TLS (${code})`,
    hint: 'If the server has no TLS, let it be spoken to without: `insecure` of a RegistryPolicy, or --plain-http',
  };
}

/** Whether a certificate was refused since no trusted authority has signed it, by the code of the error. */
export function isUntrusted(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)/.test(code);
}
