/** The one way in which content of a catalog is refused. */
import { ReasonedError } from '../api/errors.ts';

/** A place in a catalog: the file, and the ordinal of the document in it, counted from 1. */
export interface DocumentPlace {
  readonly path: string;
  readonly document?: number;
}

const MAX_PATH_SHOWN = 200;

/** A ReasonedError `CatalogInvalid`, not retried: the same bytes stay invalid. */
export function invalidCatalog(place: DocumentPlace, what: string, hint?: string): ReasonedError {
  const path = place.path.length > MAX_PATH_SHOWN ? `…${place.path.slice(-MAX_PATH_SHOWN)}` : place.path;
  const where = place.document === undefined ? path : `${path}, document ${place.document}`;
  return new ReasonedError({
    reason: 'CatalogInvalid',
    retry: 'never',
    message: `catalog file ${where}: ${what}`,
    ...(hint !== undefined && { hint }),
  });
}
