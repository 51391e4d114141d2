/** Which operator of OLM v0 a Subscription adopts, if any. Pure. */
import { findCondition } from '../../../api/conditions.ts';
import type { Subscription } from '../../../api/subscription.ts';

export type AdoptionRequest =
  /** Nothing is adopted, or it is over. */
  | { readonly kind: 'none' }
  /** The Subscription has installed an operator by itself. */
  | { readonly kind: 'pointless' }
  | { readonly kind: 'adopt'; readonly subscription: string };

/** An adoption that has begun goes on, also if the field was taken out or names another Subscription of OLM since. */
export function adoptionRequest({ spec, status }: Pick<Subscription, 'spec' | 'status'>): AdoptionRequest {
  const { adoption, installed } = status ?? {};
  const { adopt } = spec;
  const isOver = findCondition(status?.conditions, 'Adopted')?.reason === 'Adopted';
  if (adoption !== undefined && !(adoption.stage === 'HandedOver' && isOver)) {
    const hasBegun = adoption.backup !== undefined;
    if (hasBegun) return { kind: 'adopt', subscription: adoption.subscription };
  }
  if (adopt === undefined) return { kind: 'none' };
  if (adoption?.stage === 'HandedOver') return { kind: 'none' };
  if (adoption?.backup === undefined && installed !== undefined) return { kind: 'pointless' };
  return { kind: 'adopt', subscription: adopt.subscription };
}
