/**
 * Whether the plan of the next Revision permits it: an approval of the Subscription must name its hash, and an upgrade
 * must be inside of the upgrade policy. A plan that is not known yet, or cannot be made, holds it. Pure.
 */
import { nameSome } from '../../api/name-some.ts';
import { hasWorked, type Revision } from '../../api/revision.ts';
import type { PlanRecord } from '../../api/revision-plan.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Approval } from '../../api/upgrade-policy.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import type { Choice } from '../../resolver/decision.ts';
import { planInputs } from '../plan-inputs.ts';
import type { Hold } from './held.ts';
import type { SubscriptionFacts } from './observe.ts';
import { isPublishedAgain, isSameBundle } from '../../api/same-bundle.ts';

export interface PlanQuestion {
  readonly choice: Choice;
  /** The Revision of the chosen bundle, if it exists. */
  readonly existing: Revision | undefined;
  readonly active: Revision | undefined;
  readonly installed: Revision | undefined;
  /** Whether a person has approved the Revision, or it needs no approval. */
  readonly approved: boolean;
}

export type PlanVerdict =
  /** The plan has no say. */
  | { readonly kind: 'none' }
  /** The Subscription approves this very plan. */
  | { readonly kind: 'approved' }
  | { readonly kind: 'hold'; readonly hold: Hold };

export function judgePlan(facts: SubscriptionFacts, question: PlanQuestion): PlanVerdict {
  const { spec } = facts.subscription;
  if (question.approved) return { kind: 'none' };
  const { choice, existing, installed } = question;
  const given = outstandingApproval(facts, choice);
  const isJudged = spec.approval === 'Automatic' && isUnderPolicy(facts, { next: choice.next, installed });
  if (!isJudged && spec.approval === 'Automatic') return { kind: 'none' };
  // After a crash in a rollback no Revision is active for a moment, and a plan would show a first installation.
  if (isJudged && question.active === undefined) return heldFor('Planning', 'waits for the version before it');
  const plan = existing === undefined ? undefined : currentPlan(facts, question, existing);
  if (isApproving(spec.approve, choice, plan)) return { kind: 'approved' };
  if (!isJudged && given === undefined) return { kind: 'none' };
  if (plan === undefined) return heldFor('Planning', 'waits for its plan');
  const { hash, problem } = plan;
  if (hash === undefined)
    return heldFor('PlanFailed', `waits, as its plan cannot be made: ${problem ?? 'no cause is known'}`);
  if (isJudged && (plan.heldBy ?? []).length === 0) return { kind: 'none' };
  return given === undefined
    ? heldFor(
        'AwaitingApproval',
        `waits for approval: ${describeHits(plan)}. ${adviceOf(facts.subscription, choice, hash)}`,
      )
    : heldFor(
        'ApprovalVoid',
        `waits: ${describeVoid(given, choice, hash)}. ${adviceOf(facts.subscription, choice, hash)}`,
      );
}

function heldFor(reason: Hold['reason'], message: string): PlanVerdict {
  return { kind: 'hold', hold: { reason, message, missing: [] } };
}

/**
 * Whether the upgrade policy judges the change: an upgrade, or the same version with another image. A first
 * installation, a new configuration and the rollback after a failed upgrade are not judged.
 */
export function isUnderPolicy(
  { policy }: Pick<SubscriptionFacts, 'policy'>,
  {
    next,
    installed,
  }: { readonly next: Pick<CatalogBundle, 'name' | 'image'>; readonly installed: Revision | undefined },
): boolean {
  return policy !== undefined && installed !== undefined && !isSameBundle(next, installed.spec);
}

/** Whether an approval is of this very plan: then it counts although the version was installed before. */
function isApproving(approval: Approval | undefined, { next }: Choice, plan: PlanRecord | undefined): boolean {
  return plan?.hash !== undefined && approval?.version === next.version && approval.plan === plan.hash;
}

/** The approval in the spec. Undefined if it has been used: the version was installed, or failed and another one is next. */
function outstandingApproval({ subscription, revisions }: SubscriptionFacts, { next }: Choice): Approval | undefined {
  const { approve } = subscription.spec;
  const isDone = revisions
    .filter(({ spec }) => spec.version === approve?.version && !isPublishedAgain(next, spec))
    .some((one) => hasWorked(one) || (one.status?.failure !== undefined && one.spec.version !== next.version));
  return isDone ? undefined : approve;
}

/** The plan of the Revision, if it was made for the present spec, policy and installed version. */
function currentPlan(
  { subscription, policy }: SubscriptionFacts,
  { active }: PlanQuestion,
  next: Revision,
): PlanRecord | undefined {
  const plan = next.status?.plan;
  return plan?.inputs === planInputs({ subscription, active, next, policy }) ? plan : undefined;
}

const MOST_HITS = 3;

function describeHits({ heldBy = [] }: PlanRecord): string {
  const hits = heldBy.map(({ rule, message }) => `${rule}: ${message}`);
  return `the upgrade policy does not permit it (${nameSome(hits, MOST_HITS, '; ')})`;
}

function describeVoid(given: Approval, { next }: Choice, hash: string): string {
  if (given.version !== next.version)
    return `spec.approve is for version ${given.version}, and ${next.version} comes next`;
  return `spec.approve names the plan ${given.plan}, and the plan is ${hash} now`;
}

function adviceOf({ metadata: { namespace, name } }: Subscription, { next }: Choice, hash: string): string {
  const patch = JSON.stringify({ spec: { approve: { version: next.version, plan: hash } } });
  return `Read it with slipway plan ${namespace}/${name}; to approve it: kubectl -n ${namespace} patch subscriptions.slipway.dev ${name} --type merge -p '${patch}'`;
}
