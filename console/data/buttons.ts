/** Buttons: an act with its line, and whether the person may do it. Pure. */
import {
  accessOf,
  describeAccess,
  distinct,
  keyOfAccess,
  policyAccessOf,
  type ActingAccount,
  type Rights,
} from './access.ts';
import type { Action } from './actions.ts';
import type { AccessQuestion } from './ask.ts';
import { kubectlLine } from './kubectl.ts';
import type { Button } from './models.ts';

/** An act that a view offers. */
export interface Offer {
  readonly label: string;
  readonly action: Action;
  readonly confirm?: string;
  readonly typed?: string;
  /** Why the act has no sense now; the button explains it, and cannot be pressed. */
  readonly obstacle?: string | undefined;
}

export interface ButtonTerms {
  readonly rights: Rights;
  readonly readOnly: boolean;
  readonly account: ActingAccount;
}

/** The questions whose answers decide about these acts. */
export function accessOfOffers(offers: readonly Offer[], account: ActingAccount): readonly AccessQuestion[] {
  return distinct(offers.flatMap(({ action }) => [...accessOf(action), ...policyAccessOf(action, account)]));
}

export function buttonOf(offer: Offer, terms: ButtonTerms): Button {
  const { label, action, confirm, typed } = offer;
  return {
    label,
    command: kubectlLine(action),
    ...verdictOf(offer, terms),
    ...(confirm !== undefined && { confirm }),
    ...(typed !== undefined && { typed }),
    action,
  };
}

/** A certain "no" comes before a doubt. */
function verdictOf({ action, obstacle }: Offer, terms: ButtonTerms): Pick<Button, 'allowed' | 'because'> {
  const { rights, readOnly, account } = terms;
  if (obstacle !== undefined) return { allowed: false, because: obstacle };
  const needs = accessOf(action);
  const answerTo = (question: AccessQuestion): boolean | undefined => rights.get(keyOfAccess(question));
  const denied = needs.find((question) => answerTo(question) === false);
  if (denied !== undefined) return { allowed: false, because: `You have no right to ${describeAccess(denied)}` };
  if (readOnly) return { allowed: false, because: READ_ONLY };
  const open = needs.find((question) => answerTo(question) === undefined);
  if (open !== undefined)
    return { allowed: 'unknown', because: `It is not known whether you have the right to ${describeAccess(open)}` };
  const policy = policyAccessOf(action, account).find((question) => answerTo(question) !== true);
  if (policy === undefined) return { allowed: true };
  return {
    allowed: 'unknown',
    because: `The policy slipway-accounts, if the cluster has it, asks for the right to ${describeAccess(policy)}, which you ${answerTo(policy) === false ? 'lack' : 'may lack'}`,
  };
}

const READ_ONLY = 'This console is read-only: run the command yourself';
