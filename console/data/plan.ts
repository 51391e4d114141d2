/** The plan of the Revision that comes next: its effect, its risk, and the approval that names its hash. Pure. */
import type { PlanRecord } from '../../api/revision-plan.ts';
import { activeOf, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Plan } from '../../plan/model.ts';
import { entriesOf } from '../../report/history.ts';
import { titleOf, wayBackOf } from '../../report/plan-sections.ts';
import { comingOf, describeIdle } from '../../report/targets.ts';
import { riskBadge } from './badges.ts';
import { accessOfOffers, type Offer } from './buttons.ts';
import { digestOf, signatureOf } from './history-rows.ts';
import { quote } from './kubectl.ts';
import { revisionPath, subscriptionPath } from './links.ts';
import type { ApprovalState, Fact, Notice, PlanModel } from './models.ts';
import { accountOf, reachNotices, revisionsOf } from './objects.ts';
import { ofSubscription } from './of-subscription.ts';
import { approvalOffer, buttonsOf, placeOf, termsOf } from './offers.ts';
import { summaryRisks, summarySections, wholeRisks, wholeSections } from './plan-sections.ts';
import { line, nameOf } from './text.ts';
import type { Ask, Asked, View, Visible } from './view.ts';

export const plan: View<PlanModel> = {
  path: '/subscriptions/:namespace/:name/plan',
  isOfNamespace: true,
  query: [],
  reads: ['subscriptions', 'revisions'],
  ...ofSubscription({ ask: askFor, show: (visible, found, { asked }) => showPlan(visible, found, asked) }),
};

function askFor(visible: Visible, found: Subscription): Ask {
  const revisions = revisionsOf(visible, found);
  const { metadata, status } = comingOf(found, revisions) ?? {};
  const { secret, digest } = status?.plan ?? {};
  return {
    access: accessOfOffers(offersOf(found, revisions), accountOf(visible, found)),
    ...(metadata !== undefined &&
      secret !== undefined &&
      digest !== undefined && {
        plan: { namespace: metadata.namespace ?? '', secret, revisionUid: metadata.uid ?? '', digest },
      }),
  };
}

function offersOf(found: Subscription, revisions: readonly Revision[]): readonly Offer[] {
  if (found.metadata.deletionTimestamp !== undefined) return [];
  const approve = approvalOffer(found, revisions);
  return [
    ...(approve === undefined ? [] : [approve]),
    { label: 'Plan again', action: { kind: 'reconcile', ...placeOf(found) } },
  ];
}

function showPlan(visible: Visible, found: Subscription, asked: Asked): PlanModel {
  const revisions = revisionsOf(visible, found);
  const { namespace, name } = found.metadata;
  const coming = comingOf(found, revisions);
  const askedFor = offersOf(found, revisions);
  const buttons = buttonsOf(askedFor, termsOf(visible, { askedFor, asked, subscription: found }));
  const page = {
    title: nameOf(`Plan of ${namespace}/${name}`),
    namespace: nameOf(namespace),
    name: nameOf(name),
    links: [{ label: 'Subscription', href: subscriptionPath(found.metadata) }],
  };
  if (coming === undefined) return { ...page, ...nothingComes(visible, found, revisions) };
  return { ...page, ...planOf(visible, found, { coming, revisions, asked }), buttons };
}

function nothingComes(visible: Visible, found: Subscription, revisions: readonly Revision[]) {
  const active = activeOf(revisions);
  const { pending } = found.status ?? {};
  const isUnderWay = active !== undefined && pending?.revision === active.metadata.name;
  const message = isUnderWay ? `${active.spec.bundle} is being applied: ${pending?.reason}` : `Nothing changes: ${describeIdle(active, false)}`; // prettier-ignore
  return {
    notices: reachNotices(visible, ['revisions']),
    risks: [],
    heldBy: [],
    facts: [],
    sections: [],
    extent: 'none',
    buttons: [],
    empty: {
      message: line(message),
      next: [{ label: 'See the upgrade graph', href: subscriptionPath(found.metadata, 'graph') }],
    },
  } as const;
}

interface PlanTerms {
  readonly coming: Revision;
  readonly revisions: readonly Revision[];
  readonly asked: Asked;
}

function planOf(visible: Visible, found: Subscription, { coming, revisions, asked }: PlanTerms) {
  const record = coming.status?.plan;
  const whole = wholePlan(record, asked);
  const { from: installed } = { from: found.status?.installed?.version };
  const change = installed === undefined ? `installation of ${coming.spec.package} ${coming.spec.version}` : `${coming.spec.package} ${installed} → ${coming.spec.version}`; // prettier-ignore
  return {
    notices: [...reachNotices(visible, ['revisions']), ...extentNotices(record, asked, whole)],
    revision: nameOf(coming.metadata.name),
    change: nameOf(whole === undefined ? change : titleOf(whole)),
    ...(record?.hash !== undefined && { hash: nameOf(record.hash) }),
    ...(record?.risk !== undefined && { risk: riskBadge(record.risk) }),
    risks: whole === undefined ? summaryRisks(record ?? EMPTY) : wholeRisks(whole),
    ...(record?.pointOfNoReturn !== undefined && { pointOfNoReturn: line(record.pointOfNoReturn) }),
    ...(whole !== undefined && { wayBack: line(wayBackOf(whole)) }),
    heldBy: (record?.heldBy ?? []).map(({ rule, message }) => line(`${rule}: ${message}`)),
    facts: factsOf(coming),
    sections: whole === undefined ? summarySections(record ?? EMPTY) : wholeSections(whole),
    extent: whole !== undefined ? ('whole' as const) : record === undefined ? ('none' as const) : ('summary' as const),
    approval: approvalState(found, revisions, coming),
  };
}

const EMPTY: PlanRecord = { inputs: 'none' };

/**
 * Others may write Secrets; the hash in the status is the manager's. A plan of another hash is
 * an older one, or none of the manager's.
 */
function wholePlan(record: PlanRecord | undefined, { plan: answer }: Asked): Plan | undefined {
  if (record?.hash === undefined || answer === undefined || !('value' in answer)) return undefined;
  const { plan: stored } = answer.value;
  if (stored?.hash !== record.hash) return undefined;
  try {
    wholeSections(stored);
    wholeRisks(stored);
    titleOf(stored);
    wayBackOf(stored);
    return stored;
  } catch {
    return undefined;
  }
}

function extentNotices(
  record: PlanRecord | undefined,
  { plan: answer }: Asked,
  whole: Plan | undefined,
): readonly Notice[] {
  // prettier-ignore
  const notice = (tone: Notice['tone'], text: string): readonly Notice[] => [{ tone, text: line(text) }];
  if (record === undefined) return notice('working', 'The plan is being made');
  if (record.problem !== undefined) return notice('bad', `No plan could be made: ${record.problem}`);
  if (whole !== undefined)
    return record.omitted === undefined ? [] : notice('unknown', `The plan leaves out ${record.omitted}`);
  if (answer !== undefined && 'failure' in answer)
    return notice('unknown', `Only the summary of the plan is shown: ${answer.failure.message}`);
  if (answer === undefined && record.secret !== undefined)
    return record.digest === undefined ? notice('unknown', UNRECORDED) : [];
  return notice('unknown', `Only the summary of the plan is shown: ${record.omitted ?? 'the Secret with the whole plan does not have the plan of this hash'}`); // prettier-ignore
}

const UNRECORDED =
  'Only the summary of the plan is shown: the manager has not recorded which whole plan it stored, and makes it again within minutes';

function factsOf({ metadata, spec, status }: Revision): readonly Fact[] {
  const signature = signatureOf(spec);
  const missing = status?.plan?.missingRights ?? 0;
  const secret = status?.plan?.secret;
  const read = `kubectl -n ${quote(metadata.namespace ?? '')} get secret ${quote(secret ?? '')} -o jsonpath='{.data.plan}' | base64 -d | gunzip`;
  return [
    { name: 'Revision', values: [nameOf(metadata.name)], href: revisionPath(metadata.namespace ?? '', metadata.name) },
    { name: 'Bundle', values: [nameOf(spec.bundle), digestOf(spec.image)] },
    ...(signature === undefined ? [] : [{ name: 'Signature', values: [signature] }]),
    ...(missing === 0 ? [] : [{ name: 'Missing rights', values: [`The ServiceAccount lacks ${missing} rights`] }]),
    ...(secret === undefined ? [] : [{ name: 'Whole plan', values: [line(read)] }]),
  ];
}

function approvalState(found: Subscription, revisions: readonly Revision[], coming: Revision): ApprovalState {
  const entry = entriesOf(found, revisions).find(({ revision }) => revision === coming.metadata.name);
  if (!coming.spec.approved)
    return { state: { word: 'Not approved', tone: 'waiting' }, message: line(entry?.outcome ?? 'waits for approval') };
  const { approvedBy, approvedTime } = entry ?? {};
  const plan = coming.status?.approvedBy?.plan;
  return {
    state: { word: 'Approved', tone: 'good' },
    message: line(`Approved by ${approvedBy ?? 'a program that is not known'}`),
    ...(approvedBy !== undefined && { by: nameOf(approvedBy) }),
    ...(approvedTime !== undefined && { time: nameOf(approvedTime) }),
    ...(plan !== undefined && { plan: nameOf(plan) }),
  };
}
