/**
 * RegistryPolicy: how images whose names begin alike are pulled, and which signatures they must have. Cluster-scoped, so
 * that only administrators write one.
 */
import * as z from 'zod';
import { Conditions, handled, statusOf } from './conditions.ts';
import { list, objectName, rules, text } from './fields.ts';
import type { CustomKind, Immutable, ManifestOf, ObjectOf } from './kind.ts';
import { labelSelector } from './label-selector.ts';
import { Verify } from './verify.ts';

const HOST = String.raw`([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?`;
const PATH = String.raw`(/[a-z0-9]+([._-]+[a-z0-9]+)*)*`;

/** A registry, or a registry with the beginning of a path. */
function imagePrefix(): z.ZodString {
  return text(255).regex(new RegExp(`^${HOST}${PATH}$`));
}

const ImageMirror = z.object({
  prefix: imagePrefix().describe(
    "Replaces the policy's prefix in the name of the image. A RegistryPolicy for this prefix says how the mirror itself is connected to.",
  ),
});

const RegistryPolicySpec = rules(
  z.object({
    prefix: imagePrefix().describe(
      'The images: a registry, or a registry with the beginning of a path, in whole parts: `quay.io/team` is for `quay.io/team/app`, not for `quay.io/teams/app`. Of several policies over an image, each field counts from the one with the longest prefix that sets it.',
    ),
    pullSecret: z
      .object({
        name: objectName().describe('Name of the Secret.'),
        copyTo: labelSelector('a namespace')
          .optional()
          .describe(
            'Namespaces, by their labels, in which the Pods of operators may pull with it: a copy of the whole Secret is kept there for each operator with images under the prefix, and removed with it, unless its Subscription is deleted with `uninstall.objects: Orphan`: then the copy stays, as the Pods need it. A user who may read Secrets there can read it. Absent: none; empty: all.',
          ),
      })
      .optional()
      .describe(
        "A Secret of type `kubernetes.io/dockerconfigjson` in the manager's namespace, with which every Catalog's catalog and bundles are pulled from under the prefix. The pull secret of a Catalog comes first.",
      ),
    certificateAuthority: z
      .object({ name: objectName().describe('Name of the ConfigMap.') })
      .optional()
      .describe(
        "A ConfigMap in the manager's namespace whose key `ca.crt` has the certificates, in PEM form, that are trusted in addition to the system's.",
      ),
    insecure: z
      .boolean()
      .optional()
      .describe(
        'true: the registry is spoken to without TLS. Its content is still checked against digests and signatures.',
      ),
    mirrors: list(ImageMirror, 16)
      .min(1)
      .optional()
      .describe('Where the images are pulled from, in order: one that fails or lacks the image is skipped.'),
    source: z
      .enum(['Fallback', 'Never'])
      .optional()
      .describe(
        'Whether the registry that the image names is asked when every mirror has failed. Absent: Fallback. Counts from the policy that sets the mirrors.',
      ),
    verify: Verify.optional().describe(
      "Which signatures the images must have: catalogs, when they are taken into service; bundles and the images that their Pods run, when a Revision is made. An image of a Pod must be named by digest. The demands of a Catalog's own `verify` are in addition.",
    ),
  }),
  {
    rule: '!has(self.source) || has(self.mirrors)',
    message: 'must be absent without mirrors',
    reason: 'FieldValueForbidden',
    fieldPath: '.source',
  },
  {
    rule: '!has(self.insecure) || !self.insecure || !has(self.certificateAuthority)',
    message: 'must be absent for an insecure registry: without TLS there is no certificate',
    reason: 'FieldValueForbidden',
    fieldPath: '.certificateAuthority',
  },
);
export type RegistryPolicySpec = Immutable<z.infer<typeof RegistryPolicySpec>>;

const RegistryPolicyStatus = z.object({ ...handled, conditions: Conditions.optional() });
export type RegistryPolicyStatus = Immutable<z.infer<typeof RegistryPolicyStatus>>;

export const RegistryPolicy = z
  .object({
    spec: RegistryPolicySpec.describe('Which images, and the rules for them.'),
    status: statusOf(RegistryPolicyStatus).describe('Whether the policy can be used.'),
  })
  .describe(
    'A RegistryPolicy says how images whose names begin alike are pulled, and which signatures they must have. Images of a policy that cannot be used are refused.',
  );
export type RegistryPolicy = ObjectOf<typeof RegistryPolicy>;
export type RegistryPolicyManifest = ManifestOf<typeof RegistryPolicy>;

export const REGISTRY_POLICY = {
  kind: 'RegistryPolicy',
  plural: 'registrypolicies',
  singular: 'registrypolicy',
  scope: 'Cluster',
  schema: RegistryPolicy,
  columns: [
    { name: 'Prefix', type: 'string', jsonPath: '.spec.prefix', description: 'The images that it is for.' },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether it can be used.',
    },
    {
      name: 'Signatures',
      type: 'string',
      jsonPath: '.spec.verify.enforcement',
      description: 'Whether images without a trusted signature are refused.',
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Since it was created.' },
    {
      name: 'Status',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      description: 'Message of the Ready condition.',
    },
  ],
} as const satisfies CustomKind;
