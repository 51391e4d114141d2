/** The policy that decides which upgrades start without a person, and the approval of one plan, as a Subscription has them. */
import * as z from 'zod';
import { list, namespaceName, set, sha256, text } from './fields.ts';
import type { Immutable } from './kind.ts';

/** Limits of the lists of a policy. */
const MOST_RULES = 64;
const MOST_NAMES = 64;

const names = (what: string) => set(z.string().max(253), MOST_NAMES).describe(what);

const AllowedRight = z.object({
  verbs: names('Verbs that may be added; `*`: all.').min(1),
  apiGroups: names('API groups; `*`: all.').optional(),
  resources: names('Resources, as in a ClusterRole; `*`: all.').optional(),
  resourceNames: names('Names of objects. Absent: all.').optional(),
  nonResourceURLs: names('Paths of the API server that are no resources.').optional(),
  namespaces: set(namespaceName(), MOST_NAMES)
    .min(1)
    .optional()
    .describe('Namespaces in which the right may be added. Absent: everywhere.'),
});
export type AllowedRight = Immutable<z.infer<typeof AllowedRight>>;

const Consequence = ['Proceed', 'Wait'] as const;

export const UpgradePolicy = z.object({
  automatic: z
    .enum(['Patch', 'Minor', 'Major', 'All'])
    .default('All')
    .describe(
      'The largest growth of the version that starts by itself. All: also a lower version, and versions that cannot be compared.',
    ),
  rights: z
    .enum(['MayGrow', 'MayNotGrow'])
    .default('MayGrow')
    .describe(
      'MayNotGrow: an upgrade waits that gives the operator rights which it lacks today, webhooks that intercept further writes, or a conversion webhook.',
    ),
  allowedRights: list(AllowedRight, MOST_RULES)
    .optional()
    .describe('Rights that the operator may gain nevertheless, as rules of a ClusterRole.'),
  registries: set(text(253).regex(/^[a-z0-9][a-z0-9._:/-]*$/), MOST_NAMES)
    .min(1)
    .optional()
    .describe(
      'Registries, or repositories in them, from which new images may come: `registry.example`, `registry.example/team`. Absent: any.',
    ),
  unsignedBundles: z
    .enum(Consequence)
    .default('Proceed')
    .describe('Whether an upgrade waits if no trusted signature of the bundle image is known.'),
  unsafeCRDs: z
    .enum(Consequence)
    .default('Proceed')
    .describe('Whether an upgrade waits if a change of a CRD may lose data or reject objects.'),
  irreversible: z
    .enum(Consequence)
    .default('Proceed')
    .describe('Whether an upgrade waits after which there is no way back.'),
});
export type UpgradePolicy = Immutable<z.infer<typeof UpgradePolicy>>;

export const Approval = z.object({
  version: text(256).describe('Version of the bundle that is approved.'),
  plan: sha256().describe('Hash of the plan that is approved, as `slipway plan` prints it.'),
});
export type Approval = Immutable<z.infer<typeof Approval>>;
