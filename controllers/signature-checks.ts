/**
 * Checks the signatures of an image against `spec.verify` of its Catalog: fetches what the registry has, and lets
 * signatures/ judge it. The verifier is loaded with the first check, since most managers check nothing.
 */
import { createHash } from 'node:crypto';
import type { Catalog, Verify } from '../api/catalog.ts';
import type { Cluster } from '../api/cluster.ts';
import { ReasonedError } from '../api/errors.ts';
import { canonicalJson } from '../api/json.ts';
import type { Signature } from '../api/signature.ts';
import { parseReference, type Reference } from '../oci/reference.ts';
import { collectSignatures } from '../oci/signatures.ts';
import type { SignaturePolicy, TrustRoot } from '../signatures/policy.ts';
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
  return createHash('sha256').update(canonicalJson(verify)).digest('hex').slice(0, 32);
}

/** Remembers the images that passed: a digest that is signed stays signed, as long as the policy is the same. */
export function createSignatureChecks(deps: SignatureCheckDeps): CheckSignatures {
  const passed = createRecent<Signature>();
  return async ({ spec }, toCheck, signal) => {
    if (spec.verify === undefined || !requiresSignatures(spec, toCheck.content)) return undefined;
    const policy = policyHash(spec.verify);
    const key = `${policy} ${toCheck.image}`;
    const known = passed.get(key);
    if (known !== undefined) return known;
    const signature = await check(deps, spec.verify, toCheck, signal);
    if ('problem' in signature) return { policy, ...signature };
    passed.set(key, { policy, ...signature });
    return { policy, ...signature };
  };
}

type SignatureOutcome = { readonly by: string } | { readonly problem: string };

async function check(
  deps: SignatureCheckDeps,
  verify: Verify,
  { image, pullSecret }: ImageToCheck,
  signal: AbortSignal,
): Promise<SignatureOutcome> {
  try {
    const reference = byDigest(image);
    const [policy, signatures, { verifyImage }] = await Promise.all([
      policyOf(deps, verify, signal),
      collectSignatures(deps.registries(pullSecret), reference, signal),
      import('../signatures/verify.ts'),
    ]);
    const { registry, repository, digest } = reference;
    return verifyImage({ repository: `${registry}/${repository}`, digest }, signatures, policy);
  } catch (error) {
    if (verify.enforcement === 'Enforce' || !(error instanceof ReasonedError)) throw error;
    return { problem: `${error.reason}: ${error.describe()}`.slice(0, 4096) };
  }
}

function byDigest(image: string): Reference & { readonly digest: string } {
  const reference = parseReference(image);
  const { digest } = reference;
  if (digest === undefined) throw new Error(`the signatures of ${image} are asked for without its digest`);
  return { ...reference, digest };
}

async function policyOf(deps: SignatureCheckDeps, verify: Verify, signal: AbortSignal): Promise<SignaturePolicy> {
  const { keys = [], identities = [], mirrored = [] } = verify;
  return { keys, identities, mirrored, root: await rootOf(deps, verify, signal) };
}

async function rootOf(
  { cluster, namespace }: SignatureCheckDeps,
  { trustedRoot }: Verify,
  signal: AbortSignal,
): Promise<TrustRoot> {
  const { parseTrustedRoot } = await import('../signatures/trusted-root.ts');
  if (trustedRoot === undefined) {
    const { PUBLIC_ROOT } = await import('../signatures/public-root.ts');
    return parseTrustedRoot(PUBLIC_ROOT, 'this version of Slipway');
  }
  const { name } = trustedRoot;
  const found = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name }, signal);
  const text = (found?.['data'] as Readonly<Record<string, string>> | undefined)?.['trusted_root.json'];
  if (text !== undefined) return parseTrustedRoot(text, `ConfigMap ${namespace}/${name}`);
  throw new ReasonedError({
    reason: 'InvalidSpec',
    retry: 'backoff',
    message: `ConfigMap ${namespace}/${name} ${found === undefined ? 'does not exist' : 'has no trusted_root.json'}`,
    hint: 'Create it from the trusted_root.json of the Sigstore instance that signs',
  });
}
