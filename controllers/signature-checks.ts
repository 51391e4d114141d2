/**
 * Checks the signatures of an image against `spec.verify` of its Catalog and of the RegistryPolicy over it: fetches what
 * the registry has, and lets signatures/ judge it. The verifier is loaded with the first check, since most managers check
 * nothing.
 */
import type { Catalog } from '../api/catalog.ts';
import type { Cluster } from '../api/cluster.ts';
import { ReasonedError } from '../api/errors.ts';
import type { Signature } from '../api/signature.ts';
import type { Verify } from '../api/verify.ts';
import { canonicalPrefix } from '../oci/host.ts';
import { parseReference, type Reference } from '../oci/reference.ts';
import { collectSignatures } from '../oci/signatures.ts';
import type { MirroredPrefix, SignaturePolicy } from '../signatures/policy.ts';
import { readTrustedRoot, type ReadRoot } from './trusted-roots.ts';
import { createRecent, type Recent } from './recent.ts';
import type { Registries } from './registries.ts';
import { demandsOn, demandsHash, type CheckedContent } from './signature-demands.ts';
import { NO_POLICIES, type RegistryPolicies } from './registry-policies.ts';

export interface ImageToCheck {
  /** Reference by digest. */
  readonly image: string;
  readonly content: CheckedContent;
  readonly pullSecret: string | undefined;
}

/**
 * Undefined if neither the Catalog nor a policy demands a signature of such content. If both do, both must be satisfied.
 *
 * @throws ReasonedError (Unsigned, SignedByOtherKey, …; never retried by itself) with enforcement, else the result has
 * the problem; InvalidSpec if the trusted root or a key cannot be used, RegistryPolicyInvalid if a policy cannot be used
 * (retried); the errors of a registry (retried)
 */
export type CheckSignatures = (
  catalog: Pick<Catalog, 'metadata' | 'spec'> | undefined,
  toCheck: ImageToCheck,
  signal: AbortSignal,
) => Promise<Signature | undefined>;

export interface SignatureCheckDeps {
  readonly registries: Registries;
  readonly policies?: RegistryPolicies;
  readonly cluster: Pick<Cluster, 'get'>;
  /** The manager's namespace. */
  readonly namespace: string;
}

/**
 * Remembers the images that passed: a digest that is signed stays signed, as long as the policy and its trusted root are
 * the same.
 */
export function createSignatureChecks(deps: SignatureCheckDeps): CheckSignatures {
  const passed = createRecent<string>();
  return async (catalog, toCheck, signal) => {
    const demands = demandsOn(catalog?.spec, toCheck, deps.policies ?? NO_POLICIES);
    const policy = demandsHash(demands);
    if (policy === undefined) return undefined;
    const results = await Promise.all(demands.map((verify) => meet({ ...deps, passed }, { verify, toCheck }, signal)));
    return { policy, ...joined(results) };
  };
}

interface DemandResult {
  readonly by?: string;
  readonly problem?: string;
}

interface Demand {
  readonly verify: Verify;
  readonly toCheck: ImageToCheck;
}

/** Throws if the demand is enforced and not met. */
async function meet(
  deps: SignatureCheckDeps & { readonly passed: Recent<string> },
  { verify, toCheck }: Demand,
  signal: AbortSignal,
): Promise<DemandResult> {
  try {
    const root = await readTrustedRoot(deps, verify, signal);
    const key = `${demandsHash([verify])} ${root.hash} ${toCheck.image}`;
    const by = deps.passed.get(key) ?? (await check(deps, { verify, root, toCheck }, signal));
    deps.passed.set(key, by);
    return { by };
  } catch (error) {
    if (verify.enforcement === 'Enforce' || !(error instanceof ReasonedError)) throw error;
    // The Subscriptions of tenants repeat the problem of a bundle and of Pods.
    const said = (toCheck.content === 'Catalog' ? undefined : error.forTenants) ?? error.describe();
    return { problem: `${error.reason}: ${said}` };
  }
}

function joined(results: readonly DemandResult[]): DemandResult {
  const unique = (texts: readonly string[], most: number): string => [...new Set(texts)].join(' and ').slice(0, most);
  const by = unique(
    results.flatMap((one) => one.by ?? []),
    MOST_BY,
  );
  const problem = unique(
    results.flatMap((one) => one.problem ?? []),
    MOST_PROBLEM,
  );
  return { ...(by !== '' && { by }), ...(problem !== '' && { problem }) };
}

/** Lengths of the fields in api/signature.ts; the subject of a certificate has no bound of its own. */
const [MOST_BY, MOST_PROBLEM] = [1100, 4096];

interface Asked extends Demand {
  readonly root: ReadRoot;
}

/** Who signed. */
async function check(
  { registries }: SignatureCheckDeps,
  { verify, root, toCheck: { image, pullSecret } }: Asked,
  signal: AbortSignal,
): Promise<string> {
  const reference = byDigest(image);
  const [policy, { verifyImage }] = await Promise.all([policyOf(verify, root), import('../signatures/verify.ts')]);
  const signatures = await collectSignatures(registries(pullSecret), reference, {
    signal,
    attestations: policy.attestations,
  });
  const { registry, repository, digest } = reference;
  return verifyImage({ repository: `${registry}/${repository}`, digest }, signatures, policy).by.slice(0, MOST_BY);
}

/** Images carry one spelling of their registry; signers write any. */
function inOneSpelling({ prefix, signedPrefix }: MirroredPrefix): MirroredPrefix {
  return { prefix: canonicalPrefix(prefix), signedPrefix };
}

function byDigest(image: string): Reference & { readonly digest: string } {
  const reference = parseReference(image);
  const { digest } = reference;
  if (digest === undefined) throw new Error(`the signatures of ${image} are asked for without its digest`);
  return { ...reference, digest };
}

/** Before the registry is asked: a policy that cannot be used is reported as such, whatever is signed. */
async function policyOf(
  { keys = [], identities = [], mirrored = [], attestations = [] }: Verify,
  root: ReadRoot,
): Promise<SignaturePolicy> {
  const { requireKeys } = await import('../signatures/trusted-keys.ts');
  requireKeys(keys);
  const types = attestations.map(({ predicateType }) => predicateType);
  return { keys, identities, mirrored: mirrored.map(inOneSpelling), attestations: types, root: await root.parse() };
}
