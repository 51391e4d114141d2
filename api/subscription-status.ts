/** The status of a Subscription: the bundle that is installed, those that could follow, and those that may not. */
import * as z from 'zod';
import { Conditions, handled } from './conditions.ts';
import { imageReference, integer, list, namespaceName, objectName, text, timestamp } from './fields.ts';
import type { Immutable } from './kind.ts';
import { LastRepair, Losses } from './repair.ts';
import { MAX_REVISION_NUMBER } from './revision.ts';

/** Limit for the number of steps of an upgrade. */
export const MAX_STEPS = 100_000;

/** Limits of the lists in a status: the newest or most relevant entries are kept. */
export const STATUS_LIMITS = { path: 100, quarantined: 50, refused: 20 } as const;

const version = text(256).describe('Its version.');
const bundle = text(253).describe('Name of the bundle.');

const Installed = z.object({
  bundle,
  version,
  release: text(256).optional().describe('Its release, if the bundle has one.'),
  image: imageReference().describe('The bundle image by digest.'),
  catalog: objectName().describe('Name of the Catalog that it came from.'),
  channel: z.string().max(253).optional().describe('Channel that it was chosen from.'),
  revision: objectName().describe('Name of the Revision.'),
});

const Available = z.object({ bundle, version });

const Pending = z.object({
  revision: objectName().optional().describe('Name of the Revision, once it exists.'),
  bundle,
  version,
  reason: text(64).describe('Why it waits, as one word of the list of reasons.'),
  step: integer(1, MAX_STEPS).optional().describe('Which step it is, if the way to the available version has several.'),
  steps: integer(1, MAX_STEPS).optional().describe('How many steps the way has, those that are done included.'),
});

const Quarantined = z.object({
  bundle,
  version,
  image: imageReference().optional().describe('The bundle image by digest.'),
  reason: text(64).describe('Why it failed, as one word of the list of reasons.'),
  message: z.string().max(4096).describe('Why it failed, in a sentence.'),
  since: timestamp().describe('When it failed.'),
  rolledBackTime: timestamp().optional().describe('When the version that worked before it was healthy again.'),
  specHash: text(128)
    .optional()
    .describe('Hash of the fields of the spec that decide the outcome: another one has the version tried again.'),
});

const Refused = z.object({
  version,
  reason: text(64).describe('Why it is not chosen, as one word of the list of reasons.'),
  message: z.string().max(1024).describe('Why it is not chosen, in a sentence.'),
});

/** How far an adoption is, for the Subscription: it installs nothing, is pinned to the version that runs, or is free. */
const ADOPTION_STAGES = ['Preparing', 'TakingOver', 'HandedOver'] as const;

const Adoption = z.object({
  subscription: objectName().optional().describe("With OLM v0: name of OLM's Subscription."),
  clusterExtension: objectName().optional().describe('With OLM v1: name of the ClusterExtension.'),
  stage: z
    .enum(ADOPTION_STAGES)
    .describe(
      'Preparing: the operator is taken from OLM, and nothing is installed. TakingOver: the version that OLM had is applied, and no other one. HandedOver: the Subscription goes on as any other.',
    ),
  step: text(64).describe('The next step, as `slipway adopt status` shows it.'),
  version: text(256).optional().describe('The version that OLM had installed, once it is taken over.'),
  backup: z
    .object({ namespace: namespaceName().describe('Its namespace.'), name: objectName().describe('Its name.') })
    .optional()
    .describe("The Secret with the backup of OLM's objects, once it exists."),
});
export type Adoption = Immutable<z.infer<typeof Adoption>>;

export const SubscriptionStatus = z.object({
  ...handled,
  installed: Installed.optional().describe('The installed bundle.'),
  available: Available.optional().describe(
    'The newest version that the spec allows and the graph leads to, also if an upgrade to it failed. If no catalog answers: the last answer while catalogs are read again, else the installed version.',
  ),
  pending: Pending.optional().describe('The Revision that comes next, while it is not installed.'),
  lastNumber: integer(1, MAX_REVISION_NUMBER)
    .optional()
    .describe('The highest number that a Revision has had: no later Revision gets the same name.'),
  path: list(text(256), STATUS_LIMITS.path)
    .optional()
    .describe('Versions on the way from the installed to the available one, in order.'),
  quarantined: list(Quarantined, STATUS_LIMITS.quarantined)
    .optional()
    .describe(
      'Versions that failed. They are not tried again until a newer one exists, a field of the spec changes that can change the outcome, or a person asks.',
    ),
  nextEligibleTime: timestamp().optional().describe('When the next window opens, while an upgrade waits for it.'),
  refused: list(Refused, STATUS_LIMITS.refused)
    .optional()
    .describe('Newer versions that are not chosen, highest first, each with its reason.'),
  adoption: Adoption.optional().describe('How far the adoption is that spec.adopt requests.'),
  lastRepair: LastRepair.optional().describe('The last repair of the installed objects.'),
  losses: Losses.optional().describe(
    'CRDs that were deleted with their custom resources, until a person acknowledges it.',
  ),
  conditions: Conditions.optional(),
});
export type SubscriptionStatus = Immutable<z.infer<typeof SubscriptionStatus>>;
