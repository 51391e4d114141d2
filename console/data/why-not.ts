/**
 * Why a version is not chosen: the manager's own words if the status mentions the version, as `slipway why-not` has them;
 * else the resolver's, which also tries the remedies. Pure.
 */
import { findCondition } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { failuresOf } from '../../report/failures.ts';
import { answerOf } from '../../report/why-status.ts';
import type { WhyAnswer } from '../../report/why-answer.ts';
import type { ResolveInput } from '../../resolver/input.ts';
import { resolve } from '../../resolver/resolve.ts';
import { explainVersion, type VersionExplanation } from '../../resolver/why-not.ts';
import type { ButtonTerms, Offer } from './buttons.ts';
import { quote } from './kubectl.ts';
import type { WhyNot } from './models.ts';
import { approvalOffer, buttonsOf, placeOf } from './offers.ts';
import { contentsOf } from './question.ts';
import { Remembered } from './remembered.ts';
import { line, nameOf } from './text.ts';

const MOST_SENTENCES = 20;

/** The version that is opened without a question: the newest that is not installed. */
export function versionToOpen({ status }: Subscription): string | undefined {
  const { installed, available, refused = [], pending } = status ?? {};
  const next = available?.bundle === installed?.bundle ? undefined : available?.version;
  return refused[0]?.version ?? failuresOf(status ?? {})[0]?.version ?? pending?.version ?? next;
}

/** Acts that would have the version installed. */
export function versionOffers(
  subscription: Subscription,
  revisions: readonly Revision[],
  version: string,
): readonly Offer[] {
  // prettier-ignore
  const { metadata, spec, status } = subscription;
  if (metadata.deletionTimestamp !== undefined || status?.installed?.version === version) return [];
  const place = placeOf(subscription);
  const approve = status?.pending?.version === version ? approvalOffer(subscription, revisions) : undefined;
  const failed = status?.quarantined?.some((one) => one.version === version) === true;
  const isPinned = spec.version === version;
  const isRequestable = version.length > 0 && version.length <= 256;
  return [
    ...(approve === undefined ? [] : [approve]),
    ...(failed || findCondition(status?.conditions, 'UpgradeFailed') !== undefined
      ? [{ label: 'Try again', action: { kind: 'reconcile', ...place } } as const]
      : []),
    ...(isPinned || !isRequestable ? [] : [requestOffer(subscription, version)]),
  ];
}

/** A rollback has left `edges: Ignore` behind: without the change of it, the upgrade would leave out steps of the graph. */
function requestOffer(subscription: Subscription, version: string): Offer {
  const ignores = subscription.spec.edges === 'Ignore';
  const pins = `Pin the Subscription to version ${nameOf(version)}? Newer ones are not installed until it is unpinned.`;
  return {
    label: `Request ${nameOf(version)}`,
    action: { kind: 'change', ...placeOf(subscription), version, ...(ignores && { edges: 'Follow' }) },
    confirm: ignores
      ? `${pins} The upgrade follows the edges of the catalog, which the Subscription ignores now.`
      : pins,
  };
}

export interface WhyNotFacts {
  readonly terms: ButtonTerms;
  readonly revisions: readonly Revision[];
  /** Absent if the content of no Catalog could be read. */
  readonly question?: ResolveInput | undefined;
  /** There are too many versions to try remedies here. */
  readonly isTooLarge?: boolean;
}

export function whyNotOf(subscription: Subscription, version: string, facts: WhyNotFacts): WhyNot {
  const { metadata, spec } = subscription;
  const reported = answerOf({ package: spec.package, version }, subscription);
  const tried = facts.question === undefined ? undefined : tryVersion(facts.question, version);
  const isMentioned = reported.standing !== 'NotMentioned';
  const causes = isMentioned || tried === undefined ? reported.causes : tried.causes;
  const standing = isMentioned ? reported.standing : (tried?.standing ?? reported.standing);
  const chosen = isMentioned ? reported.chosen : standing === 'Chosen' || standing === 'OnTheWay';
  const remedies = chosen ? [] : [...new Set([...reported.changes, ...(tried?.changes ?? [])])];
  return {
    version: nameOf(version),
    chosen,
    standing: standing ?? 'NotMentioned',
    summary: line(summaryOf(reported, version, { chosen, standing })),
    causes: causes.slice(0, MOST_SENTENCES).map((one) => line(one)),
    remedies: remedies.slice(0, MOST_SENTENCES).map((one) => line(one)),
    ...(facts.isTooLarge === true
      ? { note: TOO_LARGE }
      : tried !== undefined && spec.dependencies !== 'Ignore' && remedies.length > 0 && { note: NOTE }),
    ...(!chosen && !causes.includes(reported.message) && { decision: line(reported.message) }),
    command: `slipway why-not ${quote(line(`${spec.package}@${version}`))} --subscription ${quote(metadata.name)} -n ${quote(metadata.namespace ?? '')}`,
    buttons: buttonsOf(versionOffers(subscription, facts.revisions, version), facts.terms),
  };
}

const NOTE = 'Each was tried by resolving again, without the dependencies on other packages';

const TOO_LARGE =
  'The package has too many versions to try changes here: slipway why-not, whose line stands below, tries them';

const explained = new Remembered<VersionExplanation | undefined>();

function tryVersion(question: ResolveInput, version: string): VersionExplanation | undefined {
  return explained.get(contentsOf(question), [question, version], () => explain(question, version));
}

/** Content of catalogs is hostile: an attempt that fails leaves the manager's words. */
function explain(question: ResolveInput, version: string): VersionExplanation | undefined {
  try {
    return explainVersion(question, resolve(question), version);
  } catch {
    return undefined;
  }
}

function summaryOf(
  reported: WhyAnswer,
  version: string,
  { chosen, standing }: Pick<WhyNot, 'chosen'> & { readonly standing: WhyAnswer['standing'] },
): string {
  const subject = `${reported.package}@${version}`;
  if (!chosen) return standing === 'Installed' ? `${subject} is installed` : `${subject} is not chosen`;
  const how = standing === 'OnTheWay' ? 'is on the way to the chosen version' : 'is chosen';
  return `${subject} ${how}: ${reported.message}`;
}
