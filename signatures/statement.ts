/**
 * The claims of a signed text: which digest, and of which repository, a signature is about. The text was verified
 * before; its fields were not.
 */
import * as z from 'zod';
import { Flaw } from './flaw.ts';

/** The claim of a signature about an image. */
export interface Claim {
  /** `sha256:…`, or another hash, of each image that it is about. */
  readonly digests: readonly string[];
  /** Repository that it names, with its registry; absent if the form carries none. */
  readonly repository?: string;
}

/** The predicate that makes a statement a signature rather than an attestation about a build or its content. */
export const SIGNATURE_PREDICATE = 'https://sigstore.dev/cosign/sign/v1';

export const STATEMENT_TYPE = 'application/vnd.in-toto+json';

const Statement = z.object({
  predicateType: z.string(),
  subject: z.array(z.object({ digest: z.record(z.string(), z.string()) })).min(1),
});

/** The claim of a statement, with the type of its predicate: a signature, or an attestation about a build or its content. */
export interface StatementClaim extends Claim {
  readonly predicateType: string;
}

/**
 * The claim of an in-toto statement. Throws Flaw (SignatureMalformed).
 *
 * @see https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md
 */
export function claimOfStatement(payload: Uint8Array): StatementClaim {
  const { predicateType, subject } = parse(Statement, payload, 'the signed statement');
  return {
    predicateType,
    digests: subject.flatMap(({ digest }) => Object.entries(digest).map(([hash, hex]) => `${hash}:${hex}`)),
  };
}

const SimpleSigning = z.object({
  critical: z.object({
    identity: z.object({ 'docker-reference': z.string() }),
    image: z.object({ 'docker-manifest-digest': z.string() }),
    type: z.enum(['cosign container image signature', 'atomic container signature']),
  }),
});

/**
 * The claim of the older form. Throws Flaw (SignatureMalformed).
 *
 * @see https://github.com/containers/image/blob/main/docs/containers-signature.5.md
 */
export function claimOfSimpleSigning(payload: Uint8Array): Claim {
  const { identity, image } = parse(SimpleSigning, payload, 'the signed text').critical;
  return {
    digests: [image['docker-manifest-digest']],
    repository: repositoryOf(identity['docker-reference']),
  };
}

/** Without tag and digest: signers write all three forms. */
function repositoryOf(reference: string): string {
  const [name = ''] = reference.split('@');
  const colon = name.lastIndexOf(':');
  return colon > name.lastIndexOf('/') ? name.slice(0, colon) : name;
}

function parse<T>(schema: z.ZodType<T>, text: Uint8Array, what: string): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(text).toString('utf8')));
  } catch (error) {
    throw new Flaw('SignatureMalformed', `${what} is not of the form that signers write`, error);
  }
}
