/** The result of checking an image against the policy of its Catalog, as Catalogs and Revisions record it. */
import * as z from 'zod';
import { text } from './fields.ts';
import type { Immutable } from './kind.ts';

export const Signature = z.object({
  policy: text(64).describe('Hash of the spec.verify of the Catalog that it was checked against.'),
  by: text(1100)
    .optional()
    .describe(
      'Name of the key, or subject and issuer of the certificate, that signed. Absent if no signature is trusted.',
    ),
  problem: text(4096)
    .optional()
    .describe('Why no signature is trusted, for content that is used nevertheless because the policy only warns.'),
});
export type Signature = Immutable<z.infer<typeof Signature>>;
