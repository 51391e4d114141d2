/**
 * The registry client: image references and descriptors in, verified content out, and the reverse for pushing.
 * Speaks the OCI distribution specification 1.1 to any registry, over one set of keep-alive connections.
 * The catalog and subscription controllers and the CLI call it; image.ts unpacks pulled images, build.ts builds images
 * to push.
 *
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 */
import type { Network } from './address.ts';
import { createAuthenticator } from './auth.ts';
import type { BlobSource } from './blob.ts';
import type { CredentialLookup } from './docker-config.ts';
import { isLoopbackName } from './host.ts';
import type { Descriptor } from './manifest.ts';
import type { Mirrors } from './mirrors.ts';
import { pullBlob } from './pull-blob.ts';
import {
  type PullContext,
  pullManifest,
  type PulledManifest,
  type PullLimits,
  resolve,
  type Resolved,
} from './pull.ts';
import {
  deleteManifest,
  hasBlob,
  mountBlob,
  pushBlob,
  type PushBlobOptions,
  type Pushed,
  pushManifest,
} from './push.ts';
import { type Reference, withTag } from './reference.ts';
import {
  type Referrer,
  type ReferrerLimits,
  type ReferrerManifest,
  type ReferrersOptions,
  referrers,
  pushReferrer,
} from './referrers.ts';
import { listTags, type TagListLimits } from './tags.ts';
import { createSession, type ConnectionLookup } from './session.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from './http-body.ts';
import { createTransport } from './transport.ts';

export interface RegistryOptions {
  /** Called before every request, so that a changed Secret acts at once; if absent, access is anonymous. */
  readonly credentials?: CredentialLookup;
  /** Called when a registry refuses the credentials: cached ones may be outdated. */
  readonly onDenied?: () => void;
  /** Which registries are contacted without TLS; if absent, those with loopback names. */
  readonly plainHttp?: (registry: string) => boolean;
  /** How each repository is connected to, in place of `plainHttp`. */
  readonly connection?: ConnectionLookup;
  readonly userAgent?: string;
  readonly limits?: Partial<RegistryLimits>;
  readonly timeouts?: Partial<Timeouts>;
  /** Aborts everything for good. */
  readonly signal?: AbortSignal;
  /** PEM certificates trusted in addition to the system's. */
  readonly ca?: string | readonly string[];
  /** Proxy variables; absent means no proxy. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>>;
  readonly mirrors?: Mirrors;
  /**
   * Link-local addresses, which give access to credentials of the node in clouds: `refuse` (default) for every registry
   * and all that it points to, or `allow`.
   */
  readonly linkLocalAddresses?: 'refuse' | 'allow';
  /** The system's by default. */
  readonly network?: Network;
  /** Milliseconds since the epoch; for tokens. */
  readonly now?: () => number;
}

export interface RegistryLimits extends PullLimits, TagListLimits, ReferrerLimits {}

const DEFAULT_LIMITS: RegistryLimits = {
  manifestBytes: 4 << 20,
  blobBytes: 1 << 30,
  resumes: 3,
  tags: 100_000,
  pages: 2000,
  pageBytes: 4 << 20,
  referrers: 10_000,
  referrerBytes: 16 << 20,
};

export interface Registry {
  /** The manifest that a reference names now: digest, type and size. */
  resolve(reference: Reference, signal?: AbortSignal): Promise<Resolved>;
  /** The manifest or index, checked against its digest. One of more than `mostBytes`, if given, is not read to its end. */
  pullManifest(reference: Reference, signal?: AbortSignal, mostBytes?: number): Promise<PulledManifest>;
  /** Streams a blob of the reference's repository; only a stream that ends without error is verified. */
  pullBlob(
    reference: Reference,
    descriptor: Pick<Descriptor, 'digest' | 'size'>,
    signal?: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  /** All tags of the reference's repository, each once. */
  listTags(reference: Reference, signal?: AbortSignal): Promise<readonly string[]>;
  hasBlob(reference: Reference, digest: string, signal?: AbortSignal): Promise<boolean>;
  /** Puts a blob into the repository if it is missing. */
  pushBlob(reference: Reference, blob: BlobSource, options?: PushBlobOptions): Promise<Pushed>;
  /** Takes a blob over from another repository of the same registry; false if the registry cannot. */
  mountBlob(reference: Reference, digest: string, options: { from: string; signal?: AbortSignal }): Promise<boolean>;
  /** Puts a manifest under the tag, or under its digest if the reference has no tag. Returns its digest. */
  pushManifest(
    reference: Reference,
    manifest: { readonly bytes: Uint8Array; readonly mediaType: string },
    signal?: AbortSignal,
  ): Promise<string>;
  /** Adds a tag to the image or index of a reference. Returns its digest. */
  tag(reference: Reference, tag: string, signal?: AbortSignal): Promise<string>;
  deleteManifest(reference: Reference, signal?: AbortSignal): Promise<void>;
  /** Manifests that name the reference's digest as their subject. */
  referrers(reference: Reference, options?: Omit<ReferrersOptions, 'limits'>): Promise<readonly Referrer[]>;
  /** Pushes a manifest whose `subject` is the reference's digest, so that it is listed. Returns its digest. */
  pushReferrer(reference: Reference, manifest: ReferrerManifest, signal?: AbortSignal): Promise<string>;
  /** Closes idle connections. */
  close(): void;
}

/**
 * A client for any number of registries.
 *
 * Its methods throw ReferenceInvalid and ImageInvalid, ImageTooLarge (not retried for a digest), and DigestMismatch,
 * RegistryUnavailable, RegistryDenied, RegistryThrottled, ImageNotFound (retried).
 */
export function createRegistry(options: RegistryOptions = {}): Registry {
  const transport = createTransport({
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    userAgent: options.userAgent ?? 'slipway',
    ...(options.ca !== undefined && { ca: options.ca }),
    ...(options.proxyEnv !== undefined && { proxyEnv: options.proxyEnv }),
    ...(options.network !== undefined && { network: options.network }),
    allowLinkLocal: options.linkLocalAddresses === 'allow',
  });
  const authenticator = createAuthenticator({
    transport,
    credentials: options.credentials ?? (() => undefined),
    now: options.now ?? Date.now,
  });
  const session = createSession({
    transport,
    authenticator,
    connection: options.connection ?? connectionBy(options.plainHttp ?? isLoopbackName),
    ...(options.onDenied !== undefined && { onDenied: options.onDenied }),
  });
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const context: PullContext = { session, limits, mirrors: options.mirrors ?? [], damaged: new Set() };
  const either = (signal: AbortSignal | undefined): AbortSignal | undefined => joinSignals(options.signal, signal);
  return {
    resolve: (reference, signal) => resolve(context, reference, either(signal)),
    pullManifest: (reference, signal, manifestBytes = limits.manifestBytes) =>
      pullManifest({ ...context, limits: { ...limits, manifestBytes } }, reference, either(signal)),
    pullBlob: (reference, descriptor, signal) => pullBlob(context, reference, { descriptor, signal: either(signal) }),
    ...listing(context, limits, either),
    ...pushing(context, limits, either),
    close: () => transport.close(),
  };
}

function connectionBy(plainHttp: (registry: string) => boolean): ConnectionLookup {
  return ({ registry }) => ({ plainHttp: plainHttp(registry) });
}

type Join = (signal: AbortSignal | undefined) => AbortSignal | undefined;

function listing(
  context: PullContext,
  limits: RegistryLimits,
  either: Join,
): Pick<Registry, 'listTags' | 'hasBlob' | 'referrers'> {
  const { session } = context;
  return {
    listTags: (reference, signal) => listTags(context, reference, { limits, signal: either(signal) }),
    hasBlob: (reference, digest, signal) => hasBlob(session, reference, { digest, signal: either(signal) }),
    referrers: (reference, { signal, ...options } = {}) =>
      referrers(context, reference, { ...options, limits, signal: either(signal) }),
  };
}

type Writing = 'pushBlob' | 'mountBlob' | 'pushManifest' | 'tag' | 'deleteManifest' | 'pushReferrer';

function pushing(context: PullContext, limits: RegistryLimits, either: Join): Pick<Registry, Writing> {
  const { session } = context;
  return {
    pushBlob(reference, blob, options = {}) {
      const signal = either(options.signal);
      return pushBlob(session, reference, { blob, options: { ...options, ...(signal !== undefined && { signal }) } });
    },
    mountBlob: (reference, digest, { from, signal }) =>
      mountBlob(session, reference, { digest, from, signal: either(signal) }),
    async pushManifest(reference, manifest, signal) {
      const { digest } = await pushManifest(session, reference, { ...manifest, signal: either(signal) });
      return digest;
    },
    async tag(reference, tag, signal) {
      const { bytes, mediaType } = await pullManifest(context, reference, either(signal));
      const { digest } = await pushManifest(session, withTag(reference, tag), {
        bytes,
        mediaType,
        signal: either(signal),
      });
      return digest;
    },
    deleteManifest: (reference, signal) => deleteManifest(session, reference, either(signal)),
    pushReferrer: (reference, manifest, signal) =>
      pushReferrer(context, reference, { manifest, options: { limits, signal: either(signal) } }),
  };
}

function joinSignals(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return AbortSignal.any([a, b]);
}
