/** What a person at a terminal can do if a registry cannot be reached, by the code of the failure. Pure. */
import { isUntrusted } from '../../api/connection-failure.ts';
import type { ReasonedError } from '../../api/errors.ts';

/** The remedy for a failed connection; undefined if the error is no such failure, or has a remedy of its own. */
export function registryHint({ reason, cause }: ReasonedError, args: readonly string[]): string | undefined {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (reason !== 'RegistryUnavailable' || code === undefined) return undefined;
  if (isWithoutAnswerOfHttp(code) && args.includes('--plain-http'))
    return 'If the registry has TLS, leave --plain-http out';
  const hint = HINTS.get(code);
  if (hint !== undefined) return hint;
  return isUntrusted(code) && !OF_ITS_OWN.has(code) ? TRUST_IT : undefined;
}

/** A server with TLS cuts a connection that begins with plain HTTP, or answers in bytes that are none. */
function isWithoutAnswerOfHttp(code: string): boolean {
  return code === 'ECONNRESET' || code.startsWith('HPE_');
}

const CHECK_NAME = 'Check the name of the registry; one that is reached through a proxy needs HTTPS_PROXY';
const CHECK_PORT = 'Check the port of the registry, and that it runs';
const CHECK_WAY = 'Check that this machine reaches the registry; a proxy is named by HTTPS_PROXY';
const TRUST_IT =
  'Name a file with the certificate authority of the registry, in PEM form, by the variable NODE_EXTRA_CA_CERTS';

const HINTS: ReadonlyMap<string, string> = new Map([
  ['EPROTO', 'If the registry has no TLS, add --plain-http'],
  ['ENOTFOUND', CHECK_NAME],
  ['EAI_AGAIN', CHECK_NAME],
  ['ECONNREFUSED', CHECK_PORT],
  ['ETIMEDOUT', CHECK_WAY],
  ['EHOSTUNREACH', CHECK_WAY],
  ['ENETUNREACH', CHECK_WAY],
  ['ECONNRESET', 'Try again; a proxy or a firewall between may cut connections'],
]);

/** Faults of a certificate that trust does not mend. */
const OF_ITS_OWN: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
