/**
 * How to reach an API server and who to be there, as plain values. Secrets and certificates that rotate are
 * functions that the transport asks again; nothing here reads the environment.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReasonedError } from '../../api/errors.ts';
import { systemClock, type Clock } from '../clock.ts';

/** A text that may change: cheap to ask for, and read anew when `fresh` is set. */
export type TextSource = (options?: { readonly fresh?: boolean }) => string | Promise<string>;

/** What an API server accepts as proof of who asks; certificate and key are PEM texts. */
export interface Credentials {
  readonly token?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
}

/** Credentials that end: cheap to ask for, and requested again from their source if `fresh` is set. */
export type CredentialSource = (options?: { readonly fresh?: boolean }) => Promise<Credentials>;

/** The user to act as. @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation */
export interface Impersonation {
  readonly user: string;
  /** Empty: the API server keeps its own. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** PEM text, or where to get it. */
export type Pem = string | Buffer | TextSource;

export interface ConnectionConfig {
  /** `https://10.96.0.1:443`; a path is a prefix of every request. */
  readonly server: string;
  /** Certificates that the server may be signed by; absent: those of the system. */
  readonly ca?: Pem;
  /** Bearer token; asked before each request, and with `fresh` after a 401. */
  readonly token?: TextSource;
  readonly clientCert?: Pem;
  readonly clientKey?: Pem;
  /**
   * In place of token and client certificate, for those that a program or an issuer makes. Asked before each request,
   * and with `fresh` after a 401 or if the server refuses the certificate.
   */
  readonly credentials?: CredentialSource;
  /** Sent with each request that does not itself name a user to act as. */
  readonly impersonate?: Impersonation;
  /** Name that the server's certificate must carry, where it is not the host of `server`. */
  readonly tlsServerName?: string;
  /** Accepts any certificate of the server, so that everything sent can be read and changed on the way. */
  readonly insecureSkipTlsVerify?: boolean;
  /** Variables such as `HTTPS_PROXY` and `NO_PROXY` that say which proxy to use. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>>;
}

/** What a Pod knows of its API server. */
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

/** The namespace that the Pod runs in. Throws ReasonedError(ApiUnavailable) where the mount is missing. */
export async function readPodNamespace(folder: string): Promise<string> {
  return fileSource(join(folder, 'namespace'))();
}

/**
 * A text file that is read again when the last reading is older than `maxAgeSeconds`, and at once for `fresh`.
 * A file that cannot be read for a moment leaves the last text in use; throws ReasonedError(ApiUnavailable,
 * backoff) where there is none.
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
