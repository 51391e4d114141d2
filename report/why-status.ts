/** The answer of `why` and `why-not` from the status of a Subscription: the manager's decision, in its own words. Pure. */
import { findCondition } from '../api/conditions.ts';
import type { Subscription } from '../api/subscription.ts';
import type { SubscriptionStatus } from '../api/subscription-status.ts';
import { failuresOf } from './failures.ts';
import type { AnsweredRefusal, Standing, WhyAnswer, WhyVerdict } from './why-answer.ts';

/** The package, and the version or bundle of it that is asked about. */
export interface WhySubject {
  readonly package: string;
  /** A version, or the name of a bundle. */
  readonly version?: string;
}

/** The answer that the status gives. */
export function answerOf(subject: WhySubject, { metadata, status = {} }: Subscription): WhyAnswer {
  const { installed, available, path = [] } = status;
  const decision = decisionOf(status);
  return {
    ...subject,
    subscription: { namespace: metadata.namespace ?? '', name: metadata.name },
    ...(subject.version === undefined
      ? aboutPackage(status, decision.message)
      : aboutVersion(status, subject.version, decision.message)),
    ...decision,
    ...(installed !== undefined && { installed: { bundle: installed.bundle, version: installed.version } }),
    ...(available !== undefined && { available }),
    path: path.map((version) => ({ version })),
    dependencies: [],
    deprecations: deprecationsOf(status),
    refused: refusedOf(status),
  };
}

/** A present fault comes before a possible next step, and a failed upgrade before one that may be tried. */
function decisionOf({ conditions }: SubscriptionStatus): Pick<WhyAnswer, 'reason' | 'message'> {
  const ready = findCondition(conditions, 'Ready');
  const reported = ready?.status === 'True' ? (upgradeIn(conditions) ?? ready) : ready;
  return reported === undefined
    ? { reason: 'Progressing', message: 'the manager has not reconciled it yet' }
    : { reason: reported.reason, message: reported.message };
}

function upgradeIn(conditions: SubscriptionStatus['conditions']): ReturnType<typeof findCondition> {
  return findCondition(conditions, 'UpgradeFailed') ?? findCondition(conditions, 'UpgradeAvailable');
}

function deprecationsOf({ conditions }: SubscriptionStatus): readonly string[] {
  const reported = findCondition(conditions, 'Deprecated');
  return reported?.status === 'True' ? [reported.message] : [];
}

function aboutPackage(status: SubscriptionStatus, message: string): WhyVerdict {
  const chosen = chosenIn(status) !== undefined;
  return { chosen, causes: chosen ? [] : [message], changes: [] };
}

/** The resolver's choice; none while it has no answer, although the status shows a version as available. */
function chosenIn({ available, conditions }: SubscriptionStatus): SubscriptionStatus['available'] {
  return findCondition(conditions, 'UpgradeAvailable')?.status === 'Unknown' ? undefined : available;
}

function aboutVersion(status: SubscriptionStatus, asked: string, message: string): WhyVerdict {
  const { installed, pending, path = [], refused = [] } = status;
  const available = chosenIn(status);
  const isMeant = (one: { readonly version: string; readonly bundle?: string } | undefined): boolean =>
    one?.version === asked || one?.bundle === asked;
  const refuse = (standing: Standing, causes: readonly string[], changes: readonly string[] = []): WhyVerdict => ({
    chosen: false,
    standing,
    causes,
    changes,
  });
  const failed = failuresOf(status).find(isMeant);
  if (failed !== undefined)
    return refuse(
      'Refused',
      [`${failed.bundle} failed before and is quarantined: ${failed.message}`],
      [`Release ${failed.bundle} from quarantine by asking for a reconcile`],
    );
  if (isMeant(available)) return { chosen: true, standing: 'Chosen', causes: [], changes: [] };
  if (isMeant(pending) || path.includes(asked)) return { chosen: true, standing: 'OnTheWay', causes: [], changes: [] };
  if (installed !== undefined && isMeant(installed))
    return refuse('Installed', [
      available === undefined ? message : `${installed.bundle} is installed, and ${available.bundle} follows it`,
    ]);
  const causes = refused.filter(isMeant).map((one) => `${one.version} is not chosen: ${one.message}`);
  return causes.length > 0
    ? refuse('Refused', causes)
    : refuse('NotMentioned', [
        'the status of the Subscription does not mention it: it leaves out lower versions and versions that no catalog has; --catalog asks a catalog itself',
      ]);
}

function refusedOf({ refused = [] }: SubscriptionStatus): readonly AnsweredRefusal[] {
  return refused.map(({ version, reason, message }) => ({ version, reason, message }));
}
