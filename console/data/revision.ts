/** One Revision: its inventory as a tree with health and field owners, and repairs. Pure. */
import { findCondition } from '../../api/conditions.ts';
import { groupKind } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { refOfEntry } from '../../apply/inventory.ts';
import { entriesOf } from '../../report/history.ts';
import { treeOf } from '../../report/tree-nodes.ts';
import { healthBadge, phaseBadge } from './badges.ts';
import { accessOfOffers, type Offer } from './buttons.ts';
import { conditionRows } from './conditions.ts';
import { digestOf, historyOffers, signatureOf } from './history-rows.ts';
import { packagePath, subscriptionPath } from './links.ts';
import type { Fact, Moment, RevisionModel } from './models.ts';
import { accountOf, reachNotices, readyMessage, revisionsOf, unseen } from './objects.ts';
import { buttonsOf, termsOf } from './offers.ts';
import { entriesToRead, groupsOf } from './revision-groups.ts';
import { line, nameOf } from './text.ts';
import type { Asked, Parameters, View, Visible } from './view.ts';

export const revision: View<RevisionModel> = {
  path: '/revisions/:namespace/:name',
  isOfNamespace: true,
  query: [],
  reads: ['revisions', 'subscriptions'],
  ask: (visible, parameters) => {
    const found = revisionFrom(visible, parameters);
    if (found === undefined) return {};
    const owner = ownerOf(visible, found);
    return {
      access: accessOfOffers(offersOf(owner, found), accountOf(visible, owner)),
      objects: entriesToRead(found)
        .map(refOfEntry)
        .map((ref) => ({ ref, ...(groupKind(ref) === 'Deployment.apps' && { pods: { tail: 0 } }) })),
    };
  },
  show: (visible, parameters, asked) => {
    const found = revisionFrom(visible, parameters);
    return found === undefined ? unseen('Revision', visible, parameters) : showRevision(visible, found, asked);
  },
};

function revisionFrom({ revisions }: Visible, { namespace, name }: Parameters): Revision | undefined {
  return revisions.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
}

function ownerOf({ subscriptions }: Visible, { metadata, spec }: Revision): Subscription | undefined {
  return subscriptions.find((one) => one.metadata.namespace === metadata.namespace && one.metadata.name === spec.subscription); // prettier-ignore
}

function offersOf(owner: Subscription | undefined, found: Revision): readonly Offer[] {
  return owner === undefined ? [] : historyOffers(owner, [found]);
}

function showRevision(visible: Visible, found: Revision, asked: Asked): RevisionModel {
  const { metadata, spec, status = {} } = found;
  const owner = ownerOf(visible, found);
  const { groups, cut } = groupsOf(found, asked.objects);
  const namespace = metadata.namespace ?? '';
  const askedFor = offersOf(owner, found);
  return {
    title: nameOf(`${namespace}/${metadata.name}`),
    notices: [
      ...reachNotices(visible, ['subscriptions']),
      ...(cut === undefined ? [] : [{ tone: 'unknown', text: cut.message } as const]),
    ],
    namespace: nameOf(namespace),
    name: nameOf(metadata.name),
    subscription: { label: nameOf(spec.subscription), href: subscriptionPath({ namespace, name: spec.subscription }) },
    version: nameOf(spec.version),
    state: healthBadge(stateOf(found, owner)),
    message: readyMessage('Revision', status.conditions),
    facts: factsOf(visible, found, owner),
    moments: momentsOf(found),
    phases: (status.phases ?? []).map(({ message, ...one }) => ({
      name: nameOf(one.name),
      state: phaseBadge(one.state),
      ready: one.ready,
      objects: one.objects,
      ...(message !== undefined && message !== '' && { message: line(message) }),
    })),
    groups,
    ...(status.lastRepair !== undefined && {
      repair: { time: nameOf(status.lastRepair.time), message: line(status.lastRepair.message) },
    }),
    losses: (status.losses ?? []).map(({ crd, since, message }) => ({
      crd: nameOf(crd),
      since: nameOf(since),
      message: line(message),
    })),
    conditions: conditionRows(status.conditions),
    buttons: buttonsOf(askedFor, termsOf(visible, { askedFor, asked, subscription: owner })),
    links: [
      { label: 'Subscription', href: subscriptionPath({ namespace, name: spec.subscription }) },
      { label: 'Package', href: packagePath(spec.catalog, spec.package, spec.channel) },
    ],
  };
}

/** The word that `slipway tree` has for the Revision. */
function stateOf(found: Revision, owner: Subscription | undefined): string {
  const ready = findCondition(found.status?.conditions, 'Ready');
  if (owner === undefined) return ready?.status === 'True' ? 'Ready' : found.spec.state;
  const [node] = treeOf({ subscription: owner, revisions: [found], objects: new Map() }).children;
  return node?.state ?? found.spec.state;
}

function factsOf(visible: Visible, found: Revision, owner: Subscription | undefined): readonly Fact[] {
  const { spec, status } = found;
  const entry = owner && entriesOf(owner, revisionsOf(visible, owner)).find(({ revision: name }) => name === found.metadata.name); // prettier-ignore
  const signature = signatureOf(spec);
  const fact = (name: string, ...values: readonly (string | undefined)[]): readonly Fact[] => {
    const known = values.flatMap((value) => (value === undefined || value === '' ? [] : [line(value)]));
    return known.length === 0 ? [] : [{ name, values: known }];
  };
  return [
    ...fact('Bundle', spec.bundle, digestOf(spec.image)),
    ...fact('Signature', signature),
    ...fact('Catalog', spec.catalog),
    ...fact('Channel', spec.channel),
    ...fact('Objects', String(status?.inventory?.length ?? 0)),
    ...fact('Outcome', entry?.outcome),
    ...fact('Approved by', entry?.approvedBy),
    ...fact('Acts as', spec.serviceAccountName),
    ...fact('Watches', spec.watchNamespaces?.join(', ')),
    ...fact('Failed', status?.failure && `${status.failure.reason}: ${status.failure.message}`),
  ];
}

function momentsOf({ metadata, status }: Revision): readonly Moment[] {
  const moment = (name: string, time: string | undefined): readonly Moment[] =>
    time === undefined ? [] : [{ name, time: nameOf(time) }];
  return [
    ...moment('Created', metadata.creationTimestamp),
    ...moment('Approved', status?.approvedBy?.time),
    ...moment('First healthy', status?.firstReadyTime),
    ...moment('Replaced', status?.lastActiveTime),
    ...moment('Failed', status?.failure?.since),
  ];
}
