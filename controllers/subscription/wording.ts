/** How the work on a Subscription is called in conditions: one word of the list of reasons, and a sentence. Pure. */
import { ANNOTATION } from '../../api/names.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Choice, Decision } from '../../resolver/decision.ts';
import { describeCatalogChange, explainDecision } from '../../resolver/explain.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Action, ResolvedPlan } from './decide.ts';

/** A Revision that something holds back. */
export type Waiting = Extract<Action, { readonly do: 'await' }>;

/** What is being done. */
export function workOf({ installed, action, active, decision, failure }: ResolvedPlan): Reason {
  if (installed === undefined) return 'Installing';
  if (action.do === 'activate' && action.revision === installed) return 'RollingBack';
  if (action.do === 'nothing' && failure?.state === 'RollingBack' && active === installed) return 'RollingBack';
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

/** What failed of an upgrade, in full: which, why, how things stand, and how to try it again; if nothing failed, the work under way. */
export function describeUpgradeFailure({ metadata }: Pick<Subscription, 'metadata'>, plan: ResolvedPlan): string {
  const { failure, installed } = plan;
  if (failure === undefined || installed === undefined) return describeWork(plan);
  const { bundle, message, state } = failure;
  const before = installed.spec.bundle;
  const what = bundle === before ? `The new configuration of ${bundle}` : `The upgrade to ${bundle}`;
  const failed = `${what} failed: ${cut(message, LONGEST_CAUSE)}`;
  if (state === 'RollingBack') return `${failed}. ${before} is being applied again`;
  const again = `kubectl -n ${metadata.namespace} annotate subscriptions.slipway.dev ${metadata.name} --overwrite ${ANNOTATION.reconcileRequestedAt}="$(date)"`;
  if (state === 'Held')
    return `${failed}. It stays as it is, as spec.onFailure.strategy says: change the spec, or set that to Rollback to have ${before} applied again. To try it again now: ${again}`;
  return `${failed}. ${before} runs again. ${bundle} is not tried again until a newer version exists, version, channel, catalog or configuration of the spec change, or a reconcile is requested: ${again}`;
}

/** Longest cause within a sentence that goes on, and within a column of a table. */
const [LONGEST_CAUSE, LONGEST_REMARK] = [3000, 200];

/** The same for the column STATUS, after what works; nothing where nothing failed. */
export function remarkOnFailure({ failure, installed }: Pick<ResolvedPlan, 'failure' | 'installed'>): string {
  if (failure === undefined) return '';
  const what = failure.bundle === installed?.spec.bundle ? 'its new configuration' : `the upgrade to ${failure.bundle}`;
  return `; ${what} failed: ${cut(failure.message, LONGEST_REMARK)}`;
}

/** What the next Revision waits for, for the column STATUS, after what works. */
export function remarkOnHold(action: Action): string {
  if (action.do !== 'await') return '';
  const sentence = describeHold(action);
  return `; ${action.hold.reason === 'ApprovalRequired' ? sentence : cut(sentence, LONGEST_REMARK)}`;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
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
