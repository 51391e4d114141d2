/**
 * The marks by which OLM v0 recognizes the objects of an operator, for the way back. An object that OLM had made gets
 * those of the backup, one that Slipway made in place of it those that OLM gives to its kind. Pure.
 */
import { ANNOTATION, GROUP, LABEL } from '../../api/names.ts';
import type { KubeObject, ObjectRef, OwnerReference } from '../../api/object.ts';
import { identityOf } from '../../apply/identity.ts';
import type { Backup, MarkedObject } from './backup.ts';
import { componentLabel, OLM, OLM_LABEL } from './kinds.ts';
import { isCsv, isOlmLabel } from './marks.ts';

/** The marks of one object. */
export interface Marks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly ownerReferences: readonly OwnerReference[];
}

/** The marks of an object under the ClusterServiceVersion of this uid. */
export function marksFor(ref: ObjectRef, backup: Backup, csvUid: string): Marks {
  const known = backup.objects.find((one) => identityOf(one) === identityOf(ref));
  const isAtHome = ref.namespace === backup.operator.namespace;
  const owner: OwnerReference = {
    apiVersion: OLM.csv.apiVersion,
    kind: OLM.csv.kind,
    name: backup.operator.csv,
    uid: csvUid,
    controller: false,
    blockOwnerDeletion: false,
  };
  // OLM gives its own kind an owner by itself.
  if (ref.kind === OLM.operatorCondition.kind) return { labels: {}, annotations: {}, ownerReferences: [] };
  if (known !== undefined) return { ...known, labels: olmLabels(known), ownerReferences: isAtHome && known.ownerReferences.some(isCsv) ? [owner] : [] }; // prettier-ignore
  return { labels: labelsOfNew(ref, backup), annotations: {}, ownerReferences: isAtHome ? [owner] : [] };
}

function olmLabels({ labels }: MarkedObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => isOlmLabel(key)));
}

/** Of an object that Slipway made: rights, and webhook configurations, which OLM finds by the name in the bundle. */
function labelsOfNew(ref: ObjectRef, { operator }: Backup): Readonly<Record<string, string>> {
  const { namespace, csv: name, package: packageName } = operator;
  const isCopy = ref.namespace !== undefined && ref.namespace !== namespace;
  const owner = {
    [OLM_LABEL.owner]: name,
    [OLM_LABEL.ownerKind]: OLM.csv.kind,
    [OLM_LABEL.ownerNamespace]: isCopy ? (ref.namespace ?? '') : namespace,
    ...(isCopy && { [OLM_LABEL.copiedFrom]: namespace }),
  };
  const isWebhook = /^(?:Mutating|Validating)WebhookConfiguration$/.test(ref.kind);
  return {
    [OLM_LABEL.managed]: 'true',
    ...(!isCopy && !isWebhook && { [componentLabel(packageName, namespace)]: '' }),
    ...owner,
    ...(isWebhook && { 'olm.webhook-description-generate-name': ref.name }),
  };
}

/** Whether OLM would recognize the object, and Slipway would not. */
export function hasMarks({ metadata }: KubeObject, marks: Marks): boolean {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const slipways = { ...slipwaysOf(labels), ...slipwaysOf(annotations) };
  return (
    Object.keys(slipways).length === 0 &&
    Object.entries(marks.labels).every(([key, value]) => labels[key] === value) &&
    marks.ownerReferences.every(({ uid }) => ownerReferences.some((one) => one.uid === uid))
  );
}

/**
 * Whether the object is one of Slipway's Subscription, or OLM's already: not one that another Subscription has taken over, or that another
 * program made again under the name.
 *
 * @param marks Those that it is to have.
 */
export function isOfOperator(object: KubeObject, { operator, adoptedBy }: Backup, marks: Marks): boolean {
  const { labels = {}, annotations = {} } = object.metadata;
  const holder = annotations[ANNOTATION.owner] ?? annotations[ANNOTATION.adoptBy];
  if (holder !== undefined) return holder === `${operator.namespace}/${adoptedBy}`;
  const given = Object.entries(marks.labels);
  return given.length > 0 && given.every(([key, value]) => labels[key] === value);
}

/** The merge patch that gives an object the marks of OLM and takes those of Slipway off; bound to the version that was read. */
export function handBack({ metadata }: KubeObject, marks: Marks): Readonly<Record<string, unknown>> {
  const { resourceVersion, labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const others = ownerReferences.filter((one) => !marks.ownerReferences.some(({ uid }) => uid === one.uid));
  return {
    metadata: {
      resourceVersion,
      labels: { ...slipwaysOf(labels), ...marks.labels },
      annotations: { ...slipwaysOf(annotations), ...marks.annotations },
      ...(marks.ownerReferences.length > 0 && { ownerReferences: [...others, ...marks.ownerReferences] }),
    },
  };
}

function slipwaysOf(entries: Readonly<Record<string, string>>): Readonly<Record<string, null>> {
  const isOurs = ([key, value]: [string, string]): boolean =>
    key.startsWith(`${GROUP}/`) || (key === LABEL.managedBy && value === 'slipway');
  return Object.fromEntries(
    Object.entries(entries)
      .filter(isOurs)
      .map(([key]) => [key, null]),
  );
}
