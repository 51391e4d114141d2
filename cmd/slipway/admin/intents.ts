/** What the acting commands do to a Subscription, decided from its present state. Pure. */
import { findCondition } from '../../../api/conditions.ts';
import { ANNOTATION } from '../../../api/names.ts';
import { keyOfObject } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { previousOf, waitingOf } from '../../../report/targets.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import {
  describeApproval,
  describeReconcile,
  describeRequest,
  describeRollback,
  describeSuspension,
  listWanted,
  type WantedChange,
} from '../../../report/act-sentences.ts';
import { patchOf, type Intent } from '../../../report/acts.ts';
import { describeDelay, type RequestedObject } from '../../../report/delay.ts';

/** Stops the manager's work on a Subscription, or resumes it. */
export function intendSuspension(subscription: Subscription, suspend: boolean): Intent {
  const name = nameOf(subscription);
  if (subscription.spec.suspend === suspend)
    return { acts: [], message: `Subscription ${name} is ${suspend ? 'suspended already' : 'not suspended'}` };
  return { acts: [patchOf(subscription, { spec: { suspend } })], message: describeSuspension(name, suspend) };
}

/** Asks for a reconcile now; on a Subscription that lifts every quarantine, too. */
export function intendReconcile(object: RequestedObject, now: Date): Intent {
  return {
    acts: [patchOf(object, { annotations: { [ANNOTATION.reconcileRequestedAt]: now.toISOString() } })],
    message: describeReconcile(object.kind, keyOfObject(object), describeDelay(object, now)),
  };
}

/** Approves the Revision that waits. @param version Only this version, or the bundle of this name. @throws ReasonedError InputInvalid */
export function intendApproval(
  subscription: Subscription,
  revisions: readonly Revision[],
  version: string | undefined,
  now: Date,
): Intent {
  const name = nameOf(subscription);
  const waiting = waitingOf(subscription, revisions);
  if (waiting === undefined) {
    const isActive = revisions.some(({ spec }) => spec.state === 'Active' && isMeant(spec, version));
    if (version === undefined || isActive)
      return { acts: [], message: `No Revision of Subscription ${name} waits for approval` };
    throw invalidInput(`no Revision of ${version} waits for approval`, `See \`slipway status ${name}\``);
  }
  const { spec, metadata } = waiting;
  if (!isMeant(spec, version))
    throw invalidInput(
      `the Revision that waits for approval is of ${spec.bundle}, not of ${version}`,
      `Approve ${spec.version}, or leave --version out`,
    );
  return {
    acts: [patchOf(waiting, { spec: { approved: true }, sameObject: true })],
    message: describeApproval(keyOfObject({ metadata }), spec.bundle, describeDelay(subscription, now)),
  };
}

function isMeant({ version, bundle }: Revision['spec'], wanted: string | undefined): boolean {
  return wanted === undefined || version === wanted || bundle === wanted;
}

export interface UpgradeFlags {
  readonly version?: string;
  readonly channel?: string;
  /** Removes the version, and follows the edges of the catalog again. */
  readonly unpin?: boolean;
  readonly edges?: 'Follow' | 'Ignore';
}

/** Changes the requested version; without flags has the available one installed. @throws ReasonedError InputInvalid */
export function intendUpgrade(
  subscription: Subscription,
  revisions: readonly Revision[],
  flags: UpgradeFlags,
  now: Date,
): Intent {
  const { version, channel, unpin = false, edges = edgesFor(subscription, flags) } = flags;
  if (unpin && version !== undefined)
    throw invalidInput('--unpin and --version exclude each other', 'Name a version, or remove it');
  const wanted = {
    ...(version !== undefined && { version }),
    ...(unpin && { version: null }),
    ...(edges !== undefined && { edges }),
    ...(channel !== undefined && { channel }),
  };
  if (Object.keys(wanted).length === 0) return intendAvailable(subscription, revisions, now);
  const name = nameOf(subscription);
  if (isSame(subscription, wanted))
    return { acts: [], message: `Subscription ${name} requests that already: ${listWanted(wanted)}` };
  return {
    acts: [patchOf(subscription, { spec: wanted })],
    message: describeRequest(name, wanted, describeDelay(subscription, now)),
  };
}

/** A rollback has left `edges: Ignore` behind: without this, an upgrade to another version would leave out steps of the graph. */
function edgesFor({ spec }: Subscription, { version, unpin = false }: UpgradeFlags): UpgradeFlags['edges'] {
  const isOther = version !== undefined && version !== spec.version;
  return unpin || (isOther && spec.edges === 'Ignore') ? 'Follow' : undefined;
}

/** Approves the upgrade that waits, or has one tried again that failed; any other goes on by itself. */
function intendAvailable(subscription: Subscription, revisions: readonly Revision[], now: Date): Intent {
  if (waitingOf(subscription, revisions) !== undefined) return intendApproval(subscription, revisions, undefined, now);
  const { conditions } = subscription.status ?? {};
  if (findCondition(conditions, 'UpgradeFailed') !== undefined) return intendReconcile(subscription, now);
  const state = (['Reconciling', 'UpgradeAvailable', 'Ready'] as const)
    .map((type) => findCondition(conditions, type))
    .find((one) => one !== undefined);
  const message = state?.message ?? 'the manager has not reconciled it yet';
  return { acts: [], message: `Nothing to change on Subscription ${nameOf(subscription)}: ${message}` };
}

function isSame({ spec }: Subscription, wanted: WantedChange): boolean {
  const fields = spec as unknown as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).every(([field, value]) => (fields[field] ?? null) === value);
}

/** Pins the Subscription to an earlier version. @param to A version, or the name of a Revision. @throws ReasonedError InputInvalid */
export function intendRollback(
  subscription: Subscription,
  revisions: readonly Revision[],
  to: string | undefined,
  now: Date,
): Intent {
  const name = nameOf(subscription);
  const target = to === undefined ? previousOf(subscription, revisions) : namedBy(revisions, to);
  if (target === undefined)
    throw invalidInput(
      to === undefined
        ? `no version worked before the one that Subscription ${name} has installed`
        : `Subscription ${name} has no Revision of ${to}`,
      `See \`slipway history ${name}\``,
    );
  const { version, channel, bundle } = target.spec;
  const { installed } = subscription.status ?? {};
  if (installed?.bundle === bundle) return { acts: [], message: `${bundle} is installed already` };
  const isElsewhere = subscription.spec.channel !== undefined && channel !== undefined && channel !== subscription.spec.channel; // prettier-ignore
  const spec = { version, edges: 'Ignore', ...(isElsewhere && { channel }) };
  return {
    acts: [patchOf(subscription, { spec })],
    message: describeRollback(name, {
      version,
      left: installed?.version,
      before: subscription.spec.version,
      delay: describeDelay(subscription, now),
    }),
  };
}

function namedBy(revisions: readonly Revision[], to: string): Revision | undefined {
  return revisions.findLast(({ metadata, spec }) => metadata.name === to || spec.version === to || spec.bundle === to);
}

function nameOf({ metadata }: Subscription): string {
  return `${metadata.namespace}/${metadata.name}`;
}
