/**
 * Catalog: lists the operators available. Cluster-scoped; its source is a catalog image, or repositories whose tags are
 * versions.
 */
import * as z from 'zod';
import { Conditions, handled, statusOf } from './conditions.ts';
import { duration, imageReference, integer, listByKey, objectName, rules, set, text, timestamp } from './fields.ts';
import type { CustomKind, Immutable, ManifestOf, ObjectOf } from './kind.ts';
import { labelSelector } from './label-selector.ts';
import { Signature } from './signature.ts';
import { SIGNER_NEEDED, VERIFY_FIELDS } from './verify.ts';

/** Default of `spec.interval`. */
export const DEFAULT_INTERVAL = '5m';

/** Shortest and longest `spec.interval`. */
export const INTERVAL_BOUNDS = { minSeconds: 10, maxSeconds: 24 * 3600 } as const;

const ImageSource = z.object({
  ref: imageReference().describe(
    'Reference of the catalog image, by tag or by digest: `registry.example/team/catalog:v1`. By digest its content is pulled once; its signatures are checked again at every interval if they were refused, or if `trustedRoot` is set.',
  ),
});

const Repository = z.object({
  repository: text(255)
    .regex(/^[a-z0-9][A-Za-z0-9._:/-]*$/)
    .describe('Repository of bundle images, without tag or digest: `registry.example/team/gadget`.'),
  package: text(253)
    .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/)
    .optional()
    .describe(
      'Name of the package that the repository offers. Absent: the name that most of its bundles carry, so that each user who may push to the repository can change it. Name it if different teams push to the repositories of a Catalog.',
    ),
});

const Source = rules(
  z.object({
    image: ImageSource.optional().describe('An image with a file-based catalog.'),
    repositories: listByKey(Repository, 100, ['repository'])
      .min(1)
      .optional()
      .describe(
        'Repositories of bundle images. Each tag that is a semantic version is a version of the package, and their order is the upgrade graph: pushing a tag publishes an upgrade.',
      ),
  }),
  { rule: 'has(self.image) != has(self.repositories)', message: 'must have exactly one of image and repositories' },
);

const CatalogVerify = rules(
  z.object({
    ...VERIFY_FIELDS,
    content: set(z.enum(['Catalog', 'Bundles']), 2)
      .min(1)
      .optional()
      .describe(
        'Which images must be signed: the catalog image, when it is taken into service, and bundle images, when a Revision is made of them. Absent: both. A Catalog of repositories has bundles only.',
      ),
  }),
  SIGNER_NEEDED,
);
export type CatalogVerify = Immutable<z.infer<typeof CatalogVerify>>;

const CatalogSpec = rules(
  z.object({
    source: Source.describe('Where the content comes from.'),
    interval: duration(INTERVAL_BOUNDS)
      .optional()
      .describe(
        `How often to look for new content: \`90s\`, \`5m\`, \`1h30m\`. Absent: ${DEFAULT_INTERVAL}. Refused for an image by digest, which cannot change.`,
      ),
    priority: integer(-1000000, 1000000)
      .default(0)
      .describe('If several catalogs offer a package, the one with the highest priority is asked.'),
    pullSecret: z
      .object({ name: objectName().describe('Name of the Secret.') })
      .optional()
      .describe(
        "A Secret of type `kubernetes.io/dockerconfigjson` in the manager's namespace, for the catalog and the bundles that it names.",
      ),
    allowedNamespaces: labelSelector('a namespace')
      .optional()
      .describe(
        'Namespaces whose Subscriptions may use the Catalog, by their labels. Absent: all. Operators installed from it stay installed in a namespace that is not selected any more, but are not upgraded from it.',
      ),
    verify: CatalogVerify.optional().describe(
      'Which signatures the content must have, in addition to those that a RegistryPolicy demands. They are checked offline, against keys and identities; content that was refused is checked again at every interval.',
    ),
    suspend: z
      .boolean()
      .default(false)
      .describe('Do not ask the registry for new content; the content that was read last stays in service.'),
  }),
  {
    rule: "!has(self.interval) || !has(self.source.image) || !self.source.image.ref.contains('@')",
    message: 'must be absent for an image by digest: its content cannot change',
    reason: 'FieldValueForbidden',
    fieldPath: '.interval',
  },
);
export type CatalogSpec = Immutable<z.infer<typeof CatalogSpec>>;

const count = (what: string): z.ZodOptional<z.ZodNumber> =>
  integer(0, 10_000_000).optional().describe(`How many ${what} are offered.`);

const CatalogStatus = z.object({
  ...handled,
  digest: text(640)
    .optional()
    .describe(
      'Content in service, or that was in service last if the Ready condition says that none is: the image reference by digest, or a digest over all tags of the repositories.',
    ),
  lastChecked: timestamp().optional().describe('When the registry was asked last, with success.'),
  lastChanged: timestamp().optional().describe('When the content changed last.'),
  signature: Signature.optional().describe('Result of the check of the signatures of the content in service.'),
  created: timestamp().optional().describe('When the content in service was built, if the image says so.'),
  packages: count('packages'),
  channels: count('channels'),
  bundles: count('bundles'),
  conditions: Conditions.optional(),
});
export type CatalogStatus = Immutable<z.infer<typeof CatalogStatus>>;

export const Catalog = z
  .object({
    spec: CatalogSpec.describe('Source of the content, and how it is read.'),
    status: statusOf(CatalogStatus).describe(
      'Result of the last check: content in service, counts, times and conditions.',
    ),
  })
  .describe(
    'A Catalog lists the operators available: packages with their channels and bundles. A catalog that cannot be reached keeps its last good content in service.',
  );
export type Catalog = ObjectOf<typeof Catalog>;
export type CatalogManifest = ManifestOf<typeof Catalog>;

export const CATALOG = {
  kind: 'Catalog',
  plural: 'catalogs',
  singular: 'catalog',
  scope: 'Cluster',
  schema: Catalog,
  columns: [
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether content is in service and up to date.',
    },
    { name: 'Packages', type: 'integer', jsonPath: '.status.packages', description: 'Packages offered.' },
    { name: 'Bundles', type: 'integer', jsonPath: '.status.bundles', description: 'Bundles offered.' },
    {
      name: 'Checked',
      type: 'date',
      jsonPath: '.status.lastChecked',
      description: 'When the registry was asked last, with success.',
    },
    { name: 'Changed', type: 'date', jsonPath: '.status.lastChanged', description: 'When the content changed last.' },
    { name: 'Priority', type: 'integer', jsonPath: '.spec.priority', description: 'Highest first.', wide: true },
    {
      name: 'Built',
      type: 'date',
      jsonPath: '.status.created',
      description: 'When the content was built.',
      wide: true,
    },
    {
      name: 'Digest',
      type: 'string',
      jsonPath: '.status.digest',
      description: 'Content in service, by digest.',
      wide: true,
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
