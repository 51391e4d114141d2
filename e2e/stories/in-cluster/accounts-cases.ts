/**
 * The attempts of a team in its namespace, and their outcomes: as `tina`, who has the rights of the guide, and as
 * `theo`, who has every right on Subscriptions and Revisions. Both have the role `edit`, so they may impersonate each
 * account there.
 */
import { ANNOTATION, FINALIZER, LABEL } from '../../../api/names.ts';
import {
  apply,
  create,
  jsonPatch,
  MARKS,
  merge,
  metadata,
  OWNER,
  pathTo,
  remove,
  replace,
  revision,
  subscription,
} from './accounts-scene.ts';
import type { Act, Outcome } from './persons.ts';

export interface TeamCase {
  readonly what: string;
  readonly act: Act;
  readonly tina: Outcome;
  /** The same if absent. */
  readonly theo?: Outcome;
  readonly because: string;
}

const managers = pathTo('subscriptions', 'managers');
const own = pathTo('subscriptions', 'own');
const managersRevision = pathTo('revisions', 'managers-1');
const ownRevision = pathTo('revisions', 'own-1');
const installer = { serviceAccountName: 'installer' };
const now = { [ANNOTATION.reconcileRequestedAt]: 'now' };
const owned = metadata({ ownerReferences: [OWNER] });
const approved = { spec: { approved: true } };

/** On the Subscription of an administrator, which acts as the manager. */
const ON_THE_MANAGERS: readonly TeamCase[] = [
  {
    what: 'another channel',
    act: merge(managers, { spec: { channel: 'beta' } }),
    tina: 'policy',
    because: 'it decides which version is installed',
  },
  {
    what: 'suspended',
    act: merge(managers, { spec: { suspend: true } }),
    tina: 'policy',
    because: 'it keeps security upgrades away',
  },
  {
    what: 'custom resources to be deleted',
    act: merge(managers, { spec: { uninstall: { customResources: 'Delete' } } }),
    tina: 'policy',
    because: 'the manager deletes them in all namespaces',
  },
  {
    what: 'taken over by an account',
    act: merge(managers, { spec: installer }),
    tina: 'policy',
    because: 'what the manager installed would be his to remove',
  },
  {
    what: 'taken over, and custom resources to be deleted',
    act: merge(managers, { spec: { ...installer, uninstall: { customResources: 'Delete' } } }),
    tina: 'policy',
    because: 'that and a deletion was the way to destroy the objects of all',
  },
  {
    what: 'taken over by kubectl replace',
    act: replace(subscription('managers', installer, MARKS)),
    tina: 'policy',
    because: 'the whole object is compared, whatever the verb',
  },
  {
    what: 'taken over by server-side apply',
    act: apply(subscription('managers', installer, MARKS)),
    tina: 'policy',
    because: 'an apply is an UPDATE like others',
  },
  { what: 'deleted', act: remove(managers), tina: 'policy', because: 'the manager would remove the operator' },
  {
    what: 'deleted, its Revisions orphaned',
    act: remove(managers, { propagationPolicy: 'Orphan' }),
    tina: 'policy',
    because: 'it is a deletion',
  },
  {
    what: 'deleted together with all others',
    act: remove(pathTo('subscriptions')),
    tina: 'policy',
    because: 'each object of a collection is asked about',
  },
  {
    what: 'deleted in a collection of one',
    act: remove(pathTo('subscriptions'), { fieldSelector: 'metadata.name=managers' }),
    tina: 'policy',
    because: 'each object of a collection is asked about',
  },
  {
    what: 'without its finalizer',
    act: merge(managers, metadata({ finalizers: null })),
    tina: 'policy',
    because: 'its deletion would leave behind what it installed',
  },
  {
    what: 'without its finalizer by JSON patch',
    act: jsonPatch(managers, [{ op: 'remove', path: '/metadata/finalizers/0' }]),
    tina: 'policy',
    because: 'it is the same change',
  },
  {
    what: 'with a finalizer more',
    act: merge(managers, metadata({ finalizers: [FINALIZER, 'team.example/mine'] })),
    tina: 'policy',
    because: 'it would hold the deletion of an administrator',
  },
  {
    what: 'with an owner that there is not',
    act: merge(managers, owned),
    tina: 'policy',
    because: 'the garbage collector would delete it',
  },
  {
    what: 'with a finalizer of the garbage collector',
    act: merge(managers, metadata({ finalizers: [FINALIZER, 'foregroundDeletion'] })),
    tina: 'policy',
    because: 'finalizers are the manager’s and the collector’s',
  },
  {
    what: 'as no dependency',
    act: merge(managers, metadata({ labels: { [LABEL.dependency]: null } })),
    tina: 'policy',
    because: 'the label says who removes it',
  },
  {
    what: 'with another value of a label of Slipway',
    act: merge(managers, metadata({ labels: { [LABEL.dependency]: 'false' } })),
    tina: 'policy',
    because: 'the label says who removes it',
  },
  {
    what: 'requested by another Subscription',
    act: merge(managers, metadata({ annotations: { [ANNOTATION.requestedBy]: '1' } })),
    tina: 'policy',
    because: 'it would be removed with that one',
  },
  {
    what: 'with a label of Slipway more',
    act: merge(managers, metadata({ labels: { 'slipway.dev/new': 'x' } })),
    tina: 'policy',
    because: 'all keys of slipway.dev count, also those to come',
  },
  {
    what: 'asked for a reconcile now',
    act: merge(managers, metadata({ annotations: now })),
    tina: 'policy',
    because: 'it tries again the version that was quarantined',
  },
  {
    what: 'without annotations',
    act: merge(managers, metadata({ annotations: null })),
    tina: 'policy',
    because: 'one of Slipway is among them',
  },
  {
    what: 'with another note',
    act: merge(managers, metadata({ annotations: { note: 'new' } })),
    tina: 'accepted',
    because: 'other annotations are left to RBAC',
  },
  {
    what: 'with another label',
    act: merge(managers, metadata({ labels: { team: null, 'app.kubernetes.io/managed-by': 'argo' } })),
    tina: 'accepted',
    because: 'other labels are left to RBAC',
  },
  {
    what: 'with another note, and another channel in the same request',
    act: merge(managers, { ...metadata({ annotations: { note: 'new' } }), spec: { channel: 'beta' } }),
    tina: 'policy',
    because: 'one harmless change does not cover another',
  },
  {
    what: 'with so many labels that it takes no more',
    act: merge(
      managers,
      metadata({ labels: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`l${index}`, ''])) }),
    ),
    tina: 'policy',
    because: 'the manager could not write its status any more',
  },
  {
    what: 'by a patch that changes nothing',
    act: merge(managers, { spec: { package: 'beacon-operator' } }),
    tina: 'accepted',
    because: 'nothing changes',
  },
  {
    what: 'its status',
    act: merge(`${managers}/status`, { status: { quarantined: [] } }),
    tina: 'RBAC',
    theo: 'policy',
    because: 'the manager acts upon what a status says',
  },
];

/** On the team's own Subscription, which acts as `installer`, and on those that are not there yet. */
const ON_THE_TEAMS: readonly TeamCase[] = [
  { what: 'another channel', act: merge(own, { spec: { channel: 'beta' } }), tina: 'accepted', because: 'it is his' },
  { what: 'suspended', act: merge(own, { spec: { suspend: true } }), tina: 'accepted', because: 'it is his' },
  { what: 'deleted', act: remove(own), tina: 'accepted', because: 'it is his' },
  {
    what: 'deleted in a collection of one',
    act: remove(pathTo('subscriptions'), { fieldSelector: 'metadata.name=own' }),
    tina: 'accepted',
    because: 'only the objects that are meant are asked about',
  },
  {
    what: 'without its finalizer',
    act: merge(own, metadata({ finalizers: null })),
    tina: 'accepted',
    because: 'what it leaves behind was installed as an account of his',
  },
  {
    what: 'asked for a reconcile now',
    act: merge(own, metadata({ annotations: now })),
    tina: 'accepted',
    because: 'the guide says to',
  },
  {
    what: 'as a dependency no more',
    act: merge(own, metadata({ labels: { [LABEL.dependency]: null } })),
    tina: 'accepted',
    because: 'it is his',
  },
  {
    what: 'acting as another account of his',
    act: merge(own, { spec: { serviceAccountName: 'auditor' } }),
    tina: 'accepted',
    because: 'he may impersonate both',
  },
  {
    what: 'without its account',
    act: merge(own, { spec: { serviceAccountName: null } }),
    tina: 'policy',
    because: 'it would act as the manager',
  },
  {
    what: 'without its account by kubectl replace',
    act: replace(subscription('own', {}, MARKS)),
    tina: 'policy',
    because: 'it would act as the manager',
  },
  {
    what: 'without its account by JSON patch',
    act: jsonPatch(own, [{ op: 'remove', path: '/spec/serviceAccountName' }]),
    tina: 'policy',
    because: 'it would act as the manager',
  },
  {
    what: 'with an empty account',
    act: merge(own, { spec: { serviceAccountName: '' } }),
    tina: 'invalid',
    because: 'the schema takes no empty name',
  },
  {
    what: 'its status',
    act: merge(`${own}/status`, { status: { quarantined: [] } }),
    tina: 'RBAC',
    theo: 'policy',
    because: 'the manager acts upon what a status says',
  },
  {
    what: 'a new one that names no account',
    act: create(subscription('new', {})),
    tina: 'policy',
    because: 'it would act as the manager',
  },
  {
    what: 'a new one that names no account by server-side apply',
    act: apply(subscription('new', {})),
    tina: 'policy',
    because: 'it would act as the manager',
  },
  {
    what: 'a new one that names an account',
    act: create(subscription('new', installer)),
    tina: 'accepted',
    because: 'he may impersonate it',
  },
  {
    what: 'a new one with labels, annotations and finalizers of Slipway',
    act: create(subscription('new', installer, MARKS)),
    tina: 'accepted',
    because: 'it is his',
  },
];

/** On Revisions; those of the manager's and of the team's Subscription. */
const ON_REVISIONS: readonly TeamCase[] = [
  {
    what: 'a new one that names no account',
    act: create(revision('new-1', {})),
    tina: 'RBAC',
    theo: 'policy',
    because: 'the manager makes Revisions',
  },
  {
    what: 'a new one that names an account of his',
    act: create(revision('new-1', installer)),
    tina: 'RBAC',
    theo: 'policy',
    because: 'image, pull secret, Secrets and properties of it are acted upon by the manager',
  },
  {
    what: 'a new one by server-side apply',
    act: apply(revision('new-1', installer)),
    tina: 'RBAC',
    theo: 'policy',
    because: 'an apply of a missing object is a CREATE',
  },
  { what: 'of his own approved', act: merge(ownRevision, approved), tina: 'accepted', because: 'it is his' },
  {
    what: 'of his own approved by server-side apply',
    act: apply(revision('own-1', { ...installer, approved: true }, MARKS)),
    tina: 'accepted',
    because: 'it is the same change',
  },
  {
    what: 'of his own approved by kubectl replace',
    act: replace(revision('own-1', { ...installer, approved: true }, MARKS)),
    tina: 'RBAC',
    theo: 'accepted',
    because: 'the guide gives patch, not update',
  },
  {
    what: 'of his own approved, with a note',
    act: merge(ownRevision, { ...approved, ...metadata({ annotations: { note: 'new' } }) }),
    tina: 'accepted',
    because: 'other annotations are left to RBAC',
  },
  {
    what: 'of the manager approved',
    act: merge(managersRevision, approved),
    tina: 'policy',
    because: 'it would be applied as the manager',
  },
  {
    what: 'of his own active',
    act: merge(ownRevision, { spec: { state: 'Active' } }),
    tina: 'policy',
    because: 'the manager keeps that no more than one is active',
  },
  {
    what: 'of his own approved and active',
    act: merge(ownRevision, { spec: { state: 'Active', approved: true } }),
    tina: 'policy',
    because: 'an approval does not cover another change',
  },
  {
    what: 'of the manager active',
    act: merge(managersRevision, { spec: { state: 'Active' } }),
    tina: 'policy',
    because: 'it would be applied as the manager',
  },
  {
    what: 'of his own without its finalizer',
    act: merge(ownRevision, metadata({ finalizers: null })),
    tina: 'policy',
    because: 'its deletion would leave behind what it installed',
  },
  {
    what: 'of his own approved, without its finalizer',
    act: merge(ownRevision, { ...approved, ...metadata({ finalizers: null }) }),
    tina: 'policy',
    because: 'an approval does not cover another change',
  },
  {
    what: 'of his own with another owner',
    act: merge(ownRevision, owned),
    tina: 'policy',
    because: 'the owner says which Subscription it belongs to',
  },
  {
    what: 'of the manager with an owner that there is not',
    act: merge(managersRevision, owned),
    tina: 'policy',
    because: 'the garbage collector would delete it',
  },
  {
    what: 'of his own with a label of Slipway',
    act: merge(ownRevision, metadata({ labels: { [LABEL.revision]: 'x' } })),
    tina: 'policy',
    because: 'the manager finds objects by them',
  },
  {
    what: 'of his own with an annotation of Slipway',
    act: merge(ownRevision, metadata({ annotations: now })),
    tina: 'policy',
    because: 'the guide asks by the Subscription',
  },
  {
    what: 'of the manager without a label of Slipway',
    act: merge(managersRevision, metadata({ labels: { [LABEL.dependency]: null } })),
    tina: 'policy',
    because: 'the manager finds objects by them',
  },
  {
    what: 'of the manager with another note',
    act: merge(managersRevision, metadata({ annotations: { note: 'new' } })),
    tina: 'accepted',
    because: 'other annotations are left to RBAC',
  },
  {
    what: 'of his own deleted',
    act: remove(ownRevision),
    tina: 'RBAC',
    theo: 'accepted',
    because: 'he may delete its Subscription as well, and the manager makes it again',
  },
  {
    what: 'of the manager deleted',
    act: remove(managersRevision),
    tina: 'RBAC',
    theo: 'policy',
    because: 'the manager would remove the operator',
  },
  {
    what: 'all of the namespace deleted',
    act: remove(pathTo('revisions')),
    tina: 'RBAC',
    theo: 'policy',
    because: 'each object of a collection is asked about',
  },
  {
    what: 'of his own with another inventory',
    act: merge(`${ownRevision}/status`, { status: { inventory: [] } }),
    tina: 'RBAC',
    theo: 'policy',
    because: 'what it lists is removed with the rights of the manager',
  },
  {
    what: 'of the manager with conditions of his',
    act: merge(`${managersRevision}/status`, { status: { firstReadyTime: '2026-01-01T00:00:00Z' } }),
    tina: 'RBAC',
    theo: 'policy',
    because: 'the manager acts upon what a status says',
  },
];

export const TEAM_CASES: readonly TeamCase[] = [
  ...ON_THE_MANAGERS.map((one) => ({ ...one, what: `the Subscription of an administrator, ${one.what}` })),
  ...ON_THE_TEAMS.map((one) => ({ ...one, what: `a Subscription of the team, ${one.what}` })),
  ...ON_REVISIONS.map((one) => ({ ...one, what: `a Revision, ${one.what}` })),
];
