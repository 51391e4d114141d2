/** How the work on a Subscription is called in conditions: one word of the list of reasons, and a sentence. Pure. */
import type { Reason } from '../../api/reasons.ts';
import type { Choice, Decision } from '../../resolver/decision.ts';
import { describeCatalogChange, explainDecision } from '../../resolver/explain.ts';
import type { Action, ResolvedPlan } from './decide.ts';

/** A Revision that something holds back. */
export type Waiting = Extract<Action, { readonly do: 'await' }>;

/** What is being done. */
export function workOf({ installed, action, decision }: ResolvedPlan): Reason {
  if (installed === undefined) return 'Installing';
  if (action.do === 'activate' && action.revision === installed) return 'RollingBack';
  return decision.kind === 'upgrade' ? 'Upgrading' : 'Progressing';
}

/** The same, in a sentence. */
export function describeWork({ action, active, decision }: ResolvedPlan): string {
  if (action.do === 'create' || action.do === 'restore') return `${action.target.bundle.name} is being prepared`;
  if (action.do === 'activate') return `${action.revision.spec.bundle} is being applied`;
  if (active !== undefined) return `${active.spec.bundle} is being applied`;
  return decision.kind === 'none' ? 'Nothing can be installed' : `${decision.next.name} is being prepared`;
}

/** What a Revision that is held waits for, and how to go on. */
export function describeHold({ revision: { metadata, spec }, hold }: Waiting): string {
  const sentence = `${spec.bundle} ${hold.message}`;
  if (hold.reason !== 'ApprovalRequired') return sentence;
  return `${sentence}: kubectl -n ${metadata.namespace} patch revisions.slipway.dev ${metadata.name} --type merge -p '{"spec":{"approved":true}}'`;
}

/** What is unusual about an upgrade, as the rest of a sentence: never silently another catalog, or a lower version. */
export function describeMove({ catalogChange, downgrade }: Choice): string {
  const lower = downgrade ? ', although it is lower' : '';
  return catalogChange === undefined ? lower : `${lower}, ${describeCatalogChange(catalogChange)}`;
}

/** What is installed works without its Catalog, but that no upgrade can be found is not kept from the columns. */
export function describeLoss(decision: Decision, packageName: string): string {
  if (decision.kind !== 'none' || !(decision.reason === 'CatalogNotFound' || decision.reason === 'CatalogNotAllowed'))
    return '';
  return `, but no upgrade can be found. ${explainDecision(decision, packageName).message}`;
}

/** A message with the advice that goes with it. */
export function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}
