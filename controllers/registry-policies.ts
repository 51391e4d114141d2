/**
 * The rules of the RegistryPolicies for an image. Each field counts from the policy with the longest prefix that sets it, so
 * that a policy for some images of a registry takes nothing away from the one for all. A policy that cannot be used, or
 * that shares its prefix with another one, refuses every image under its prefix: which of its demands would be missed is
 * not known. Reads the cache only.
 */
import { ReasonedError } from '../api/errors.ts';
import { parseObject } from '../api/kind.ts';
import { REGISTRY_POLICY, type RegistryPolicy, type RegistryPolicySpec } from '../api/registry-policy.ts';
import type { Verify } from '../api/verify.ts';
import { canonicalPrefix } from '../oci/host.ts';
import { isUnder, type Mirrors } from '../oci/mirrors.ts';
import type { LabelSelector } from '../resolver/selector.ts';
import { requireKeys } from '../signatures/trusted-keys.ts';

/** The rules for an image; absent fields are said by no policy. */
export interface ImagePolicy {
  /** Name of a Secret in the manager's namespace. */
  readonly pullSecret?: string;
  /** Name of a ConfigMap in the manager's namespace. */
  readonly certificateAuthority?: string;
  readonly insecure?: boolean;
  readonly mirrors?: { readonly prefix: string; readonly places: readonly string[]; readonly thenSource: boolean };
  readonly verify?: Verify;
}

export interface RegistryPolicies {
  /**
   * The rules for images of a repository, by its complete name: `quay.io/team/app`.
   *
   * @throws ReasonedError RegistryPolicyInvalid (retried) if a policy over it cannot be used
   */
  over(name: string): ImagePolicy;
  /**
   * The pull secrets that policies have for their prefixes. A policy that shares its prefix counts too, so that a second
   * one takes no credentials away from installed operators; one that cannot be read offers nothing.
   */
  pullSecrets(): readonly OfferedSecret[];
  /** Whether a policy demands signatures of any image, or cannot be read. */
  demandSignatures(): boolean;
}

/** A pull secret of a policy. */
export interface OfferedSecret {
  readonly prefix: string;
  /** Name of a Secret in the manager's namespace. */
  readonly secret: string;
  /** Namespaces that may have a copy; absent: none. */
  readonly copyTo?: LabelSelector;
}

/** The mirrors of the policies, for a registry client. */
export function mirrorsOf(policies: RegistryPolicies): Mirrors {
  return ({ registry, repository }) => {
    const { mirrors } = policies.over(`${registry}/${repository}`);
    if (mirrors === undefined) return [];
    return [{ source: mirrors.prefix, mirrors: mirrors.places, thenSource: mirrors.thenSource }];
  };
}

/** For callers without a cluster: no policy holds. */
export const NO_POLICIES: RegistryPolicies = { over: () => ({}), pullSecrets: () => [], demandSignatures: () => false };

/** @param list The policies of the cache. */
export function createRegistryPolicies(list: () => readonly RegistryPolicy[]): RegistryPolicies {
  const known = new WeakMap<RegistryPolicy, ReadPolicy>();
  const read = (policy: RegistryPolicy): ReadPolicy => {
    const found = known.get(policy) ?? readRegistryPolicy(policy);
    known.set(policy, found);
    return found;
  };
  return {
    over(name) {
      const policies = list().map(read);
      const over = policies.filter(({ prefix }) => prefix === undefined || isUnder(name, prefix));
      for (const one of over) refuseUnusable(name, one, policies);
      return mergeByLength(over.flatMap(rankedOf));
    },
    pullSecrets: () => list().map(read).flatMap(rankedOf).flatMap(offerOf),
    demandSignatures: () =>
      list()
        .map(read)
        .some(({ spec }) => spec === undefined || spec.verify !== undefined),
  };
}

/** Why a policy cannot be used, as its status reports it; undefined if it can. */
export function problemOfPolicy(policy: RegistryPolicy, all: readonly RegistryPolicy[]): string | undefined {
  return problemAmong(readRegistryPolicy(policy), all.map(readRegistryPolicy));
}

/** A policy as far as it can be read. */
interface ReadPolicy {
  readonly name: string;
  /** Undefined if it cannot be read: the policy may then be about any image. */
  readonly prefix: string | undefined;
  readonly spec?: RegistryPolicySpec;
  /** The fault, as a clause with its subject. */
  readonly problem?: string;
}

function readRegistryPolicy(policy: RegistryPolicy): ReadPolicy {
  const { name } = policy.metadata;
  const claimed: unknown = (policy as { readonly spec?: { readonly prefix?: unknown } }).spec?.prefix;
  const prefix = typeof claimed === 'string' && claimed !== '' ? canonicalPrefix(claimed) : undefined;
  try {
    const { spec } = parseObject(REGISTRY_POLICY, { ...policy });
    requireKeys(spec.verify?.keys ?? []);
    return { name, prefix, spec };
  } catch (error) {
    if (error instanceof ReasonedError) return { name, prefix, problem: error.message };
    throw error;
  }
}

function refuseUnusable(image: string, policy: ReadPolicy, all: readonly ReadPolicy[]): void {
  const problem = problemAmong(policy, all);
  if (problem === undefined) return;
  throw new ReasonedError({
    reason: 'RegistryPolicyInvalid',
    retry: 'backoff',
    message: `${image} is refused, since RegistryPolicy ${policy.name} cannot be used: ${problem}`,
    hint: 'Correct or delete the RegistryPolicy',
    forTenants:
      'the image is refused, since a policy for its registry cannot be used. Ask an administrator of the cluster',
  });
}

function problemAmong({ name, prefix, problem }: ReadPolicy, all: readonly ReadPolicy[]): string | undefined {
  if (problem !== undefined) return problem;
  const others = all.filter((other) => other.prefix === prefix && other.name !== name).map((other) => other.name);
  if (others.length === 0) return undefined;
  return `RegistryPolicy ${others.toSorted().join(' and ')} has the same prefix ${prefix ?? ''}`;
}

function rankedOf({ prefix, spec }: ReadPolicy): readonly Ranked[] {
  return prefix === undefined || spec === undefined ? [] : [{ prefix, spec }];
}

function offerOf({ prefix, spec: { pullSecret } }: Ranked): readonly OfferedSecret[] {
  if (pullSecret === undefined) return [];
  const { name: secret, copyTo } = pullSecret;
  return [{ prefix, secret, ...(copyTo !== undefined && { copyTo }) }];
}

interface Ranked {
  readonly prefix: string;
  readonly spec: RegistryPolicySpec;
}

/** Each field of the longest prefix that sets it. */
function mergeByLength(policies: readonly Ranked[]): ImagePolicy {
  const shortestFirst = policies.toSorted((a, b) => a.prefix.length - b.prefix.length);
  return Object.assign({}, ...shortestFirst.map(fieldsOf)) as ImagePolicy;
}

function fieldsOf({ prefix, spec }: Ranked): ImagePolicy {
  const { pullSecret, certificateAuthority, insecure, mirrors, source, verify } = spec;
  return {
    ...(pullSecret !== undefined && { pullSecret: pullSecret.name }),
    ...(certificateAuthority !== undefined && { certificateAuthority: certificateAuthority.name }),
    ...(insecure !== undefined && { insecure }),
    ...(mirrors !== undefined && {
      mirrors: { prefix, places: mirrors.map((mirror) => mirror.prefix), thenSource: source !== 'Never' },
    }),
    ...(verify !== undefined && { verify }),
  };
}
