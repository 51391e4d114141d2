/**
 * Checks the signatures of an image against `spec.verify` of its Catalog: fetches what the registry has, and lets
 * signatures/ judge it. The verifier is loaded with the first check, since most managers check nothing.
 */
import { createHash } from 'node:crypto';
import type { Catalog, Verify } from '../api/catalog.ts';
import type { Cluster } from '../api/cluster.ts';
import { ReasonedError } from '../api/errors.ts';
import type { Signature } from '../api/signature.ts';
import { parseReference, type Reference } from '../oci/reference.ts';
import { collectSignatures } from '../oci/signatures.ts';
import type { SignaturePolicy, TrustRoot } from '../signatures/policy.ts';
import { hashFields } from './config-hash.ts';
import { createRecent } from './recent.ts';
import type { Registries } from './registries.ts';

export interface ImageToCheck {
  /** Reference by digest. */
  readonly image: string;
  readonly content: 'Catalog' | 'Bundles';
  readonly pullSecret: string | undefined;
}

/**
 * Undefined if the Catalog requires no signature of such content.
 *
 * @throws ReasonedError (Unsigned, SignedByOtherKey, …; never retried by itself) with enforcement, else the result has
 * the problem; InvalidSpec if the trusted root or a key cannot be used; the errors of a registry (retried)
 */
export type CheckSignatures = (
  catalog: Pick<Catalog, 'metadata' | 'spec'>,
  toCheck: ImageToCheck,
  signal: AbortSignal,
) => Promise<Signature | undefined>;

export interface SignatureCheckDeps {
  readonly registries: Registries;
  readonly cluster: Pick<Cluster, 'get'>;
  /** The manager's namespace. */
  readonly namespace: string;
}

/** Whether the Catalog requires signatures of such content. */
export function requiresSignatures({ verify, source }: Catalog['spec'], content: ImageToCheck['content']): boolean {
  if (verify === undefined || (content === 'Catalog' && source.image === undefined)) return false;
  return verify.content?.includes(content) ?? true;
}

/** 32 hex digits over the policy: content that passed under it need not be checked again. */
export function policyHash(verify: Verify): string {
  return hashFields(verify);
}

/**
 * Remembers the images that passed: a digest that is signed stays signed, as long as the policy and its trusted root are
 * the same.
 */
export function createSignatureChecks(deps: SignatureCheckDeps): CheckSignatures {
  const passed = createRecent<Signature>();
  return async ({ spec: { verify, ...spec } }, toCheck, signal) => {
    if (verify === undefined || !requiresSignatures({ ...spec, verify }, toCheck.content)) return undefined;
    const policy = policyHash(verify);
    try {
      const root = await rootOf(deps, verify, signal);
      const key = `${policy} ${root.hash} ${toCheck.image}`;
      const signature = passed.get(key) ?? { policy, by: await check(deps, { verify, root, toCheck }, signal) };
      passed.set(key, signature);
      return signature;
    } catch (error) {
      if (verify.enforcement === 'Enforce' || !(error instanceof ReasonedError)) throw error;
      // The Subscriptions of tenants repeat the problem of a bundle.
      const said = (toCheck.content === 'Bundles' ? error.forTenants : undefined) ?? error.describe();
      return { policy, problem: `${error.reason}: ${said}`.slice(0, MOST_PROBLEM) };
    }
  };
}

/** Lengths of the fields in api/signature.ts; the subject of a certificate has no bound of its own. */
const [MOST_BY, MOST_PROBLEM] = [1100, 4096];

interface Asked {
  readonly verify: Verify;
  readonly root: ReadRoot;
  readonly toCheck: ImageToCheck;
}

/** Who signed. */
async function check(
  { registries }: SignatureCheckDeps,
  { verify, root, toCheck: { image, pullSecret } }: Asked,
  signal: AbortSignal,
): Promise<string> {
  const reference = byDigest(image);
  const [policy, { verifyImage }] = await Promise.all([policyOf(verify, root), import('../signatures/verify.ts')]);
  const signatures = await collectSignatures(registries(pullSecret), reference, signal);
  const { registry, repository, digest } = reference;
  return verifyImage({ repository: `${registry}/${repository}`, digest }, signatures, policy).by.slice(0, MOST_BY);
}

function byDigest(image: string): Reference & { readonly digest: string } {
  const reference = parseReference(image);
  const { digest } = reference;
  if (digest === undefined) throw new Error(`the signatures of ${image} are asked for without its digest`);
  return { ...reference, digest };
}

/** Before the registry is asked: a policy that cannot be used is reported as such, whatever is signed. */
async function policyOf(
  { keys = [], identities = [], mirrored = [] }: Verify,
  root: ReadRoot,
): Promise<SignaturePolicy> {
  const { requireKeys } = await import('../signatures/trusted-keys.ts');
  requireKeys(keys);
  return { keys, identities, mirrored, root: await root.parse() };
}

/** A trusted root that is parsed only if it is needed. */
interface ReadRoot {
  readonly hash: string;
  readonly parse: () => Promise<TrustRoot>;
}

const FOR_TENANTS = 'the trusted root of the Catalog cannot be used. Ask an administrator of the cluster';

async function rootOf(deps: SignatureCheckDeps, { trustedRoot }: Verify, signal: AbortSignal): Promise<ReadRoot> {
  if (trustedRoot === undefined) return { hash: 'public', parse: parsePublicRoot };
  const place = `ConfigMap ${deps.namespace}/${trustedRoot.name}`;
  const text = await readRoot(deps, { name: trustedRoot.name, place }, signal);
  const parse = async (): Promise<TrustRoot> => {
    const { parseTrustedRoot } = await import('../signatures/trusted-root.ts');
    return parseTrustedRoot(text, place, FOR_TENANTS);
  };
  return { hash: createHash('sha256').update(text).digest('hex'), parse };
}

async function parsePublicRoot(): Promise<TrustRoot> {
  const [{ parseTrustedRoot }, { PUBLIC_ROOT }] = await Promise.all([
    import('../signatures/trusted-root.ts'),
    import('../signatures/public-root.ts'),
  ]);
  return parseTrustedRoot(PUBLIC_ROOT, 'this version of Slipway');
}

async function readRoot(
  { cluster, namespace }: SignatureCheckDeps,
  { name, place }: { readonly name: string; readonly place: string },
  signal: AbortSignal,
): Promise<string> {
  const found = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name }, signal);
  const text = (found?.['data'] as Readonly<Record<string, string>> | undefined)?.['trusted_root.json'];
  if (text !== undefined) return text;
  throw new ReasonedError({
    reason: 'InvalidSpec',
    retry: 'backoff',
    message: `${place} ${found === undefined ? 'does not exist' : 'has no trusted_root.json'}`,
    hint: 'Create it from the trusted_root.json of the Sigstore instance that signs',
    forTenants: FOR_TENANTS,
  });
}
