/** Revision: one installed bundle of a Subscription, with all data needed to apply, repair or remove it again. */
import * as z from 'zod';
import { Conditions, handled, statusOf } from './conditions.ts';
import {
  imageByDigest,
  integer,
  list,
  listByKey,
  namespaceName,
  objectName,
  rules,
  set,
  sha256,
  text,
  timestamp,
} from './fields.ts';
import type { CustomKind, Immutable, ManifestOf, ObjectOf } from './kind.ts';
import { LastRepair, Losses } from './repair.ts';
import { PodImageSignature, MAX_IMAGE_SIGNATURES, Signature } from './signature.ts';
import { ApprovedBy, PlanRecord } from './revision-plan.ts';

/** Limit for the number of a Revision. */
export const MAX_REVISION_NUMBER = 2147483647;

/** Limit of objects in one Revision; a larger bundle is refused before. */
export const MAX_OBJECTS = 4000;

const Manifests = z.object({
  secrets: list(objectName(), 32)
    .min(1)
    .describe(
      'Names of the immutable Secrets with the rendered objects, in order; their contents joined are gzipped JSON.',
    ),
  digest: sha256().describe('Digest of the rendered objects, before compression.'),
  objects: integer(0, MAX_OBJECTS).describe('How many objects there are.'),
});

/** Limits of the stored properties of a bundle; a bundle with more is refused before. */
export const PROPERTY_LIMITS = { count: 256, length: 65536 } as const;

const Property = z.object({
  type: text(253).describe('Type of the property, such as `olm.gvk` or `olm.package.required`.'),
  value: z.string().max(PROPERTY_LIMITS.length).describe('Its value, as JSON.'),
});

/** Optional fields that may be neither added nor removed once the Revision exists. */
const OPTIONAL = [
  'release',
  'channel',
  'properties',
  'watchNamespaces',
  'serviceAccountName',
  'previous',
  'signature',
  'imageSignatures',
] as const;

const REQUIRED = [
  'subscription',
  'number',
  'bundle',
  'version',
  'catalog',
  'image',
  'configHash',
  'manifests',
  'certificates',
] as const;

/** Of the whole spec. */
const FIXED = 'cannot be changed, except approved and state';

const RevisionSpec = rules(
  z.object({
    subscription: objectName().describe('Name of the Subscription, in the same namespace.'),
    number: integer(1, MAX_REVISION_NUMBER).describe('Counts the Revisions of the Subscription.'),
    // has a rule of its own: `package` is a reserved word of CEL
    package: rules(text(253), { rule: 'self == oldSelf', message: 'cannot be changed' }).describe(
      'Name of the package.',
    ),
    bundle: text(253).describe('Name of the bundle.'),
    version: text(256).describe('Its version.'),
    release: text(256).optional().describe('Its release, if the bundle has one.'),
    catalog: objectName().describe('Name of the Catalog that it came from.'),
    channel: z.string().max(253).optional().describe('Channel that it was chosen from.'),
    image: imageByDigest().describe('The bundle image by digest.'),
    properties: list(Property, PROPERTY_LIMITS.count)
      .optional()
      .describe(
        'Packages and kinds that the bundle provides and depends on, so that other bundles can be judged without its catalog.',
      ),
    configHash: text(128).describe(
      'Hash of everything in the spec of the Subscription that changes the rendered objects.',
    ),
    manifests: Manifests.describe(
      'Where the rendered objects are, so that applying them again never needs a registry.',
    ),
    watchNamespaces: set(namespaceName(), 100)
      .optional()
      .describe('Namespaces that the operator watches. Absent: all.'),
    certificates: z.enum(['Manager', 'CertManager']).describe('The issuer of the certificates of webhooks.'),
    serviceAccountName: objectName().optional().describe('ServiceAccount to act as.'),
    signature: Signature.optional().describe(
      "Result of the check of the image's signatures. It was made once: going back to the Revision, or repairing it, checks nothing again.",
    ),
    imageSignatures: listByKey(PodImageSignature, MAX_IMAGE_SIGNATURES, ['image'])
      .optional()
      .describe(
        'Results of the checks of the images that its Pods run, for those over which a RegistryPolicy demands signatures. They are made once, as that of the bundle.',
      ),
    previous: objectName()
      .optional()
      .describe(
        'Name of the Revision that was active when this one was made. A rollback asks the resolver, and may lead to another one.',
      ),
    approved: z
      .boolean()
      .default(false)
      .describe('Whether it may be applied. With manual approval a person sets it; it cannot be taken back.'),
    state: z
      .enum(['Active', 'Archived'])
      .describe(
        'Active: its objects are kept as they should be. Archived: it waits, for instance for approval, and nothing of it was applied yet; or another Revision has replaced it, and it is kept as history, to go back to it.',
      ),
  }),
  {
    rule: REQUIRED.map((field) => `self.${field} == oldSelf.${field}`).join(' && '),
    message: FIXED,
    reason: 'FieldValueForbidden',
  },
  {
    rule: OPTIONAL.map(
      (field) =>
        `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    ).join(' && '),
    message: FIXED,
    reason: 'FieldValueForbidden',
  },
  {
    rule: 'self.approved || !oldSelf.approved',
    message: 'cannot be taken back; suspend the Subscription instead',
    reason: 'FieldValueForbidden',
    fieldPath: '.approved',
  },
);
export type RevisionSpec = Immutable<z.infer<typeof RevisionSpec>>;

const InventoryEntry = z.object({
  apiVersion: text(316).describe('apiVersion of the object.'),
  kind: text(63).describe('Kind of the object.'),
  namespace: namespaceName().optional().describe('Its namespace; absent for cluster-scoped kinds.'),
  name: text(253).describe('Its name.'),
  uid: z
    .string()
    .max(64)
    .describe('Its uid: only this very object is ever changed or deleted. Empty while it is about to be applied.'),
  hash: text(128).describe('Hash of the applied manifest; while it is equal, the object is not sent again.'),
  seen: text(64)
    .optional()
    .describe(
      'State of the object after it was applied; another one means that another program or a person changed it.',
    ),
  leftover: z
    .boolean()
    .optional()
    .describe('Whether only earlier Revisions want it: it is deleted once this one is healthy for long enough.'),
});
export type InventoryEntry = Immutable<z.infer<typeof InventoryEntry>>;

const Phase = z.object({
  name: text(63).describe('Name of the phase.'),
  state: z
    .enum(['Pending', 'Waiting', 'Ready', 'Failed'])
    .describe('How far it is: Pending is not begun, Waiting is applied and not yet healthy.'),
  objects: integer(0, MAX_OBJECTS).describe('How many objects it has.'),
  ready: integer(0, MAX_OBJECTS).describe('How many of them are applied and healthy.'),
  message: z.string().max(1024).optional().describe('The object that it waits for, or the failure.'),
});
export type Phase = Immutable<z.infer<typeof Phase>>;

const Failure = z.object({
  reason: text(64).describe('Why it failed, as one word of the list of reasons.'),
  message: z.string().max(4096).describe('Why it failed, in a sentence.'),
  since: timestamp().describe('When it failed.'),
});

const RevisionStatus = z.object({
  ...handled,
  inventory: list(InventoryEntry, MAX_OBJECTS).optional().describe('Every object that belongs to it in the cluster.'),
  phases: listByKey(Phase, 32, ['name']).optional().describe('Progress, phase by phase, in order.'),
  firstReadyTime: timestamp()
    .optional()
    .describe('When it became healthy for the first time. Taken back if it failed within its bake time.'),
  lastActiveTime: timestamp()
    .optional()
    .describe('When another Revision took over from it. Absent while it is active, and if it never was.'),
  failure: Failure.optional().describe('Why it was given up. Absent unless it was, and once it has become healthy.'),
  lastRepair: LastRepair.optional().describe('The last repair of its objects.'),
  losses: Losses.optional().describe('CRDs that were deleted with their custom resources while it was active.'),
  plan: PlanRecord.optional().describe('Summary of its plan. Absent if it was applied without waiting.'),
  approvedBy: ApprovedBy.optional().describe('How it was approved. Absent if no approval was needed.'),
  conditions: Conditions.optional(),
});
export type RevisionStatus = Immutable<z.infer<typeof RevisionStatus>>;

export const Revision = z
  .object({
    spec: RevisionSpec.describe('The installed bundle, and whose rights and settings it has.'),
    status: statusOf(RevisionStatus).describe('The objects in the cluster, and their health.'),
  })
  .describe(
    'A Revision is one thing that a Subscription installs. The manager makes it; a person only approves it. Apart from approval and state it never changes.',
  );
export type Revision = ObjectOf<typeof Revision>;
export type RevisionManifest = ManifestOf<typeof Revision>;

/** Whether it has been Ready at some time, healthy now or not. */
export function hasWorked({ status }: Pick<Revision, 'status'>): boolean {
  return status?.firstReadyTime !== undefined;
}

/** The Revision whose objects are kept in the cluster: of two, as while a late write is undone, the newest. */
export function activeOf<Any extends Pick<Revision, 'spec'>>(revisions: readonly Any[]): Any | undefined {
  return revisions.filter(({ spec }) => spec.state === 'Active').toSorted((a, b) => b.spec.number - a.spec.number)[0];
}

export const REVISION = {
  kind: 'Revision',
  plural: 'revisions',
  singular: 'revision',
  scope: 'Namespaced',
  schema: Revision,
  columns: [
    {
      name: 'Subscription',
      type: 'string',
      jsonPath: '.spec.subscription',
      description: 'Subscription that it belongs to.',
    },
    { name: 'Version', type: 'string', jsonPath: '.spec.version', description: 'Version of the bundle.' },
    { name: 'State', type: 'string', jsonPath: '.spec.state', description: 'Active or Archived.' },
    { name: 'Approved', type: 'boolean', jsonPath: '.spec.approved', description: 'Whether it may be applied.' },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether all its objects are applied and healthy.',
    },
    { name: 'Bundle', type: 'string', jsonPath: '.spec.bundle', description: 'Name of the bundle.', wide: true },
    {
      name: 'Objects',
      type: 'integer',
      jsonPath: '.spec.manifests.objects',
      description: 'How many objects it has.',
      wide: true,
    },
    {
      name: 'Risk',
      type: 'string',
      jsonPath: '.status.plan.risk',
      description: 'The worst risk of its plan.',
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
