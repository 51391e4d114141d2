/** The spec with which an operator is taken over. Pure. */
import type { Subscription } from '../../../api/subscription.ts';

/** The Subscription with a spec that asks for exactly this version, as if a person had approved it. */
export function pinnedTo(subscription: Subscription, version: string): Subscription {
  const spec = { ...subscription.spec, version, dependencies: 'Ignore', approval: 'Automatic' } as const;
  return { ...subscription, spec };
}
