/**
 * What `spec.verify` comes to while signatures cannot be checked. Who enforces them gets nothing rather than content
 * of which nobody knows who made it; who wants a warning gets one. Pure.
 */
import type { Catalog } from '../../api/catalog.ts';
import { ReasonedError } from '../../api/errors.ts';

/** Why nothing of the Catalog may be served; undefined where it may. Never retried: the spec is to change. */
export function refusalOf({ metadata, spec }: Catalog): ReasonedError | undefined {
  if (spec.verify === undefined || spec.verify.enforcement === 'Warn') return undefined;
  return new ReasonedError({
    reason: 'UnsupportedField',
    retry: 'never',
    message: `Nothing of Catalog ${metadata.name} is served: its spec.verify enforces signatures, and this version cannot check any`,
    hint: 'Set spec.verify.enforcement to Warn, or remove spec.verify, to use the content without a check',
  });
}

/** What is to be said of content that is used without a check; undefined where none was asked for, or none is used. */
export function warningOf({ spec }: Catalog): string | undefined {
  if (spec.verify?.enforcement !== 'Warn') return undefined;
  return 'Signatures are not checked: spec.verify does not act in this version';
}
