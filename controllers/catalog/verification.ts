/** Whether the content of a Catalog was checked as its `spec.verify` asks now, and the words about it. Pure. */
import type { Catalog } from '../../api/catalog.ts';
import { ReasonedError } from '../../api/errors.ts';
import { policyHash, requiresSignatures } from '../signature-checks.ts';

/** Whether the content that the status names may be served: no check is required, or it was made under this policy. */
export function isCovered({ spec, status }: Catalog): boolean {
  if (spec.verify === undefined || !requiresSignatures(spec, 'Catalog')) return true;
  return status?.signature?.policy === policyHash(spec.verify);
}

/**
 * Why nothing of a suspended Catalog may be served; undefined if it may, or if it is not suspended. Never retried: the
 * spec has to change.
 */
export function refusalOf(catalog: Catalog): ReasonedError | undefined {
  const { metadata, spec, status } = catalog;
  if (!spec.suspend || status?.digest === undefined || isCovered(catalog)) return undefined;
  return new ReasonedError({
    reason: 'Unsigned',
    retry: 'never',
    message: `Catalog ${metadata.name} is suspended, and the signatures of its content were not checked against its spec.verify`,
    hint: 'Set spec.suspend to false, so that they are checked',
  });
}

/** The warning about content that is used without a trusted signature; undefined if there is none. */
export function warningOf({ spec, status }: Pick<Catalog, 'spec' | 'status'>): string | undefined {
  const problem = spec.verify === undefined ? undefined : status?.signature?.problem;
  return problem === undefined ? undefined : `Used without a trusted signature. ${problem}`;
}
