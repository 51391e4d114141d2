/**
 * Turns roles and bindings into the permissions of the CSV, for every ServiceAccount of the operator, so that an
 * installation gives exactly the rights of the source. A right of one namespace stays one: if the operator watches all
 * namespaces, `permissions` would count everywhere, so its Role and RoleBinding are kept as objects.
 */
import { isAggregated } from '../../api/aggregated-role.ts';
import { canonicalJson } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import type { CsvPermission, PolicyRule } from '../bundle.ts';
import type { Ledger } from './ledger.ts';
import { isInside, type Scene } from './scene.ts';
import type { SourceObject } from './source.ts';

export interface Permissions {
  readonly permissions: readonly CsvPermission[];
  readonly clusterPermissions: readonly CsvPermission[];
}

const GROUP = 'rbac.authorization.k8s.io';
const PERMISSIONS = 'spec.install.spec.permissions';
const CLUSTER_PERMISSIONS = 'spec.install.spec.clusterPermissions';

export function takeRights(scene: Scene, ledger: Ledger): Permissions {
  const taken = { permissions: [] as CsvPermission[], clusterPermissions: [] as CsvPermission[] };
  const step: RightsStep = { scene, ledger, taken, kept: new Set(), consumed: new Map() };
  const unplaced = (kind: string): readonly SourceObject[] =>
    (scene.byKind.get(`${kind}.${GROUP}`) ?? []).filter((source) => !ledger.isPlaced(source));
  for (const source of unplaced('ClusterRoleBinding')) takeClusterBinding(step, source);
  for (const source of unplaced('RoleBinding')) takeBinding(step, source);
  for (const kind of ['Role', 'ClusterRole'])
    for (const source of scene.byKind.get(`${kind}.${GROUP}`) ?? []) placeRole(step, source);
  return { permissions: unique(taken.permissions), clusterPermissions: unique(taken.clusterPermissions) };
}

interface RightsStep {
  readonly scene: Scene;
  readonly ledger: Ledger;
  readonly taken: { readonly permissions: CsvPermission[]; readonly clusterPermissions: CsvPermission[] };
  /** Roles that a binding in `manifests/` names. */
  readonly kept: Set<SourceObject>;
  /** Roles of which the rules are in the CSV, with the field. */
  readonly consumed: Map<SourceObject, string>;
}

interface BoundSubject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

interface GrantedBinding extends KubeObject {
  readonly subjects?: readonly BoundSubject[];
  readonly roleRef: { readonly kind: string; readonly name: string };
}

function takeClusterBinding(step: RightsStep, source: SourceObject): void {
  const { ledger, taken } = step;
  const binding = source.object as GrantedBinding;
  const { own, foreign } = splitSubjects(step.scene, binding);
  const role = findRole(step.scene, binding);
  const rules = rulesOf(role?.object) ?? BUILT_IN.get(binding.roleRef.name);
  if (own.length > 0 && rules === undefined) return keepFixed(step, source, role);
  for (const { name } of own) taken.clusterPermissions.push({ serviceAccountName: name, rules: rules ?? [] });
  if (own.length > 0) {
    ledger.inCsv(source, CLUSTER_PERMISSIONS);
    if (role !== undefined) step.consumed.set(role, CLUSTER_PERMISSIONS);
  }
  if (foreign.length > 0 || own.length === 0) keepForeign(step, source, { foreign, role });
}

function takeBinding(step: RightsStep, source: SourceObject): void {
  const { scene, ledger, taken } = step;
  const binding = source.object as GrantedBinding;
  if (!isInside(binding, scene.namespace)) return leaveOutside(step, source);
  const { own, foreign } = splitSubjects(scene, binding);
  const role = findRole(scene, binding);
  const rules = rulesOf(role?.object);
  if (role === undefined && !BUILT_IN_NAMES.has(binding.roleRef.name)) reportMissingRole(ledger, source);
  const isLimited = !scene.modes.includes('AllNamespaces');
  if (isLimited && own.length > 0 && rules !== undefined) {
    for (const { name } of own) taken.permissions.push({ serviceAccountName: name, rules });
    ledger.inCsv(source, PERMISSIONS);
    if (role !== undefined) step.consumed.set(role, PERMISSIONS);
    if (foreign.length > 0) keepForeign(step, source, { foreign, role });
    return;
  }
  if (foreign.length > 0) keepForeign(step, source, { foreign: [...own.map(withoutNamespace), ...foreign], role });
  else ledger.inManifests(source, { ...binding, subjects: own.map(withoutNamespace) });
  if (role !== undefined) step.kept.add(role);
}

/** The subject of a RoleBinding without a namespace is in that of the binding, wherever the bundle is installed. */
function withoutNamespace(subject: BoundSubject): BoundSubject {
  const { namespace: _, ...others } = subject;
  return others;
}

function splitSubjects(
  { accounts, namespace }: Scene,
  { subjects, metadata }: GrantedBinding,
): { readonly own: readonly BoundSubject[]; readonly foreign: readonly BoundSubject[] } {
  const isOwn = ({ kind, name, namespace: of = metadata.namespace }: BoundSubject): boolean =>
    kind === 'ServiceAccount' && (accounts.has(name) || name === 'default') && (of === undefined || of === namespace);
  const all = subjects ?? [];
  return { own: all.filter(isOwn), foreign: all.filter((subject) => !isOwn(subject)) };
}

function findRole({ byKind }: Scene, { roleRef, metadata }: GrantedBinding): SourceObject | undefined {
  return (byKind.get(`${roleRef.kind}.${GROUP}`) ?? []).find(
    ({ object }) =>
      object.metadata.name === roleRef.name &&
      (roleRef.kind !== 'Role' || (object.metadata.namespace ?? metadata.namespace) === metadata.namespace),
  );
}

/** Undefined for rules that a controller of the cluster fills in. */
function rulesOf(role: KubeObject | undefined): readonly PolicyRule[] | undefined {
  if (role === undefined || isAggregated(role)) return undefined;
  return (role['rules'] ?? []) as readonly PolicyRule[];
}

/** Roles of every cluster of which the rules never change. @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings */
const BUILT_IN: ReadonlyMap<string, readonly PolicyRule[]> = new Map([
  [
    'cluster-admin',
    [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ],
  ],
  [
    'system:auth-delegator',
    [
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'] },
      { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'] },
    ],
  ],
]);
const BUILT_IN_NAMES: ReadonlySet<string> = new Set([...BUILT_IN.keys(), 'admin', 'edit', 'view']);

/** Rights of the whole cluster whose rules are unknown: the binding stays as it is, and counts in one namespace. */
function keepFixed({ ledger, scene, kept }: RightsStep, source: SourceObject, role: SourceObject | undefined): void {
  const { roleRef } = source.object as GrantedBinding;
  if (role === undefined && !BUILT_IN_NAMES.has(roleRef.name)) reportMissingRole(ledger, source);
  ledger.inManifests(source);
  if (role !== undefined) kept.add(role);
  ledger.find('error', 'fixed-namespace', source, [
    `its ClusterRole ${roleRef.name} has no rules in the source, so the binding is kept, for accounts in the namespace ${scene.namespace ?? '""'} only`,
    'Bind a ClusterRole of the source with the rules that the operator needs',
  ]);
}

function keepForeign(
  { ledger, kept, scene }: RightsStep,
  source: SourceObject,
  { foreign, role }: { readonly foreign: readonly BoundSubject[]; readonly role: SourceObject | undefined },
): void {
  ledger.inManifests(source, { ...source.object, subjects: foreign });
  if (role !== undefined) kept.add(role);
  else if (!BUILT_IN_NAMES.has((source.object as GrantedBinding).roleRef.name)) reportMissingRole(ledger, source);
  const named = foreign.filter(({ kind, name }) => kind !== 'ServiceAccount' || !scene.accounts.has(name));
  ledger.find('warning', 'foreign-account', source, [
    `it gives rights to accounts that are not of the operator: ${named.slice(0, 5).map(describeSubject).join(', ')}`,
    'The binding is kept; correct the subject, or remove it from the source if the installation is not to give these rights',
  ]);
}

function describeSubject({ kind, name, namespace }: BoundSubject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function reportMissingRole(ledger: Ledger, source: SourceObject): void {
  const { kind, name } = (source.object as GrantedBinding).roleRef;
  ledger.find('error', 'missing-role', source, [
    `it names the ${kind} ${name}, which is not in the source`,
    'Add the role, or correct roleRef',
  ]);
}

function leaveOutside({ ledger, scene }: RightsStep, source: SourceObject): void {
  const { namespace } = source.object.metadata;
  ledger.leaveOut(source, `it is in the namespace ${namespace}`);
  ledger.find('error', 'other-namespace', source, [
    `it is outside of the namespace of the operator${scene.namespace === undefined ? '' : `, ${scene.namespace}`}: a bundle has objects in one namespace only`,
    'Give the right by a ClusterRole, or have an administrator apply the object beside the Subscription',
  ]);
}

/** A role whose rules are in the CSV, and that no other binding needs, is not repeated as an object. */
function placeRole(step: RightsStep, source: SourceObject): void {
  const { ledger, scene, kept, consumed } = step;
  const field = consumed.get(source);
  if (source.object.kind === 'Role' && !isInside(source.object, scene.namespace)) return leaveOutside(step, source);
  if (field !== undefined) ledger.inCsv(source, field);
  if (field === undefined || kept.has(source) || isForOthers(source.object)) ledger.inManifests(source);
}

/** Whether other ClusterRoles take its rules over by its labels. */
function isForOthers({ metadata }: KubeObject): boolean {
  return Object.keys(metadata.labels ?? {}).some((label) => label.includes('/aggregate-to-'));
}

function unique(permissions: readonly CsvPermission[]): readonly CsvPermission[] {
  return [...new Map(permissions.map((permission) => [canonicalJson(permission), permission])).values()];
}
