/**
 * The registry client: image references and descriptors in, verified content out, and the reverse for pushing.
 * Speaks the OCI distribution specification 1.1 to any registry, over one set of keep-alive connections.
 * Called by the catalog and subscription controllers, and by the CLI; unpacking what was pulled is image.ts,
 * making what is pushed is build.ts.
 *
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 */
import { createAuthenticator } from './auth.ts';
import type { CredentialLookup } from './docker-config.ts';
import type { Descriptor } from './manifest.ts';
import type { Mirror } from './mirrors.ts';
import { pullBlob, pullManifest, type PulledManifest, type PullLimits, resolve, type Resolved } from './pull.ts';
import type { Reference } from './reference.ts';
import { createSession } from './session.ts';
import { createTransport, DEFAULT_TIMEOUTS, type Timeouts } from './transport.ts';

export interface RegistryOptions {
  /** Asked before every request, so that a changed Secret acts at once; anonymous where absent. */
  readonly credentials?: CredentialLookup;
  /** Which registries are spoken to without TLS; loopback names where absent. */
  readonly plainHttp?: (registry: string) => boolean;
  readonly userAgent?: string;
  readonly limits?: Partial<RegistryLimits>;
  readonly timeouts?: Partial<Timeouts>;
  /** Aborts everything for good. */
  readonly signal?: AbortSignal;
  /** PEM certificates trusted in addition to the system's. */
  readonly ca?: string | readonly string[];
  /** Proxy variables; absent means no proxy. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>>;
  readonly mirrors?: readonly Mirror[];
  /**
   * Token services and redirects in private networks: `refuse` (default) unless the registry itself lies in one,
   * or `allow`.
   */
  readonly privateAddresses?: 'refuse' | 'allow';
  /** Milliseconds since the epoch; for tokens. */
  readonly now?: () => number;
}

export type RegistryLimits = PullLimits;

export const DEFAULT_LIMITS: RegistryLimits = {
  manifestBytes: 4 << 20,
  blobBytes: 1 << 30,
  resumes: 3,
};

export interface Registry {
  /** What a reference stands for now: digest, type and size of its manifest. */
  resolve(reference: Reference, signal?: AbortSignal): Promise<Resolved>;
  /** The manifest or index, checked against its digest. */
  pullManifest(reference: Reference, signal?: AbortSignal): Promise<PulledManifest>;
  /** Streams a blob of the reference's repository; only a stream that ends without error is verified. */
  pullBlob(
    reference: Reference,
    descriptor: Pick<Descriptor, 'digest' | 'size'>,
    signal?: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  /** Closes idle connections. */
  close(): void;
}

/**
 * A client for any number of registries.
 *
 * Its methods throw ReferenceInvalid and ImageInvalid, DigestMismatch, ImageTooLarge (not retried for a digest),
 * and RegistryUnavailable, RegistryDenied, RegistryThrottled, ImageNotFound (retried).
 */
export function createRegistry(options: RegistryOptions = {}): Registry {
  const transport = createTransport({
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    userAgent: options.userAgent ?? 'slipway',
    ...(options.ca !== undefined && { ca: options.ca }),
    ...(options.proxyEnv !== undefined && { proxyEnv: options.proxyEnv }),
  });
  const allowPrivate = options.privateAddresses === 'allow';
  const authenticator = createAuthenticator({
    transport,
    credentials: options.credentials ?? (() => undefined),
    allowPrivate,
    now: options.now ?? Date.now,
  });
  const session = createSession({
    transport,
    authenticator,
    plainHttp: options.plainHttp ?? isLoopbackName,
    allowPrivate,
  });
  const context = { session, limits: { ...DEFAULT_LIMITS, ...options.limits }, mirrors: options.mirrors ?? [] };
  const either = (signal: AbortSignal | undefined): AbortSignal | undefined => joinSignals(options.signal, signal);
  return {
    resolve: (reference, signal) => resolve(context, reference, either(signal)),
    pullManifest: (reference, signal) => pullManifest(context, reference, either(signal)),
    pullBlob: (reference, descriptor, signal) => pullBlob(context, reference, { descriptor, signal: either(signal) }),
    close: () => transport.close(),
  };
}

/** Whether a registry is this machine by its name: `localhost:5000`, `127.0.0.1:5000`, `[::1]:5000`. */
export function isLoopbackName(registry: string): boolean {
  return /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(registry);
}

function joinSignals(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return AbortSignal.any([a, b]);
}
