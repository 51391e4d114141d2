/** Which signatures an image must have: the demands of its Catalog and those of the RegistryPolicy over it. Pure. */
import type { Catalog } from '../api/catalog.ts';
import { ReasonedError } from '../api/errors.ts';
import type { Verify } from '../api/verify.ts';
import { parseReference } from '../oci/reference.ts';
import { hashFields } from './config-hash.ts';
import type { RegistryPolicies } from './registry-policies.ts';

/** Pods: an image that the operator itself runs. A Catalog makes no demands on these. */
export type CheckedContent = 'Catalog' | 'Bundles' | 'Pods';

/** The demands that all have to be met; none if no signature is needed. Throws RegistryPolicyInvalid. */
export function demandsOn(
  spec: Catalog['spec'] | undefined,
  { image, content }: { readonly image: string; readonly content: CheckedContent },
  policies: RegistryPolicies,
): readonly Verify[] {
  const own = spec !== undefined && catalogDemands(spec, content) ? spec.verify : undefined;
  // A digest over repositories names no image.
  const over = content === 'Catalog' && spec?.source.image === undefined ? undefined : demandOver(image, policies);
  return [own, over].filter((verify) => verify !== undefined);
}

/** The demand of the policy over an image. Throws RegistryPolicyInvalid, and ReferenceInvalid. */
function demandOver(image: string, policies: RegistryPolicies): Verify | undefined {
  const { registry, repository } = parseReference(image);
  return policies.over(`${registry}/${repository}`).verify;
}

/** Whether the Catalog itself demands signatures of such content. */
function catalogDemands({ verify, source }: Catalog['spec'], content: CheckedContent): boolean {
  if (verify === undefined || content === 'Pods') return false;
  if (content === 'Catalog' && source.image === undefined) return false;
  return verify.content?.includes(content) ?? true;
}

/**
 * 32 hex digits over the demands: content that passed them need not be checked again. That of one demand is the same as
 * in releases that knew the demands of Catalogs only. Undefined without a demand.
 */
export function demandsHash(demands: readonly [Verify]): string;
export function demandsHash(demands: readonly Verify[]): string | undefined;
export function demandsHash(demands: readonly Verify[]): string | undefined {
  const [first, ...others] = demands;
  if (first === undefined) return undefined;
  return hashFields(others.length === 0 ? first : demands);
}

/** The demands on the catalog image itself. Throws as demandsOn does. */
export function demandsOnCatalog(spec: Catalog['spec'], policies: RegistryPolicies): readonly Verify[] {
  const image = spec.source.image?.ref;
  return image === undefined ? [] : demandsOn(spec, { image, content: 'Catalog' }, policies);
}

/**
 * The hash that content in service must have passed under; undefined if none is needed, and 'unknown' if a policy cannot
 * be used, so that no content has passed it.
 */
export function requiredHash(spec: Catalog['spec'], policies: RegistryPolicies): string | undefined {
  try {
    return demandsHash(demandsOnCatalog(spec, policies));
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    // A reference that cannot be parsed is reported by the code that asks the registry.
    return error.reason === 'ReferenceInvalid' ? undefined : 'unknown';
  }
}
