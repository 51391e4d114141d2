/** The events for a change of a Subscription's status. Pure. */
import { findCondition, isReason } from '../../api/conditions.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import { refusedUpgradeIn, retriedIn } from '../../api/trouble.ts';
import type { EventFacts } from '../events.ts';
import { haveSameBundle } from '../../api/same-bundle.ts';
import type { Move } from './move.ts';

/** The events, in order: the beginning, the arrival, the failure. Nothing is reported twice. */
export function eventsOf(
  before: SubscriptionStatus | undefined,
  after: SubscriptionStatus,
  move: Move = {},
): readonly EventFacts[] {
  return [
    suspensionOf(before, after),
    quarantineOf(before, after),
    rollbackOf(before, after),
    beginningOf(before, after, move),
    waitOf(before, after),
    arrivalOf(before, after, move),
    exchangeOf(before, after, move),
    stallOf(before, after),
    lossOf(before, after),
  ].filter((event) => event !== undefined);
}

/** A person has suspended it, or lets the manager work again. */
function suspensionOf(before: SubscriptionStatus | undefined, after: SubscriptionStatus): EventFacts | undefined {
  const [was, is] = [before, after].map((status) => findCondition(status?.conditions, 'Ready')?.reason === 'Suspended');
  if (was === is) return undefined;
  return is === true
    ? {
        type: 'Normal',
        reason: 'Suspended',
        action: 'Suspend',
        note: 'spec.suspend is true: the manager neither upgrades nor repairs the operator until it is false',
      }
    : {
        type: 'Normal',
        reason: 'Progressing',
        action: 'Resume',
        note: 'spec.suspend is false: the manager upgrades and repairs the operator again',
      };
}

function quarantineOf(before: SubscriptionStatus | undefined, after: SubscriptionStatus): EventFacts | undefined {
  const known = before?.quarantined ?? [];
  const fresh = after.quarantined?.find((one) => !known.some((other) => haveSameBundle(one, other)));
  if (fresh === undefined) return undefined;
  const note = `${fresh.bundle} failed and is quarantined: ${fresh.message}`;
  return { type: 'Warning', reason: 'RollingBack', action: 'Upgrade', note };
}

function beginningOf(
  before: SubscriptionStatus | undefined,
  after: SubscriptionStatus,
  { unusual = '', isAgain = false }: Move,
): EventFacts | undefined {
  const { pending, installed } = after;
  if (pending === undefined) return undefined;
  const begins = isAgain ? before?.pending === undefined : bundleThatBegins(before, after) !== undefined;
  if (!begins) return undefined;
  if (installed === undefined)
    return { type: 'Normal', reason: 'Installing', action: 'Install', note: `${pending.bundle} is to be installed` };
  const { step, steps } = pending;
  const which = step === undefined || steps === undefined ? '' : `, step ${step} of ${steps}`;
  const note = `${pending.bundle} is to follow ${installed.bundle}${unusual}${which}`;
  return { type: 'Normal', reason: 'Upgrading', action: 'Upgrade', note };
}

/** The bundle whose installation or upgrade begins with this change of the status; undefined if none does. */
export function bundleThatBegins(
  before: SubscriptionStatus | undefined,
  after: SubscriptionStatus,
): string | undefined {
  const { pending, installed } = after;
  const begins =
    pending !== undefined && pending.bundle !== before?.pending?.bundle && pending.bundle !== installed?.bundle;
  return begins ? pending.bundle : undefined;
}

/** Normal reasons for a Revision to wait: a person, a time, or another operator that is being installed. */
const WAITS = [
  'ApprovalRequired',
  'ApprovalVoid',
  'AwaitingApproval',
  'OperatorNotUpgradeable',
  'OutsideWindow',
  'DependencyNotReady',
] as const;

/** One event for each Revision that waits, and another if the reason changes. */
function waitOf(before: SubscriptionStatus | undefined, after: SubscriptionStatus): EventFacts | undefined {
  const { pending, installed, conditions } = after;
  const reason = WAITS.find((one) => one === pending?.reason);
  if (pending === undefined || reason === undefined) return undefined;
  if (before?.pending?.revision === pending.revision && before?.pending?.reason === reason) return undefined;
  const available = findCondition(conditions, 'UpgradeAvailable');
  const note = available?.reason === reason ? available.message : `${pending.bundle} waits`;
  return { type: 'Normal', reason, action: installed === undefined ? 'Install' : 'Upgrade', note };
}

/** The rollback from a version that failed has ended. */
function rollbackOf(before: SubscriptionStatus | undefined, after: SubscriptionStatus): EventFacts | undefined {
  const { installed, quarantined = [] } = after;
  const ended = quarantined.find(({ bundle, since, rolledBackTime }) => {
    const known = before?.quarantined?.find((one) => one.bundle === bundle && one.since === since);
    return known !== undefined && known.rolledBackTime === undefined && rolledBackTime !== undefined;
  });
  // Entries of a release that did not note the end may be old.
  if (ended === undefined || installed === undefined || isReadyIn(before)) return undefined;
  const { bundle, image, since, rolledBackTime = '' } = ended;
  const seconds = Math.max(0, Math.round((Date.parse(rolledBackTime) - Date.parse(since)) / 1000));
  const isConfiguration = haveSameBundle({ bundle, image }, installed);
  const isAgain = bundle === installed.bundle && !isConfiguration;
  const what = isConfiguration ? 'its configuration' : bundle;
  const note = `${installed.bundle} works again ${seconds} s after ${what} failed${isAgain ? ', which was published again' : ''}`;
  return { type: 'Normal', reason: 'RolledBack', action: 'Upgrade', note };
}

function isReadyIn(status: SubscriptionStatus | undefined): boolean {
  return findCondition(status?.conditions, 'Ready')?.status === 'True';
}

function arrivalOf(
  before: SubscriptionStatus | undefined,
  after: SubscriptionStatus,
  { isFailure = false }: Move,
): EventFacts | undefined {
  const { installed } = after;
  if (
    installed === undefined ||
    isFailure ||
    (before?.installed !== undefined && haveSameBundle(installed, before.installed))
  )
    return undefined;
  const action = before?.installed === undefined ? 'Install' : 'Upgrade';
  const note = `${installed.bundle} is installed and healthy${describeDuration(before, after)}`;
  return { type: 'Normal', reason: 'Succeeded', action, note };
}

/** Another Revision of the installed bundle works: with another configuration, or with manifests that are rendered otherwise. */
function exchangeOf(
  before: SubscriptionStatus | undefined,
  after: SubscriptionStatus,
  { isFailure = false }: Move,
): EventFacts | undefined {
  const [was, is] = [before?.installed, after.installed];
  if (was === undefined || is === undefined || isFailure) return undefined;
  if (was.revision === is.revision || !haveSameBundle(is, was)) return undefined;
  const note = `Revision ${is.revision} of ${is.bundle} replaces ${was.revision}, and is healthy${describeDuration(before, after)}`;
  return { type: 'Normal', reason: 'Succeeded', action: 'Configure', note };
}

/**
 * How long the work took, in whole seconds like the times of conditions; empty if that is not known, or if a further
 * step follows.
 */
function describeDuration(before: SubscriptionStatus | undefined, after: SubscriptionStatus): string {
  const began = findCondition(before?.conditions, 'Reconciling')?.lastTransitionTime ?? '';
  const ready = findCondition(after.conditions, 'Ready');
  const ended = ready?.status === 'True' ? ready.lastTransitionTime : '';
  const seconds = (Date.parse(ended) - Date.parse(began)) / 1000;
  return seconds >= 0 ? `, after ${Math.round(seconds)} s` : '';
}

function stallOf(before: SubscriptionStatus | undefined, after: SubscriptionStatus): EventFacts | undefined {
  const [known, stalled] = [before, after].map(
    (status) => findCondition(status?.conditions, 'Stalled') ?? retriedIn(status) ?? refusedUpgradeIn(status),
  );
  if (stalled === undefined || (known?.reason === stalled.reason && known.message === stalled.message))
    return undefined;
  if (!isReason(stalled.reason)) return undefined;
  return {
    type: 'Warning',
    reason: stalled.reason,
    action: after.installed === undefined ? 'Install' : 'Upgrade',
    note: stalled.message,
  };
}

/** No upgrade can be found any more, although the installed version works without its Catalog. */
function lossOf(before: SubscriptionStatus | undefined, after: SubscriptionStatus): EventFacts | undefined {
  const [known, lost] = [before, after].map((status) => findCondition(status?.conditions, 'UpgradeAvailable'));
  if (lost === undefined || !isReason(lost.reason) || !LOST.has(lost.reason) || known?.reason === lost.reason)
    return undefined;
  if (after.installed === undefined || findCondition(after.conditions, 'Stalled') !== undefined) return undefined;
  const note = `${after.installed.bundle} goes on working, and no upgrade can be found: ${lost.message}`;
  return { type: 'Warning', reason: lost.reason, action: 'Resolve', note };
}

/** Without CatalogUnavailable, since a Catalog is read again after a restart. */
const LOST: ReadonlySet<string> = new Set(['CatalogNotFound', 'CatalogNotAllowed']);
