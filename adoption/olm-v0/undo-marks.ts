/**
 * The marks by which OLM v0 recognizes the objects of an operator, for the way back. An object that OLM had made gets
 * those of the backup, one that Slipway made in place of it those that OLM gives to its kind. Pure.
 */
import { ANNOTATION, GROUP, LABEL } from '../../api/names.ts';
import type { KubeObject, ObjectRef, OwnerReference } from '../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import { identityOf } from '../../apply/identity.ts';
import type { Backup, MarkedObject } from './backup.ts';
import { componentLabel, OLM, OLM_LABEL } from './kinds.ts';

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
  if (known !== undefined) return { ...known, labels: olmLabels(known), ownerReferences: isAtHome && isOwned(known) ? [owner] : [] }; // prettier-ignore
  return { labels: labelsOfNew(ref, backup), annotations: {}, ownerReferences: isAtHome ? [owner] : [] };
}

function olmLabels({ labels }: MarkedObject): Readonly<Record<string, string>> {
  const own = Object.entries(labels).filter(
    ([key]) => key.startsWith('olm.') || key.startsWith('operators.coreos.com/'),
  );
  return Object.fromEntries(own);
}

function isOwned({ ownerReferences }: MarkedObject): boolean {
  return ownerReferences.some(({ kind }) => kind === OLM.csv.kind);
}

/** Of an object that Slipway made: rights, and webhook configurations, which OLM finds by the name in the bundle. */
function labelsOfNew(ref: ObjectRef, { operator, csv }: Backup): Readonly<Record<string, string>> {
  const { namespace, csv: name, package: packageName } = operator;
  const isCopy = ref.namespace !== undefined && ref.namespace !== namespace;
  const owner = {
    [OLM_LABEL.owner]: name,
    [OLM_LABEL.ownerKind]: OLM.csv.kind,
    [OLM_LABEL.ownerNamespace]: isCopy ? (ref.namespace ?? '') : namespace,
    ...(isCopy && { [OLM_LABEL.copiedFrom]: namespace }),
  };
  const webhook = webhookOf(ref, csv);
  return {
    [OLM_LABEL.managed]: 'true',
    ...(!isCopy && webhook === undefined && { [componentLabel(packageName, namespace)]: '' }),
    ...owner,
    ...(webhook !== undefined && { 'olm.webhook-description-generate-name': webhook }),
  };
}

function webhookOf({ kind, name }: ObjectRef, csv: KubeObject): string | undefined {
  if (!/^(?:Mutating|Validating)WebhookConfiguration$/.test(kind)) return undefined;
  const names = listOf(fieldsOf(csv['spec'])['webhookdefinitions']).map(({ generateName }) => textOf(generateName));
  return names.find((one) => one === name) ?? name;
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
    key.startsWith(`${GROUP}/`) || key === ANNOTATION.owner || (key === LABEL.managedBy && value === 'slipway');
  return Object.fromEntries(
    Object.entries(entries)
      .filter(isOurs)
      .map(([key]) => [key, null]),
  );
}
