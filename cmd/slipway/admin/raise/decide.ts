/**
 * Decides to which version a Subscription in Git can be raised: the newest one that the catalogs have and that edges lead
 * to from the version that is written there. The resolver decides, as it does in the cluster. Pure.
 */
import type { Reason } from '../../../../api/reasons.ts';
import type { Subscription } from '../../../../api/subscription.ts';
import { reasonOfCause } from '../../../../controllers/subscription/summarize.ts';
import type { Decision, RefusedCandidate } from '../../../../resolver/decision.ts';
import { describeCause, explainDecision } from '../../../../resolver/explain.ts';
import type { ClusterFacts, Installed, ResolveInput } from '../../../../resolver/input.ts';
import { passedOver } from '../../../../resolver/passed-over.ts';
import { parseMastermindsRange } from '../../../../resolver/ranges/masterminds.ts';
import { ruledOutBy } from '../../../../resolver/published-again.ts';
import { resolve } from '../../../../resolver/resolve.ts';
import { compareVersions, parseVersion } from '../../../../resolver/version.ts';
import { findInstalled } from '../../why/offline.ts';

/** The catalogs, and the state of the Subscription in the cluster. */
export interface RaiseFacts {
  readonly catalogs: ResolveInput['catalogs'];
  /** Bundles that failed in the cluster. */
  readonly quarantined: readonly string[];
  readonly installed?: Installed;
  readonly kubernetesVersion?: string;
}

export interface RaiseDecision {
  /** The text for `spec.version`; absent if it stays. */
  readonly to?: string;
  /** The highest version that the channel has, if it is not the one above: the channel is the choice of a person. */
  readonly latest?: string;
  readonly reason: Reason;
  readonly message: string;
}

/**
 * The newer version of a Subscription, or the obstacle; undefined if its spec allows the newest one already. Only an exact
 * version is raised: a range is the decision of a person about the versions that may come.
 */
export function decideRaise(subscription: Subscription, facts: RaiseFacts): RaiseDecision | undefined {
  const { version } = subscription.spec;
  if (version === undefined) return undefined;
  const [, sign = '', exact] = EXACT.exec(version.trim()) ?? [];
  if (exact === undefined || !parseVersion(exact).ok) return judgeRange(subscription, version, facts);
  return raiseExact(subscription, { sign, exact }, facts);
}

/** One version, with the signs that may stand before it. */
const EXACT = /^(=?\s*v?)(\d+\.\d+\.\d+\S*)$/;

interface ExactVersion {
  readonly sign: string;
  readonly exact: string;
}

function raiseExact(
  subscription: Subscription,
  { sign, exact }: ExactVersion,
  facts: RaiseFacts,
): RaiseDecision | undefined {
  const { package: packageName } = subscription.spec;
  const installed = originOf(packageName, exact, facts);
  const question = { ...facts, ...(installed !== undefined && { installed }) };
  const ask = (version?: string): Decision => resolve(questionOf(subscription, question, version));
  const decision = ask();
  const { reason, message } = explainDecision(decision, packageName);
  const over = passedOver(decision, installed).find(({ cause }) => cause.kind !== 'otherChannel');
  if (decision.kind === 'none') return { ...(over !== undefined && { latest: over.version }), reason, message };
  const steps = decision.kind === 'upgrade' ? decision.path.map((hop) => hop.version).toReversed() : [];
  const to = steps.find((version) => isHigher(version, exact) && isReached(ask(`${sign}${version}`), version));
  if (to === undefined) return over && describeOver(over);
  return {
    to: `${sign}${to}`,
    ...(over !== undefined && over.version !== to && { latest: over.version }),
    reason,
    message,
  };
}

function describeOver({ version, cause }: RefusedCandidate): RaiseDecision {
  return { latest: version, reason: reasonOfCause(ruledOutBy(cause).kind), message: describeCause(cause) };
}

/** The bundle of the version in the file; undefined if no catalog has the package. */
function originOf(packageName: string, exact: string, { installed, catalogs }: RaiseFacts): Installed | undefined {
  if (installed?.version === exact) return installed;
  const isOffered = catalogs.some(({ content }) => content(packageName) !== undefined);
  return isOffered ? findInstalled({ option: 'spec.version', text: exact }, packageName, catalogs) : undefined;
}

function isReached(decision: Decision, version: string): boolean {
  return decision.kind !== 'none' && decision.bundle.version === version;
}

function isHigher(version: string, than: string): boolean {
  const [one, other] = [parseVersion(version), parseVersion(than)];
  return one.ok && other.ok && compareVersions(one.value, other.value) > 0;
}

function judgeRange(subscription: Subscription, text: string, facts: RaiseFacts): RaiseDecision | undefined {
  const range = parseMastermindsRange(text);
  const decision = resolve(questionOf(subscription, facts, undefined));
  const { reason, message } = explainDecision(decision, subscription.spec.package);
  if (decision.kind === 'none') return { reason, message };
  const newest = decision.bundle.version;
  const parsed = parseVersion(newest);
  if (!parsed.ok || (range.ok && range.value.includes(parsed.value))) return undefined;
  return {
    latest: newest,
    reason: 'VersionNotFound',
    message: `the range ${JSON.stringify(text)} does not include it, and only exact versions are raised`,
  };
}

/**
 * Without the cluster nothing is known about its other operators, so dependencies are not checked if the spec requires
 * them to be there: the manager checks that.
 */
function questionOf(
  { spec }: Subscription,
  { catalogs, quarantined, installed, kubernetesVersion }: RaiseFacts,
  version: string | undefined,
): ResolveInput {
  const { package: packageName, channel, edges, dependencies } = spec;
  const cluster: ClusterFacts = { providedKinds: [], ...(kubernetesVersion !== undefined && { kubernetesVersion }) };
  return {
    wanted: {
      package: packageName,
      edges,
      dependencies: dependencies === 'Require' ? 'Ignore' : dependencies,
      ...(channel !== undefined && { channel }),
      ...(version !== undefined && { version }),
    },
    ...(installed !== undefined && { installed }),
    catalogs,
    quarantined,
    cluster,
  };
}
