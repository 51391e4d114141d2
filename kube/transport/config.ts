/**
 * How to reach an API server, and as which user, as plain values. Rotating secrets and certificates are functions that
 * the transport calls again; nothing here reads the environment.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReasonedError } from '../../api/errors.ts';
import { systemClock, type Clock } from '../clock.ts';

/** A text that may change: cheap to get, and read again if `fresh` is set. */
export type TextSource = (options?: { readonly fresh?: boolean }) => string | Promise<string>;

/** Proof of identity for an API server; certificate and key are PEM texts. */
export interface Credentials {
  readonly token?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
}

/** Credentials that expire: cheap to get, and requested again from their source if `fresh` is set. */
export type CredentialSource = (options?: { readonly fresh?: boolean }) => Promise<Credentials>;

/** The user to act as. @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation */
export interface Impersonation {
  readonly user: string;
  /** Empty: the API server keeps its own. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** PEM text, or the function that returns it. */
export type Pem = string | Buffer | TextSource;

export interface ConnectionConfig {
  /** `https://10.96.0.1:443`; a path is a prefix of every request. */
  readonly server: string;
  /** Authorities that may have signed the server's certificate; absent: those of the system. */
  readonly ca?: Pem;
  /** Bearer token; requested before each request, and with `fresh` after a 401. */
  readonly token?: TextSource;
  readonly clientCert?: Pem;
  readonly clientKey?: Pem;
  /**
   * Replaces token and client certificate with credentials from a program or an issuer. Requested before each request,
   * and with `fresh` after a 401 or if the server refuses the certificate.
   */
  readonly credentials?: CredentialSource;
  /** Sent with each request that does not name a user to act as. */
  readonly impersonate?: Impersonation;
  /** Name that the server's certificate must carry, if it is not the host of `server`. */
  readonly tlsServerName?: string;
  /** Accepts any certificate, so that an attacker could read and change all traffic. */
  readonly insecureSkipTlsVerify?: boolean;
  /** Variables such as `HTTPS_PROXY` and `NO_PROXY` that select the proxy. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>>;
}

/** The Pod's environment that leads to its API server. */
export interface PodEnvironment {
  /** `KUBERNETES_SERVICE_HOST`. */
  readonly host: string;
  /** `KUBERNETES_SERVICE_PORT`. */
  readonly port: string | number;
  /** The ServiceAccount's mount: holds `token`, `ca.crt` and `namespace`. */
  readonly folder: string;
}

/**
 * The connection of a Pod with its ServiceAccount. Token and certificates are read again every minute and
 * whenever the server refuses them, as both rotate.
 * @see https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
 */
export function inClusterConfig({ host, port, folder }: PodEnvironment): ConnectionConfig {
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    server: `https://${name}:${port}`,
    token: fileSource(join(folder, 'token')),
    ca: fileSource(join(folder, 'ca.crt')),
  };
}

/** The namespace of the Pod. Throws ReasonedError(ApiUnavailable) if the mount is missing. */
export async function readPodNamespace(folder: string): Promise<string> {
  return fileSource(join(folder, 'namespace'))();
}

/**
 * A text file that is read again when the last read is older than `maxAgeSeconds`, and at once for `fresh`. If the file
 * cannot be read for a moment, the last text stays in use; throws ReasonedError(ApiUnavailable, backoff) if there is
 * none.
 */
export function fileSource(
  path: string,
  options: { readonly maxAgeSeconds?: number; readonly clock?: Clock } = {},
): TextSource {
  const { maxAgeSeconds = 60, clock = systemClock } = options;
  let last: { readonly text: string; readonly readAt: number } | undefined;
  return async ({ fresh = false } = {}) => {
    if (last !== undefined && !fresh && clock.now() - last.readAt < maxAgeSeconds) return last.text;
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      if (last !== undefined) return last.text;
      throw unreadable(path, cause);
    });
    last = { text: text.trim(), readAt: clock.now() };
    return last.text;
  };
}

function unreadable(path: string, cause: unknown): ReasonedError {
  return new ReasonedError({
    reason: 'ApiUnavailable',
    retry: 'backoff',
    message: `cannot read ${path}`,
    hint: 'Check that the ServiceAccount is mounted and readable',
    cause,
  });
}
