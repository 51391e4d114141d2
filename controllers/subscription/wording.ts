/** The words for the work on a Subscription in conditions: a reason of the closed list, and a sentence. Pure. */
import { ANNOTATION } from '../../api/names.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Choice, Decision } from '../../resolver/decision.ts';
import { describeCatalogChange, explainDecision } from '../../resolver/explain.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Revision } from '../../api/revision.ts';
import type { Action } from './action.ts';
import type { ResolvedPlan } from './decide.ts';
import { isStalledNow } from './history.ts';
import { haveSameBundle, isPublishedAgain, isSameBundle } from '../../api/same-bundle.ts';
import type { UpgradeFailure } from './upgrade-failure.ts';

/** A Revision that something holds back. */
export type Waiting = Extract<Action, { readonly do: 'await' }>;

/** The reason for the work in progress. */
export function workOf({ installed, action, active, decision, failure }: ResolvedPlan): Reason {
  if (installed === undefined) return 'Installing';
  if (action.do === 'activate' && action.revision === installed) return 'RollingBack';
  if (action.do === 'nothing' && failure?.state === 'RollingBack' && active === installed) return 'RollingBack';
  const isUnderWay = action.do === 'nothing' && active !== undefined;
  const isUpgrade =
    isUnderWay ||
    decision.kind === 'upgrade' ||
    (decision.kind !== 'none' && isPublishedAgain(decision.next, installed?.spec));
  return isUpgrade && !isOnInstalled({ action, active }, installed) ? 'Upgrading' : 'Progressing';
}

/** Whether the work is on the installed bundle, such as another configuration of it, while an upgrade waits. */
function isOnInstalled({ action, active }: Pick<ResolvedPlan, 'action' | 'active'>, installed: Revision): boolean {
  if (action.do === 'create' || action.do === 'restore') return isSameBundle(action.target.bundle, installed.spec);
  const worked = action.do === 'activate' ? action.revision : active;
  return worked !== undefined && haveSameBundle(worked.spec, installed.spec);
}

/** The work in progress, in a sentence. */
export function describeWork(plan: ResolvedPlan): string {
  const { action, active, decision } = plan;
  if (action.do === 'create' || action.do === 'restore') return `${action.target.bundle.name} is being prepared`;
  if (action.do === 'activate') return `${action.revision.spec.bundle} is being applied`;
  if (active !== undefined) return `${active.spec.bundle} is being applied${describeNext(active, plan)}`;
  return decision.kind === 'none' ? 'Nothing can be installed' : `${decision.next.name} is being prepared`;
}

/** The bundle that is chosen by now, as the rest of a sentence: a version that is being rolled out is not exchanged. */
function describeNext({ spec }: Revision, { action, decision, installed }: ResolvedPlan): string {
  if (decision.kind === 'none' || isSameBundle(decision.next, spec)) return '';
  const isOfInstalled = installed !== undefined && haveSameBundle(spec, installed.spec);
  if (action.do !== 'nothing' || isOfInstalled) return '';
  return `. ${decision.next.name}, which is chosen now, waits until that version works or has failed`;
}

/** The cause of the wait of a Revision that is held back, and how to go on. */
export function describeHold({ revision: { metadata, spec }, hold }: Waiting): string {
  const sentence = `${spec.bundle} ${hold.message}`;
  if (hold.reason !== 'ApprovalRequired') return sentence;
  return `${sentence}: kubectl -n ${metadata.namespace} patch revisions.slipway.dev ${metadata.name} --type merge -p '{"spec":{"approved":true}}'`;
}

/**
 * The failed upgrade in full: the bundle, the cause, the present state, and how to try it again; if nothing failed, the
 * work in progress.
 */
export function describeUpgradeFailure({ metadata }: Pick<Subscription, 'metadata'>, plan: ResolvedPlan): string {
  const { failure, installed } = plan;
  if (failure === undefined || installed === undefined) return describeWork(plan);
  const { bundle, message, state } = failure;
  const before = installed.spec.bundle;
  const failed = `The ${nameFailure(failure, installed)} failed: ${cut(message, LONGEST_CAUSE)}`;
  if (state === 'RollingBack') return `${failed}. ${before} ${describeReturn(plan)}`;
  const again = reconcileCommand(metadata);
  if (state === 'Held' && haveSameBundle(failure, installed.spec))
    return `${failed}. It stays as it is, since a rollback would not apply the configuration that the spec requests: change the spec. To try it again now: ${again}`;
  if (state === 'Held')
    return `${failed}. It stays as it is, as spec.onFailure.strategy says: change the spec, or set that to Rollback to have ${before} applied again. To try it again now: ${again}`;
  const isSameName = bundle === before;
  return `${failed}. ${isSameName ? `The ${before} before it` : before} runs again. ${isSameName ? 'This content' : bundle} is not tried again until one of these happens: a newer version exists; the version, channel, catalog or configuration in the spec changes; a person requests a reconcile: ${again}`;
}

/** What becomes of the version before, as the rest of a sentence. */
function describeReturn({ active, installed }: Pick<ResolvedPlan, 'active' | 'installed'>): string {
  const isBack = active !== undefined && active === installed;
  return isBack && isStalledNow(active) ? 'was applied again, and does not work' : 'is being applied again';
}

/** The command by which a person requests a reconcile. */
export function reconcileCommand(metadata: Subscription['metadata']): string {
  return `kubectl -n ${metadata.namespace} annotate subscriptions.slipway.dev ${metadata.name} --overwrite ${ANNOTATION.reconcileRequestedAt}="$(date)"`;
}

/** What failed, without an article: an upgrade, a configuration, or a bundle that was published again under its name. */
function nameFailure(failure: UpgradeFailure, installed: Revision | undefined): string {
  const { bundle } = failure;
  if (bundle !== installed?.spec.bundle) return `upgrade to ${bundle}`;
  const isConfiguration = haveSameBundle(failure, installed.spec);
  return isConfiguration ? `new configuration of ${bundle}` : `${bundle} that was published again`;
}

/** The longest cause in the middle of a sentence, and in a column of a table. */
const [LONGEST_CAUSE, LONGEST_REMARK] = [3000, 200];

/** The failure for the column STATUS, after the state of the operator; empty if nothing failed. */
export function remarkOnFailure({ failure, installed }: Pick<ResolvedPlan, 'failure' | 'installed'>): string {
  if (failure === undefined) return '';
  return `; the ${nameFailure(failure, installed)} failed: ${shorten(failure.message)}`;
}

/** The wait of the next Revision for the column STATUS, after the state of the operator. */
export function remarkOnHold(action: Action): string {
  if (action.do !== 'await') return '';
  const sentence = describeHold(action);
  return `; ${action.hold.reason === 'ApprovalRequired' ? sentence : shorten(sentence)}`;
}

/** A remark for the column STATUS. */
export function shorten(text: string): string {
  return cut(text, LONGEST_REMARK);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/**
 * The unusual side of an upgrade, as the rest of a sentence: another catalog, a lower version, and a graph that is not followed
 * are never silent.
 */
export function describeMove(choice: Choice, installed: Revision | undefined): string {
  const { catalogChange } = choice;
  const step = describeStep(choice, installed);
  return catalogChange === undefined ? step : `${step}, ${describeCatalogChange(catalogChange)}`;
}

function describeStep({ kind, downgrade, next, path }: Choice, installed: Revision | undefined): string {
  if (downgrade) return ', although it is lower';
  if (isPublishedAgain(next, installed?.spec)) return ', published again with another content';
  const [hop] = path;
  const follows = kind !== 'upgrade' || hop?.edge !== undefined;
  return follows ? '' : ', whether or not an edge of the catalog leads to it, as spec.edges is Ignore';
}

/** The installed version works without its Catalog, but the columns show that no upgrade can be found. */
export function describeLoss(decision: Decision, packageName: string): string {
  if (decision.kind !== 'none' || !(decision.reason === 'CatalogNotFound' || decision.reason === 'CatalogNotAllowed'))
    return '';
  return `, but no upgrade can be found. ${explainDecision(decision, packageName).message}`;
}

/** A message with its advice. */
export function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}
