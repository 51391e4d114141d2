/** `slipway wait`: follows a Subscription until its outcome is known, which is the exit code. */
import { findCondition } from '../../../api/conditions.ts';
import { parseDuration } from '../../../api/duration.ts';
import { leavesObjects, SUBSCRIPTION, type Subscription } from '../../../api/subscription.ts';
import { refusedUpgradeIn } from '../../../api/trouble.ts';
import { isReconcileRequested } from '../../../controllers/request-of.ts';
import type { Environment } from '../environment.ts';
import { withCluster, type Connection } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import type { ReadFlags } from './flags.ts';
import { needSubscription, parseTarget } from './objects.ts';
import { outcomeOf } from './print.ts';
import { judge } from '../../../report/situation.ts';
import { changesOf } from './watch.ts';

export interface WaitFlags extends ReadFlags {
  readonly for: 'ready' | 'deleted';
  /** The version that has to be installed. */
  readonly version?: string;
  readonly timeout: string;
}

/** What is known about the outcome. */
export interface Verdict {
  readonly outcome: 'reached' | 'failed' | 'open';
  readonly message: string;
}

/** Limits of `--timeout`. */
const TIMEOUT_BOUNDS = { minSeconds: 0, maxSeconds: 7 * 24 * 3600 } as const;

export async function wait(environment: Environment, text: string, flags: WaitFlags): Promise<Outcome> {
  const seconds = parseDuration(flags.timeout, TIMEOUT_BOUNDS);
  if (flags.for === 'deleted' && flags.version !== undefined)
    throw invalidInput('--version goes with --for ready', 'Leave --version out');
  return withCluster(environment, flags, async (connection) => {
    const timeout = AbortSignal.timeout(Math.max(1, seconds * 1000));
    const signal = AbortSignal.any([environment.signal, timeout]);
    const seen: Seen = { message: 'the Subscription has not been read yet' };
    try {
      return await follow({ ...environment, signal }, connection, { text, flags, seen });
    } catch (error) {
      if (!timeout.aborted || environment.signal.aborted) throw error;
      const message = `Not within ${flags.timeout}: ${seen.message}`;
      return outcomeOf({ outcome: 'open', message }, `${cleanLine(message)}\n`, flags.output, 3);
    }
  });
}

/** The last message, for the case that the time is up. */
interface Seen {
  message: string;
}

interface Awaited {
  readonly text: string;
  readonly flags: WaitFlags;
  readonly seen: Seen;
}

async function follow(
  environment: Environment,
  connection: Connection,
  { text, flags, seen }: Awaited,
): Promise<Outcome> {
  const { signal, progress } = environment;
  const { namespace, name } = parseTarget(text, connection.namespace);
  if (flags.for === 'ready') await needSubscription(connection, text, signal);
  let subscription: Subscription | undefined;
  let last: Subscription | undefined;
  const options = { namespace, fieldSelector: `metadata.name=${name}` };
  const say = (message: string): void => {
    if (message !== seen.message) progress?.(`${cleanLine(message)}\n`);
    seen.message = message;
  };
  const watched = { client: connection.client, kind: SUBSCRIPTION, options, signal };
  for await (const changes of changesOf({ ...watched, onOutage: ({ message }) => say(message) })) {
    for (const { type, object } of changes) {
      if (object.metadata.name !== name) continue;
      last = object as unknown as Subscription;
      subscription = type === 'DELETED' ? undefined : last;
    }
    const verdict = verdictOf(subscription, flags, last);
    if (verdict.outcome !== 'open') return report(verdict, flags.output);
    say(verdict.message);
  }
  throw new Error('a watch ends with its signal');
}

/** Exit code 0 if the outcome is the wanted one, 2 if it is a failure. */
function report(verdict: Verdict, output: string): Outcome {
  return outcomeOf(verdict, `${cleanLine(verdict.message)}\n`, output, verdict.outcome === 'reached' ? 0 : 2);
}

/**
 * Whether the outcome is known, by conditions about the current spec, as kstatus reads them. Waiting for an approval, a
 * window or a dependency is no outcome.
 *
 * @param last The Subscription as it was seen last, if it is deleted.
 */
export function verdictOf(
  subscription: Subscription | undefined,
  { for: wanted, version }: Pick<WaitFlags, 'for' | 'version'>,
  last?: Subscription,
): Verdict {
  if (wanted === 'deleted') return verdictOnRemoval(subscription, last);
  if (subscription === undefined) return { outcome: 'failed', message: 'The Subscription was deleted' };
  const { status } = subscription;
  const message = findCondition(status?.conditions, 'Ready')?.message ?? 'The manager has not reconciled it yet';
  const state = judge(subscription);
  if (state === 'Removing') return { outcome: 'failed', message };
  if (state === 'Unknown') return { outcome: 'open', message: 'The manager has not reconciled the current spec yet' };
  if (isReconcileRequested(subscription))
    return { outcome: 'open', message: `The manager has not acted on the requested reconcile yet: ${message}` };
  const isInstalled =
    version === undefined || [status?.installed?.version, status?.installed?.bundle].includes(version);
  const isReady = findCondition(status?.conditions, 'Ready')?.status === 'True';
  if (isReady && isInstalled && state !== 'Suspended') return { outcome: 'reached', message };
  const failed = version === undefined ? undefined : failureOf(subscription, version);
  if (failed !== undefined) return { outcome: 'failed', message: failed };
  return { outcome: state === 'Failed' ? 'failed' : 'open', message };
}

/** Why the version was given up, unless that was lifted, or cannot be begun. */
function failureOf({ status }: Subscription, version: string): string | undefined {
  const isPending = [status?.pending?.version, status?.pending?.bundle].includes(version);
  const refused = isPending ? refusedUpgradeIn(status) : undefined;
  if (refused !== undefined) return refused.message;
  const failed = status?.quarantined?.find((one) => one.version === version || one.bundle === version);
  return failed && (findCondition(status?.conditions, 'UpgradeFailed')?.message ?? failed.message);
}

function verdictOnRemoval(subscription: Subscription | undefined, last: Subscription | undefined): Verdict {
  if (subscription === undefined) return { outcome: 'reached', message: `The Subscription is deleted${fateOf(last)}` };
  const message = findCondition(subscription.status?.conditions, 'Ready')?.message ?? 'The manager has not begun';
  if (subscription.metadata.deletionTimestamp === undefined)
    return { outcome: 'open', message: `The Subscription is not being deleted: ${message}` };
  return { outcome: 'open', message };
}

/** What became of the objects of the operator; nothing if the Subscription was not seen. */
function fateOf(last: Subscription | undefined): string {
  if (last === undefined) return '';
  return leavesObjects(last) ? ', and the objects of its operator stay' : ', and its operator is uninstalled';
}
