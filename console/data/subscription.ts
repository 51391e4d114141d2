/** One Subscription: version now and available, progress, problems, Pods with their last lines, history. Pure. */
import { ANNOTATION } from '../../api/names.ts';
import { WAITS_FOR_A_TIME, WAITS_FOR_APPROVAL } from '../../api/reasons.ts';
import type { Revision } from '../../api/revision.ts';
import { leavesObjects, type Subscription } from '../../api/subscription.ts';
import { factsOf } from '../../report/situation-facts.ts';
import { situationOf, type OperatorSituation } from '../../report/situation.ts';
import { phaseBadge, stateBadge } from './badges.ts';
import { accessOfOffers, type Offer } from './buttons.ts';
import { conditionRows } from './conditions.ts';
import { historyOffers, historyRows } from './history-rows.ts';
import { manifestOf, quote } from './kubectl.ts';
import { leftOutOf } from './left-out.ts';
import { packagePath, revisionPath, subscriptionPath, withQuery } from './links.ts';
import type { Fact, Link, Moment, ProblemRow, SubscriptionModel } from './models.ts';
import { accountOf, reachNotices, readyMessage, revisionsOf } from './objects.ts';
import { ofSubscription } from './of-subscription.ts';
import { buttonsOf, subscriptionOffers, termsOf } from './offers.ts';
import { deploymentsOf, podNotices, podRows, POD_LIMITS } from './pods.ts';
import { outdatedSentence } from './sentences.ts';
import { firstOf, line, nameOf } from './text.ts';
import type { Ask, Asked, View, Visible } from './view.ts';

const MOST_REFUSED = 20;

export const subscription: View<SubscriptionModel> = {
  path: '/subscriptions/:namespace/:name',
  isOfNamespace: true,
  query: [],
  reads: ['subscriptions', 'revisions'],
  ...ofSubscription({ ask: askFor, show: (visible, found, { asked }) => showSubscription(visible, found, asked) }),
};

function askFor(visible: Visible, found: Subscription): Ask {
  const revisions = revisionsOf(visible, found);
  return {
    access: accessOfOffers(allOffers(found, revisions), accountOf(visible, found)),
    objects: deploymentsOf(revisions).map((ref) => ({ ref, pods: { tail: POD_LIMITS.lines } })),
  };
}

function allOffers(found: Subscription, revisions: readonly Revision[]): readonly Offer[] {
  return [...subscriptionOffers(found, revisions), ...historyOffers(found, revisions)];
}

function showSubscription(visible: Visible, found: Subscription, asked: Asked): SubscriptionModel {
  const revisions = revisionsOf(visible, found);
  const { metadata, spec, status = {} } = found;
  const situation = situationOf(found, revisions);
  const askedFor = allOffers(found, revisions);
  const terms = termsOf(visible, { askedFor, asked, subscription: found });
  const failed = new Set(status.quarantined?.map(({ version }) => version));
  // The cause of the failure says more than that the version is refused because of it.
  const others = situation.refused.filter(({ version }) => !failed.has(version));
  const refused = firstOf(others, MOST_REFUSED, 'version');
  return {
    title: nameOf(`${metadata.namespace}/${metadata.name}`),
    notices: [...reachNotices(visible, ['revisions']), ...podNotices(asked.objects ?? [])],
    namespace: nameOf(metadata.namespace),
    name: nameOf(metadata.name),
    package: nameOf(spec.package),
    state: stateBadge(situation.state),
    message: readyMessage('Subscription', status.conditions),
    ...versionPart(found, situation),
    facts: [...factRows(situation), ...specFacts(found)],
    moments: momentsOf(found, situation),
    phases: situation.phases.map(({ message, ...one }) => ({
      name: nameOf(one.name),
      state: phaseBadge(one.state),
      ready: one.ready,
      objects: one.objects,
      ...(message !== undefined && message !== '' && { message: line(message) }),
    })),
    problems: problemRows(situation, found),
    quarantined: (status.quarantined ?? []).map(({ bundle, version, reason, message, since, rolledBackTime }) => ({
      bundle: nameOf(bundle),
      version: nameOf(version),
      reason: nameOf(reason),
      message: line(message),
      since: nameOf(since),
      ...(rolledBackTime !== undefined && { rolledBackTime: nameOf(rolledBackTime) }),
    })),
    refused: refused.shown.map(({ version, reason, message }) => ({
      version: nameOf(version),
      reason: nameOf(reason),
      message: line(message),
      href: withQuery(subscriptionPath(metadata, 'graph'), { version }),
    })),
    ...(refused.cut !== undefined && { refusedCut: refused.cut }),
    pods: podRows(asked.objects ?? []),
    history: historyRows(found, revisions, terms),
    conditions: conditionRows(status.conditions),
    hints: situation.next.map(({ command, effect }) => ({ command: line(command), effect: line(effect) })),
    links: linksOf(found),
    buttons: buttonsOf(subscriptionOffers(found, revisions), terms),
    yaml: yamlOf(found),
  };
}

/** The version now, the newest one, the way to it, and the one that comes next. */
function versionPart(
  found: Subscription,
  { path, pending, state }: OperatorSituation,
): Pick<SubscriptionModel, 'installed' | 'available' | 'path' | 'outdated' | 'pending'> {
  const { status = {} } = found;
  const outdated = outdatedSentence(found);
  return {
    ...(status.installed !== undefined && { installed: nameOf(status.installed.version) }),
    ...(status.available !== undefined && { available: nameOf(status.available.version) }),
    path: path.map(nameOf),
    ...(outdated !== undefined && { outdated }),
    ...(pending !== undefined && {
      pending: {
        version: nameOf(pending.version),
        reason: nameOf(pending.reason),
        isWaiting:
          state === 'Suspended' || WAITS_FOR_APPROVAL.has(pending.reason) || WAITS_FOR_A_TIME.has(pending.reason),
        ...(pending.step !== undefined && { step: pending.step }),
        ...(pending.steps !== undefined && { steps: pending.steps }),
      },
    }),
  };
}

/** Shown elsewhere on the page, with more room; the window is a moment, whose distance the browser shows. */
const ELSEWHERE: ReadonlySet<string> = new Set(['Next window', 'Problems', 'Not chosen', 'In progress', 'Next']);

/** The facts of `slipway status`, except those that depend on the time of asking. */
function factRows(situation: OperatorSituation): readonly Fact[] {
  const { nextEligibleTime: _, ...timeless } = situation;
  return factsOf(timeless, new Date(0)).flatMap(([name, value]) => {
    const values = [value ?? []].flat().map((one) => line(one));
    return ELSEWHERE.has(name) || values.length === 0 ? [] : [{ name, values }];
  });
}

function specFacts(found: Subscription): readonly Fact[] {
  const { spec } = found;
  const fact = (name: string, value: string | undefined): readonly Fact[] =>
    value === undefined ? [] : [{ name, values: [line(value)] }];
  const watched = spec.watchNamespaces?.join(', ');
  return [
    ...fact('Wanted channel', spec.channel),
    ...fact('Wanted version', spec.version),
    ...fact('Approval', spec.approval),
    ...fact('Acts as', spec.serviceAccountName === undefined ? 'the manager' : `ServiceAccount ${spec.serviceAccountName}`), // prettier-ignore
    ...fact('Watches', watched),
    ...fact('On uninstall', leavesObjects(found) ? 'every object stays' : `custom resources: ${spec.uninstall.customResources}`), // prettier-ignore
    ...fact('Last repair', found.status?.lastRepair?.message),
  ];
}

function momentsOf(
  { metadata, status = {} }: Subscription,
  { nextEligibleTime }: OperatorSituation,
): readonly Moment[] {
  const moment = (name: string, time: string | undefined): readonly Moment[] =>
    time === undefined ? [] : [{ name, time: nameOf(time) }];
  return [
    ...moment('Created', metadata.creationTimestamp),
    ...moment('Marked for deletion', metadata.deletionTimestamp),
    ...moment('Next window', nextEligibleTime),
    ...moment('Last repair', status.lastRepair?.time),
  ];
}

function problemRows({ problems }: OperatorSituation, { status }: Subscription): readonly ProblemRow[] {
  return problems.map(({ condition, reason, message }) => {
    const since = status?.conditions?.find(({ type }) => type === condition)?.lastTransitionTime;
    return {
      condition: nameOf(condition),
      reason: nameOf(reason),
      message: line(message),
      ...(since !== undefined && { since: nameOf(since) }),
    };
  });
}

function linksOf({ metadata, spec, status }: Subscription): readonly Link[] {
  const { installed } = status ?? {};
  return [
    { label: 'Upgrade graph', href: subscriptionPath(metadata, 'graph') },
    { label: 'Plan', href: subscriptionPath(metadata, 'plan') },
    ...(installed === undefined
      ? []
      : [
          { label: 'Installed objects', href: revisionPath(metadata.namespace ?? '', installed.revision) },
          { label: 'Package', href: packagePath(installed.catalog, spec.package, installed.channel) },
        ]),
    { label: 'Events', href: withQuery('/events', { namespace: metadata.namespace, name: metadata.name }) },
    { label: 'Uninstall', href: subscriptionPath(metadata, 'uninstall') },
  ];
}

/** As it would lie in Git: without the fields that the API server, the manager and `kubectl apply` write. */
function yamlOf(found: Subscription): string {
  const { apiVersion, kind, metadata, spec } = found;
  const { namespace, name, labels, annotations = {} } = metadata;
  const own = Object.entries(annotations).filter(([key]) => !WRITTEN.has(key));
  const yaml = manifestOf({
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      ...(labels !== undefined && { labels }),
      ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
    },
    spec,
  });
  const whole = `kubectl -n ${quote(namespace ?? '')} get subscriptions.slipway.dev ${quote(name)} -o yaml`;
  const leftOut = leftOutOf(found);
  const missing =
    leftOut.length === 0 ? '' : `# Too large for this page, and left out: ${leftOut.join(', ')}: ${whole}\n`;
  if (yaml.length <= MOST_YAML) return `${missing}${yaml}`;
  const lines = yaml.slice(0, MOST_YAML).split('\n').slice(0, -1).join('\n');
  return `${missing}${lines}\n# The rest is left out: ${whole}\n`;
}

/** A spec may be as large as its CRD permits. */
const MOST_YAML = 64 * 1024;

const WRITTEN: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  ANNOTATION.reconcileRequestedAt,
]);
