/**
 * The effect of `spec.verify` in a version that cannot check signatures: with enforcement, a Catalog serves nothing,
 * rather than content of unknown origin; with `Warn`, it shows a warning. Pure.
 */
import type { Catalog } from '../../api/catalog.ts';
import { ReasonedError } from '../../api/errors.ts';

/** Why nothing of the Catalog may be served; undefined if it may. Never retried: the spec has to change. */
export function refusalOf({ metadata, spec }: Catalog): ReasonedError | undefined {
  if (spec.verify === undefined || spec.verify.enforcement === 'Warn') return undefined;
  return new ReasonedError({
    reason: 'UnsupportedField',
    retry: 'never',
    message: `Nothing of Catalog ${metadata.name} is served: its spec.verify enforces signatures, and this version cannot check any`,
    hint: 'Set spec.verify.enforcement to Warn, or remove spec.verify, to use the content without a check',
  });
}

/**
 * The warning about content that is used without a check; undefined if the spec requests none, or if nothing is served.
 */
export function warningOf({ spec }: Catalog): string | undefined {
  if (spec.verify?.enforcement !== 'Warn') return undefined;
  return 'Signatures are not checked: spec.verify does not act in this version';
}
