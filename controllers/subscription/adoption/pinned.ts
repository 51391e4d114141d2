/** The version with which an operator is taken over. Pure. */
import type { KubeObject } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';

/** The Subscription with a spec that asks for exactly this version, as if a person had approved it. */
export function pinnedTo(subscription: Subscription, version: string): Subscription {
  const spec = { ...subscription.spec, version, dependencies: 'Ignore', approval: 'Automatic' } as const;
  return { ...subscription, spec };
}

/** The Subscription as the command line would create it, which a backup keeps. */
export function pinnedManifest({ apiVersion, kind, metadata, spec }: Subscription, version: string): KubeObject {
  const { adopt: _adopt, ...rest } = spec;
  const { name, namespace = '' } = metadata;
  return { apiVersion, kind, metadata: { name, namespace }, spec: { ...rest, version, dependencies: 'Ignore' } };
}

/** A version as a Catalog has it. */
export interface PinnedVersion {
  /** Name of the bundle. */
  readonly bundle: string;
  /** Prepared for the Subscription. */
  readonly objects: readonly KubeObject[];
}

/** The version to which a Subscription is pinned; throws ReasonedError if it cannot be installed. */
export type RenderPinned = (pinned: Subscription) => Promise<PinnedVersion>;
