/**
 * Reads the entry of a bundle as the index will: one that it would refuse makes the whole catalog invalid, with the
 * bundles of all other repositories. Pure.
 */
import { ReasonedError } from '../../api/errors.ts';
import { formatJson } from '../../api/json.ts';
import type { BundleBlob } from '../blob.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { parseKeys } from '../parse.ts';
import { parseDocuments } from '../stream.ts';

/** Throws BundleInvalid, never retried, for an entry that no catalog may have. */
export function checkEntry(entry: BundleBlob): void {
  const path = 'catalog.json';
  try {
    const documents = parseDocuments(path, Buffer.from(formatJson(entry)), DEFAULT_LIMITS);
    for (const { value } of documents) parseKeys(value, { path });
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    const message = `a catalog cannot have the entry of this bundle: ${error.message}`;
    throw new ReasonedError({ reason: 'BundleInvalid', retry: 'never', message, cause: error });
  }
}
