/** Whether the content of a Catalog was checked as its `spec.verify` and the policies ask now, and the words about it. Pure. */
import type { Catalog } from '../../api/catalog.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { RegistryPolicies } from '../registry-policies.ts';
import { demandsOnCatalog, requiredHash } from '../signature-demands.ts';

/** Whether the content that the status names may be served: no check is required, or it was made under this policy. */
export function isCovered({ spec, status }: Catalog, policies: RegistryPolicies): boolean {
  const required = requiredHash(spec, policies);
  return required === undefined || status?.signature?.policy === required;
}

/**
 * Whether content that passed may fail another day although the spec stays: a trusted root lies in a ConfigMap, whose
 * changes nothing reports.
 */
export function mayExpire({ spec }: Catalog, policies: RegistryPolicies): boolean {
  try {
    return demandsOnCatalog(spec, policies).some(({ trustedRoot }) => trustedRoot !== undefined);
  } catch (error) {
    if (error instanceof ReasonedError) return false;
    throw error;
  }
}

/**
 * Why nothing of a suspended Catalog may be served; undefined if it may, or if it is not suspended. Never retried: the
 * spec has to change.
 */
export function refusalOf(catalog: Catalog, policies: RegistryPolicies): ReasonedError | undefined {
  const { metadata, spec, status } = catalog;
  if (!spec.suspend || status?.digest === undefined || isCovered(catalog, policies)) return undefined;
  return new ReasonedError({
    reason: 'Unsigned',
    retry: 'never',
    message: `Catalog ${metadata.name} is suspended, and the signatures of its content were not checked as its spec.verify and the RegistryPolicies demand`,
    hint: 'Set spec.suspend to false, so that they are checked',
  });
}

/** The warning about content that is used without a trusted signature; undefined if there is none. */
export function warningOf({ spec, status }: Pick<Catalog, 'spec' | 'status'>): string | undefined {
  const problem = spec.source.image === undefined ? undefined : status?.signature?.problem;
  return problem === undefined ? undefined : `Used without a trusted signature. ${problem}`;
}
