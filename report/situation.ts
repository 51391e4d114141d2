/**
 * The situation of a Subscription as data, which `slipway status` shows, and which `outdated` and `wait` judge. Its
 * sentences are those of the conditions. Pure.
 */
import { WAITS_FOR_APPROVAL, WAITS_FOR_A_TIME } from '../api/reasons.ts';
import { findCondition, isReady, type Condition } from '../api/conditions.ts';
import { activeOf, type Phase, type Revision } from '../api/revision.ts';
import type { Subscription } from '../api/subscription.ts';
import type { SubscriptionStatus } from '../api/subscription-status.ts';
import { retriedIn } from '../api/trouble.ts';

export interface OperatorProblem {
  readonly condition: string;
  readonly reason: string;
  readonly message: string;
}

export interface OperatorSituation {
  readonly subscription: { readonly namespace: string; readonly name: string };
  readonly package: string;
  /** One word: see {@link judge}. */
  readonly state: State;
  readonly reason: string;
  readonly message: string;
  readonly installed?: NonNullable<Subscription['status']>['installed'];
  readonly available?: NonNullable<Subscription['status']>['available'];
  /** Versions on the way to the available one. */
  readonly path: readonly string[];
  readonly pending?: NonNullable<Subscription['status']>['pending'];
  readonly nextEligibleTime?: string;
  /** Of the Revision that is being applied; empty if none is. */
  readonly phases: readonly Phase[];
  readonly problems: readonly OperatorProblem[];
  /** Newer versions that are not chosen, each with the reason. */
  readonly refused: NonNullable<NonNullable<Subscription['status']>['refused']>;
  /** Command lines that help, the most useful first, each with its effect. */
  readonly next: readonly NextStep[];
}

export interface NextStep {
  readonly command: string;
  readonly effect: string;
}

/**
 * Removing: it is being deleted. Suspended: the spec says to do nothing. Unknown: no manager has reconciled the current
 * spec. Ready, Failed (nothing more happens by itself), Waiting (for a person or a time), Working.
 */
export type State = 'Removing' | 'Suspended' | 'Unknown' | 'Ready' | 'Failed' | 'Waiting' | 'Working';

/** The situation from the objects as they are. */
export function situationOf(subscription: Subscription, revisions: readonly Revision[]): OperatorSituation {
  const { metadata, spec, status = {} } = subscription;
  const { installed, available, path = [], refused = [] } = status;
  const ready = findCondition(status.conditions, 'Ready');
  const state = judge(subscription);
  return {
    subscription: { namespace: metadata.namespace ?? '', name: metadata.name },
    package: spec.package,
    state,
    reason: ready?.reason ?? 'Progressing',
    message: ready?.message ?? 'The manager has not reconciled the Subscription yet',
    ...(installed !== undefined && { installed }),
    ...(available !== undefined && { available }),
    path,
    ...nextOf(status, state),
    phases: phasesOf(revisions, state),
    problems: problemsOf(status, ready),
    refused,
    next: nextSteps(subscription, state),
  };
}

/** The next bundle and its window; a suspension keeps the bundle for later and knows no window, an uninstall knows neither. */
function nextOf(
  { pending, nextEligibleTime }: SubscriptionStatus,
  state: State,
): Pick<OperatorSituation, 'pending' | 'nextEligibleTime'> {
  const isLeaving = state === 'Removing';
  return {
    ...(pending !== undefined && !isLeaving && { pending }),
    ...(nextEligibleTime !== undefined && !isLeaving && state !== 'Suspended' && { nextEligibleTime }),
  };
}

/** One word for the Subscription as a whole, about its current spec. */
export function judge(subscription: Subscription): State {
  const { metadata, spec, status } = subscription;
  if (metadata.deletionTimestamp !== undefined) return 'Removing';
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready === undefined || (status?.observedGeneration ?? -1) !== metadata.generation) return 'Unknown';
  if (spec.suspend) return 'Suspended';
  if (findCondition(status?.conditions, 'Stalled') !== undefined) return 'Failed';
  if (findCondition(status?.conditions, 'Reconciling') !== undefined) return 'Working';
  const { reason = '' } = status?.pending ?? {};
  const isWait = WAITS_FOR_APPROVAL.has(reason) || WAITS_FOR_A_TIME.has(reason);
  // Without one of the conditions above, the dependency needs a person, and the installed version works.
  if (isWait || reason === 'DependencyNotReady') return 'Waiting';
  return isReady(subscription) ? 'Ready' : 'Working';
}

/** The phases of the active Revision, while not all of them are finished. */
function phasesOf(revisions: readonly Revision[], state: State): readonly Phase[] {
  const phases = activeOf(revisions)?.status?.phases ?? [];
  return state !== 'Removing' && phases.some((phase) => phase.state !== 'Ready') ? phases : [];
}

const PROBLEMS = ['Stalled', 'UpgradeFailed', 'CustomResourcesLost', 'Contested', 'Deprecated'] as const;

/** The conditions that are bad news, each sentence once; trouble of work in progress only if Ready does not say it. */
function problemsOf(status: SubscriptionStatus, ready: Condition | undefined): readonly OperatorProblem[] {
  const retried = retriedIn(status);
  const isUnsaid = retried !== undefined && ready?.message.includes(retried.message) !== true;
  const lasting = PROBLEMS.flatMap((type) => {
    const one = findCondition(status.conditions, type);
    return one?.status === 'True' ? [one] : [];
  });
  const found = isUnsaid ? [retried, ...lasting] : lasting;
  const known = new Set(ready?.status === 'False' ? [ready.message] : []);
  return found.flatMap(({ type, reason, message }) => {
    if (known.has(message)) return [];
    known.add(message);
    return [{ condition: type, reason, message }];
  });
}

/** Command lines for a person who wants to go on. */
function nextSteps(subscription: Subscription, state: State): readonly NextStep[] {
  const { metadata, status } = subscription;
  const target = `${metadata.namespace}/${metadata.name}`;
  if (state === 'Removing') return [step(`slipway wait ${target} --for deleted`, 'waits until it is uninstalled')];
  if (state === 'Unknown') return [step('slipway doctor', 'checks whether a manager is at work')];
  const { pending, quarantined = [] } = status ?? {};
  const isWaiting = pending !== undefined && WAITS_FOR_APPROVAL.has(pending.reason);
  const isFailed = state === 'Failed' || findCondition(status?.conditions, 'UpgradeFailed') !== undefined;
  return [
    ...(state === 'Suspended' ? [step(`slipway resume ${target}`, 'lets the manager work again')] : []),
    ...(isWaiting
      ? [
          step(`slipway plan ${target}`, 'shows the effect of the upgrade'),
          step(
            `slipway approve ${target}`,
            `installs ${pending.bundle}${state === 'Suspended' ? ', once it is resumed' : ''}`,
          ),
        ]
      : []),
    ...(isFailed || quarantined.length > 0
      ? [step(`slipway reconcile ${target}`, 'tries again, versions that failed included')]
      : []),
    ...(isFailed ? [step(`slipway events ${target}`, 'shows each step until the failure')] : []),
    ...(CRASHES.has(findCondition(status?.conditions, 'Ready')?.reason ?? '')
      ? [step(`slipway logs ${target}`, 'shows the last lines of its Pods')]
      : []),
    ...(state === 'Working' ? [step(`slipway wait ${target}`, 'waits for the outcome')] : []),
  ];
}

/** Reasons that a log explains. */
const CRASHES: ReadonlySet<string> = new Set(['WorkloadUnhealthy', 'WebhookSilent']);

function step(command: string, effect: string): NextStep {
  return { command, effect };
}
