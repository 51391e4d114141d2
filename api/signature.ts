/** The result of checking an image against the policies over it, as Catalogs and Revisions record it. */
import * as z from 'zod';
import { imageByDigest, text } from './fields.ts';
import type { Immutable } from './kind.ts';

const FIELDS = {
  policy: text(64).describe(
    'Hash of all that it was checked against: spec.verify of the Catalog, and that of the RegistryPolicy over the image.',
  ),
  by: text(1100)
    .optional()
    .describe(
      'Name of the key, or subject and issuer of the certificate, that signed. Absent if no signature is trusted.',
    ),
  problem: text(4096)
    .optional()
    .describe('Why no signature is trusted, for content that is used nevertheless because the policy only warns.'),
};

export const Signature = z.object(FIELDS);
export type Signature = Immutable<z.infer<typeof Signature>>;

/** Of an image that a Pod of the operator runs, or that a variable hands to the operator. */
export const PodImageSignature = z.object({ image: imageByDigest().describe('The image by digest.'), ...FIELDS });
export type PodImageSignature = Immutable<z.infer<typeof PodImageSignature>>;

/** Most that a Revision records; others are checked nevertheless. */
export const MAX_IMAGE_SIGNATURES = 128;
