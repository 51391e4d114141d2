/** Which signatures images must have, as Catalogs and RegistryPolicies demand them. */
import * as z from 'zod';
import { listByKey, objectName, rules, text, type CelRule } from './fields.ts';
import type { Immutable } from './kind.ts';

const PublicKey = z.object({
  name: text(63).describe('Name of the key in messages.'),
  pem: text(8192)
    .regex(/^-----BEGIN PUBLIC KEY-----/)
    .describe('The public key in PEM form.'),
  transparencyLog: z
    .enum(['Require', 'Ignore'])
    .default('Require')
    .describe(
      'Require: a signature counts only with proof that a transparency log of the trusted root holds it. Ignore: the key alone decides, for publishers that use no log.',
    ),
});

const Identity = z.object({
  issuer: text(512).describe('Issuer of the certificate, exactly.'),
  subject: text(512).describe('Subject of the certificate: an address of mail, or the URL of a workflow.'),
  match: z
    .enum(['Exact', 'Glob'])
    .default('Exact')
    .describe('Exact: the subject is compared as it is. Glob: each `*` in it stands for any text.'),
});

const MirroredPrefix = z.object({
  prefix: text(255).describe('Registry and repository, or their beginning: `mirror.example/operators`.'),
  signedPrefix: text(255).describe('The same beginning when the content was signed: `quay.example/team`.'),
});

const RequiredAttestation = z.object({
  predicateType: text(255)
    .regex(/^[a-z][a-z0-9+.-]*:\/\/[^/\s]+\/\S*[^/\s]$/)
    .describe(
      'Type of its predicate, in any of its versions: `https://slsa.dev/provenance` is met by `https://slsa.dev/provenance/v1`, `https://spdx.dev/Document` by a list of packages in SPDX form, `https://cyclonedx.org/bom` by one in CycloneDX form.',
    ),
});

/** The fields of a demand for signatures. */
export const VERIFY_FIELDS = {
  enforcement: z
    .enum(['Enforce', 'Warn'])
    .default('Enforce')
    .describe('Enforce: content without a trusted signature is refused. Warn: it is used, and a warning says why not.'),
  keys: listByKey(PublicKey, 16, ['name']).min(1).optional().describe('A signature by any of these keys is trusted.'),
  identities: listByKey(Identity, 16, ['issuer', 'subject'])
    .min(1)
    .optional()
    .describe('A keyless signature by any of these identities is trusted.'),
  trustedRoot: z
    .object({ name: objectName().describe('Name of the ConfigMap.') })
    .optional()
    .describe(
      "A ConfigMap in the manager's namespace whose key `trusted_root.json` has the authorities behind certificates, transparency logs and timestamps. Absent: those of the public Sigstore instance, as this version of Slipway ships them.",
    ),
  mirrored: listByKey(MirroredPrefix, 16, ['prefix'])
    .min(1)
    .optional()
    .describe(
      'Repositories whose content was signed under another name before it was mirrored. A signature that names any other repository than its own is not trusted.',
    ),
  attestations: listByKey(RequiredAttestation, 8, ['predicateType'])
    .min(1)
    .optional()
    .describe(
      'Attestations that each image must have in addition to its signature, signed by any of these keys or identities. Their content is not judged.',
    ),
} as const;

/** A demand that trusts no signer would refuse everything. */
export const SIGNER_NEEDED: CelRule = {
  rule: 'has(self.keys) || has(self.identities)',
  message: 'must have keys or identities',
};

/** A demand for signatures. */
export const Verify = rules(z.object(VERIFY_FIELDS), SIGNER_NEEDED);
export type Verify = Immutable<z.infer<typeof Verify>>;
