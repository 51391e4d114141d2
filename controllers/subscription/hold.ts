/**
 * The reasons that keep a chosen Revision from becoming active now: a person's approval, its plan (plan-hold.ts), a
 * maintenance window, the installed operator, a dependency. Pure.
 */
import { ReasonedError } from '../../api/errors.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { DependencyStep } from '../../resolver/decision.ts';
import { passGate } from '../../resolver/gate/gate.ts';
import { parseWindows } from '../../resolver/gate/windows.ts';
import type { Hold } from './held.ts';
import { needsPerson } from './needs-person.ts';
import { isDependency, type Neighbour } from './neighbours.ts';
import type { SubscriptionFacts } from './observe.ts';
import { describeRefusal, refusalIn } from './operator-condition.ts';
import { judgePlan, type PlanQuestion } from './plan-hold.ts';
import { isPublishedAgain, isSameBundle } from '../../api/same-bundle.ts';
import { comeAfter, followsByItself } from './moving-kinds.ts';
import { followersOf } from './requirements-between.ts';
import { mayHold } from './trust.ts';
import { isRunning } from './under-way.ts';

/** The first of the reasons; undefined if there is none. */
export function findHold(facts: SubscriptionFacts, question: PlanQuestion): Hold | undefined {
  const verdict = judgePlan(facts, question);
  if (verdict.kind === 'hold') return verdict.hold;
  const approved = question.approved || verdict.kind === 'approved';
  return (
    holdOfGate(facts, question, approved) ?? holdOfOperator(facts, question) ?? holdOfDependencies(facts, question)
  );
}

function holdOfGate(
  { subscription, now }: SubscriptionFacts,
  { choice, installed }: PlanQuestion,
  approved: boolean,
): Hold | undefined {
  const { approval, windows = [] } = subscription.spec;
  const kind = isPublishedAgain(choice.next, installed?.spec) ? 'upgrade' : choice.kind;
  try {
    const parsed = parseWindows(windows, now);
    const gate = passGate({ kind, approval, approved, windows: parsed, now });
    if (gate.kind !== 'wait') return undefined;
    if (gate.reason !== 'OutsideWindow')
      return { reason: 'ApprovalRequired', message: 'waits for approval', missing: [] };
    const { reason, until } = gate;
    const time = until.toISOString().replace('.000Z', 'Z');
    return { reason, message: `waits for the next maintenance window at ${time}`, missing: [], until };
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    return { reason: 'InvalidSpec', message: `waits: ${error.describe()}`, missing: [] };
  }
}

/** The installed operator has a say about other bundles than its own, while it works. */
function holdOfOperator(
  { operatorCondition, revisions }: SubscriptionFacts,
  { choice, installed, active }: PlanQuestion,
): Hold | undefined {
  const isOfRunning = installed !== undefined && isRunning(installed, active, revisions);
  if (operatorCondition === undefined || !isOfRunning || isSameBundle(choice.next, installed.spec)) return undefined;
  const refusal = refusalIn(operatorCondition);
  if (refusal === undefined) return undefined;
  const message = describeRefusal(operatorCondition, refusal);
  return { reason: 'OperatorNotUpgradeable', message, missing: [] };
}

function holdOfDependencies(facts: SubscriptionFacts, { choice, installed }: PlanQuestion): Hold | undefined {
  const steps = choice.dependencies;
  if (steps.length === 0) return undefined;
  const later = comeAfter(steps, { installed, next: choice.next });
  const follows = (step: DependencyStep): boolean =>
    later.has(step.package) &&
    requestsOf(facts, step.package).some((one) => followsByItself(one.subscription, step, facts.subscription));
  const open = steps.filter((step) => !follows(step) && !waitsForUs(facts, step));
  if (open.length === 0) return undefined;
  const missing = open.filter((step) => step.kind === 'install' && requestsOf(facts, step.package).length === 0);
  const isStuck = (step: DependencyStep): boolean => later.has(step.package) && !missing.includes(step);
  const described = open.map(
    (step) => `${describeOpenStep(facts, step)}${isStuck(step) ? adviseOnMove(installed) : ''}`,
  );
  const message = `waits for its dependencies: ${described.join('; ')}`;
  const endsByPerson = open.some((step) => isStuck(step) || isLeftToPerson(facts, step));
  return { reason: 'DependencyNotReady', message, missing, ...(endsByPerson && { needsPerson: true }) };
}

/** Whether none of the Subscriptions that request the package of a step goes on by itself. */
function isLeftToPerson(facts: SubscriptionFacts, step: DependencyStep): boolean {
  const requests = requestsOf(facts, step.package);
  return requests.length > 0 && requests.every(({ subscription }) => needsPerson(subscription) !== undefined);
}

/**
 * If packages need each other, one of them goes first: a dependency before one that a person requested, else the first by
 * name.
 */
function waitsForUs(facts: SubscriptionFacts, step: DependencyStep): boolean {
  const { subscription, revisions, neighbours } = facts;
  const waiting = neighbours.filter((one) => one.subscription.status?.pending?.reason === 'DependencyNotReady');
  const asked = requestsOf(facts, step.package).filter((one) => waiting.includes(one));
  if (isDependency(subscription) && asked.some((one) => !isDependency(one.subscription))) return true;
  return asked.length > 0 && followersOf({ subscription, revisions }, waiting).some((one) => asked.includes(one));
}

function describeOpenStep(facts: SubscriptionFacts, { kind, package: name, bundle }: DependencyStep): string {
  const [request] = requestsOf(facts, name);
  const what = kind === 'install' ? `${bundle.name} is to be installed` : `${name} must reach ${bundle.name}`;
  if (request === undefined) return what;
  return `${what} by Subscription ${keyOfObject(request.subscription)}${stateOf(request.subscription)}`;
}

/** The Subscription of the dependency does not follow by itself, so the kinds would have no operator. */
function adviseOnMove(installed: Revision | undefined): string {
  return `, which brings a kind that ${installed?.spec.bundle} provides until it is upgraded: set dependencies to Ignore to upgrade it first`;
}

function stateOf(subscription: Subscription): string {
  const reason = needsPerson(subscription);
  return reason === undefined ? '' : ` (${reason})`;
}

/**
 * The Subscriptions that request a package, in any namespace, if they may hold this one back (trust.ts): others may be
 * suspended or fail for ever. A package that others have installed is no open step.
 */
function requestsOf({ subscription: own, neighbours }: SubscriptionFacts, name: string): readonly Neighbour[] {
  return neighbours.filter(
    ({ subscription }) =>
      subscription.spec.package === name &&
      subscription.metadata.deletionTimestamp === undefined &&
      mayHold(subscription, own),
  );
}
