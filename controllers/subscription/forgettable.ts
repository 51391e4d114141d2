/**
 * Which Revisions may be deleted: those beyond the limit of the history, and those that wait for a person although another
 * one comes next. Pure.
 */
import { type Revision, activeOf } from '../../api/revision.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Conflict, Decision } from '../../resolver/decision.ts';
import { explainDecision } from '../../resolver/explain.ts';
import { ruledOutBy } from '../../resolver/published-again.ts';
import { configHash } from '../config-hash.ts';
import type { EventFacts } from '../events.ts';
import type { ResolvedPlan } from './decide.ts';
import { isRevisionOf } from './installed-version.ts';
import type { SubscriptionFacts } from './observe.ts';

type ForgetFacts = Pick<SubscriptionFacts, 'subscription' | 'revisions' | 'catalogs'>;
type ForgetPlan = Pick<ResolvedPlan, 'decision' | 'action' | 'installed'>;

/** Archived Revisions that can be deleted; none while another one is being made. */
export function forgettable(facts: ForgetFacts, { decision, action }: ForgetPlan): readonly Revision[] {
  if (action.do === 'create') return [];
  const { subscription, revisions } = facts;
  const wanted = 'revision' in action ? action.revision : undefined;
  const needed = new Set([activeOf(revisions)?.spec.previous, subscription.status?.installed?.revision]);
  return [...proposals(facts, decision), ...beyondLimit(facts, wanted)].filter(
    (one) => one !== wanted && !needed.has(one.metadata.name),
  );
}

function beyondLimit({ subscription, revisions }: ForgetFacts, wanted: Revision | undefined): readonly Revision[] {
  const archived = archivedIn(revisions).filter((one) => one !== wanted);
  const approved = archived.filter((one) => one.spec.approved && isHandedOver(one));
  return approved.slice(0, Math.max(0, approved.length - subscription.spec.historyLimit));
}

/**
 * Never approved, and not the next one. While a catalog has not answered, as after a restart, the last one may still be
 * the next: a person may be about to approve it.
 */
function proposals({ subscription, revisions, catalogs }: ForgetFacts, decision: Decision): readonly Revision[] {
  const unapproved = archivedIn(revisions).filter((one) => !one.spec.approved);
  const last = isAnswered(catalogs, decision) ? undefined : unapproved.at(-1);
  const next = decision.kind === 'none' ? undefined : { bundle: decision.next, configHash: configHash(subscription) };
  const coming = next && unapproved.findLast((one) => isRevisionOf(one, next));
  return unapproved.filter((one) => one !== last && one !== coming);
}

function archivedIn(revisions: readonly Revision[]): readonly Revision[] {
  return revisions.filter(
    ({ metadata, spec }) => spec.state === 'Archived' && metadata.deletionTimestamp === undefined,
  );
}

/** A Revision with an inventory is kept until another one has taken over its objects. */
function isHandedOver({ status }: Revision): boolean {
  return (status?.inventory ?? []).length === 0;
}

/** Reasons of decisions for which no catalog was asked, or one did not answer. */
const UNANSWERED: ReadonlySet<Reason> = new Set([
  'CatalogUnavailable',
  'CatalogNotFound',
  'CatalogNotAllowed',
  'InvalidSpec',
  'InvalidVersionRange',
]);

/** Whether every catalog has answered: one that is not read yet may have a dependency, or the bundle itself. */
export function isAnswered(catalogs: SubscriptionFacts['catalogs'], decision: Decision): boolean {
  const isUnread = catalogs.some(({ state, selected }) => state === 'Unavailable' && selected !== false);
  if (isUnread || (decision.kind === 'none' && UNANSWERED.has(decision.reason))) return false;
  const causes = decision.refused.map(({ cause }) => ruledOutBy(cause));
  const refused = causes.flatMap((cause) => (cause.kind === 'dependency' ? cause.because : []));
  return !isCutShort([...refused, ...(decision.kind === 'none' ? decision.because : [])]);
}

/** Whether a search reached its limit: another one may find more. */
function isCutShort(because: readonly Conflict[]): boolean {
  return because.some((one) => one.kind === 'effort' || (one.kind === 'dependency' && isCutShort(one.because)));
}

/** The event for a Revision that was deleted although a person could have approved it. */
export function describeForgotten(
  { metadata, spec }: Revision,
  { decision, action, installed }: ForgetPlan,
): EventFacts {
  const next = 'revision' in action ? action.revision : undefined;
  const cause =
    action.do === 'await' && next !== undefined
      ? `${next.metadata.name} with ${next.spec.bundle} is the next one`
      : explainDecision(decision, spec.package).message;
  const note = `${metadata.name} with ${spec.bundle} was not approved, and is deleted: ${cause}`;
  return { type: 'Normal', reason: 'Superseded', action: installed === undefined ? 'Install' : 'Upgrade', note };
}
