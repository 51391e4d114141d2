/** Subscriptions and Revisions for the tests of the commands that administer a cluster. */
import type { Condition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Revision, RevisionSpec, RevisionStatus } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { SubscriptionSpec } from '../../api/subscription-spec.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';

export const NOW = new Date('2026-01-02T00:00:00Z');
const CREATED = '2026-01-01T00:00:00Z';

export function condition(
  type: string,
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
): Condition {
  return { type, status, reason, message, observedGeneration: 1, lastTransitionTime: CREATED };
}

export const READY: Condition = condition('Ready', 'True', 'Succeeded', 'gadget.v1.0.0 is installed and healthy');

export const INSTALLED: NonNullable<SubscriptionStatus['installed']> = {
  bundle: 'gadget.v1.0.0',
  version: '1.0.0',
  image: `registry.example/gadget@sha256:${'a'.repeat(64)}`,
  catalog: 'team',
  channel: 'stable',
  revision: 'gadget-1',
};

export interface SubscriptionParts {
  readonly metadata?: Partial<Subscription['metadata']>;
  readonly spec?: Partial<SubscriptionSpec>;
  readonly status?: SubscriptionStatus;
}

/** A Subscription as the API server returns it; the fields that are given precede the defaults. */
export function subscription({ metadata, spec, status }: SubscriptionParts = {}): Subscription {
  return {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'gadget', namespace: 'ops', uid: 'u1', generation: 1, creationTimestamp: CREATED, ...metadata },
    spec: {
      package: 'gadget',
      approval: 'Automatic',
      edges: 'Follow',
      dependencies: 'Install',
      certificates: 'Manager',
      onFailure: { strategy: 'Rollback', progressDeadline: '10m', bakeTime: '10s' },
      crdUpgradeSafety: { enforcement: 'Enforce' },
      webhookSafety: 'Enforce',
      uninstall: { objects: 'Delete', customResources: 'Retain', dependencies: 'Retain' },
      historyLimit: 10,
      suspend: false,
      ...spec,
    },
    ...(status !== undefined && { status: { observedGeneration: 1, ...status } }),
  };
}

export interface RevisionParts {
  readonly metadata?: Partial<Revision['metadata']>;
  readonly spec?: Partial<RevisionSpec>;
  readonly status?: RevisionStatus;
}

/** Revision `gadget-<number>` of `gadget.v<version>`. */
export function revision(number: number, version: string, { metadata, spec, status }: RevisionParts = {}): Revision {
  return {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Revision',
    metadata: {
      name: `gadget-${number}`,
      namespace: 'ops',
      uid: `r${number}`,
      generation: 1,
      creationTimestamp: CREATED,
      ...metadata,
    },
    spec: {
      subscription: 'gadget',
      number,
      package: 'gadget',
      bundle: `gadget.v${version}`,
      version,
      catalog: 'team',
      image: `registry.example/gadget@sha256:${'a'.repeat(64)}`,
      configHash: 'c',
      manifests: { secrets: ['s'], digest: `sha256:${'b'.repeat(64)}`, objects: 2 },
      certificates: 'Manager',
      approved: true,
      state: 'Active',
      ...spec,
    },
    ...(status !== undefined && { status: { observedGeneration: 1, ...status } }),
  };
}

/** The same object for a function that takes any object. */
export function untyped(object: Subscription | Revision): KubeObject {
  return object;
}
