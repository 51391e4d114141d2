/** Subscription: requests an operator for its own namespace. */
import * as z from 'zod';
import { statusOf } from './conditions.ts';
import { rules } from './fields.ts';
import type { CustomKind, ManifestOf, ObjectOf } from './kind.ts';
import { SubscriptionSpec } from './subscription-spec.ts';
import { SubscriptionStatus } from './subscription-status.ts';

/** Longest name of a Subscription: the names of its Revisions and their Secrets begin with it. */
export const MAX_NAME = 200;

export const Subscription = rules(
  z.object({
    spec: SubscriptionSpec.describe('The requested operator, and how it is installed, upgraded and uninstalled.'),
    status: statusOf(SubscriptionStatus).describe(
      'The present state: the installed version, the work in progress, and problems with their remedies.',
    ),
  }),
  {
    rule: `self.metadata.name.size() <= ${MAX_NAME}`,
    message: `metadata.name must be at most ${MAX_NAME} characters long`,
  },
).describe(
  'A Subscription requests an operator for its namespace. The operator is installed, kept up to date and, when the Subscription is deleted, removed.',
);
export type Subscription = ObjectOf<typeof Subscription>;
export type SubscriptionManifest = ManifestOf<typeof Subscription>;

/** Whether the objects of the operator stay when the Subscription is deleted. */
export function leavesObjects({ spec }: Pick<Subscription, 'spec'>): boolean {
  return spec.uninstall.objects === 'Orphan';
}

export const SUBSCRIPTION = {
  kind: 'Subscription',
  plural: 'subscriptions',
  singular: 'subscription',
  scope: 'Namespaced',
  schema: Subscription,
  columns: [
    { name: 'Package', type: 'string', jsonPath: '.spec.package', description: 'Package that is requested.' },
    {
      name: 'Installed',
      type: 'string',
      jsonPath: '.status.installed.version',
      description: 'Version that is installed.',
    },
    {
      name: 'Available',
      type: 'string',
      jsonPath: '.status.available.version',
      description:
        'Newest version that the spec allows, also if an upgrade to it failed; the installed one without a catalog.',
    },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether all is as the spec asks.',
    },
    {
      name: 'Channel',
      type: 'string',
      jsonPath: '.status.installed.channel',
      description: 'Channel that it was chosen from.',
      wide: true,
    },
    {
      name: 'Catalog',
      type: 'string',
      jsonPath: '.status.installed.catalog',
      description: 'Catalog that it came from.',
      wide: true,
    },
    {
      name: 'Suspended',
      type: 'boolean',
      jsonPath: '.spec.suspend',
      description: 'Whether nothing is done.',
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
