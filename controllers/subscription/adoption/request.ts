/** Which operator of OLM a Subscription adopts, if any. Pure. */
import { operatorIn, type AdoptedOperator } from '../../../adoption/successor.ts';
import { findCondition } from '../../../api/conditions.ts';
import type { Subscription } from '../../../api/subscription.ts';

export type AdoptionRequest =
  /** Nothing is adopted, or it is over. */
  | { readonly kind: 'none' }
  /** The Subscription has installed an operator by itself. */
  | { readonly kind: 'pointless' }
  | { readonly kind: 'adopt'; readonly operator: AdoptedOperator };

/** An adoption that has begun goes on, also if the field was taken out or names another operator since. */
export function adoptionRequest({ spec, status }: Pick<Subscription, 'spec' | 'status'>): AdoptionRequest {
  const { adoption, installed } = status ?? {};
  const isOver = findCondition(status?.conditions, 'Adopted')?.reason === 'Adopted';
  const begun = adoption?.backup === undefined ? undefined : operatorIn(adoption);
  if (begun !== undefined && !(adoption?.stage === 'HandedOver' && isOver)) return { kind: 'adopt', operator: begun };
  const asked = operatorIn(spec.adopt);
  if (asked === undefined || adoption?.stage === 'HandedOver') return { kind: 'none' };
  if (adoption?.backup === undefined && installed !== undefined) return { kind: 'pointless' };
  return { kind: 'adopt', operator: asked };
}
