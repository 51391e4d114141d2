/**
 * The marks that OLM v0 leaves on the objects of an operator, and the patch that takes them off. All marks of an object
 * go in one write: OLM ends and starts again without end for a CRD that has lost `olm.managed` and still names the
 * ClusterServiceVersion that it came with. Pure.
 */
import { ANNOTATION } from '../../api/names.ts';
import { refOf, type KubeObject, type ObjectRef, type OwnerReference } from '../../api/object.ts';
import { identityOf } from '../../apply/identity.ts';
import { componentLabel, INSTALLED_ALONGSIDE, OLM_LABEL, type OlmOperator } from './kinds.ts';

/** How an object is connected with the operator. */
export type Tie =
  /** It names the ClusterServiceVersion, or the package, or the InstallPlan created it. */
  | { readonly kind: 'own' }
  /** It names this operator and another one. */
  | { readonly kind: 'shared'; readonly with: string }
  | { readonly kind: 'none' };

/** Facts beyond the object that decide whom it belongs to. */
export interface TieFacts {
  readonly operator: OlmOperator;
  /** Identities of the objects that the InstallPlan of the operator created, and of those with a name that follows from it. */
  readonly planned: ReadonlySet<string>;
  /** Those of them in other namespaces whose names follow from a Deployment's, so that they may be of another operator. */
  readonly derived: readonly ObjectRef[];
  /** Those of the operator and of its OperatorGroup. */
  readonly namespaces: readonly string[];
  /** `<namespace>/<name>` of the ClusterServiceVersions of the cluster: a CRD may name some that are gone. */
  readonly living: ReadonlySet<string>;
}

/** Whether a live object belongs to the operator. */
export function tieOf(object: KubeObject, facts: TieFacts): Tie {
  const { operator, planned } = facts;
  const { labels = {} } = object.metadata;
  if (belongsToCondition(object)) return { kind: 'none' };
  const component = componentLabel(operator.package, operator.namespace);
  const isNamed = component in labels || namesCsv(object, facts) || planned.has(identityOf(refOf(object)));
  if (!isNamed) return { kind: 'none' };
  const other = otherOwner(object, facts, component);
  return other === undefined ? { kind: 'own' } : { kind: 'shared', with: other };
}

/** The rights on an OperatorCondition follow it, and are created again with it. */
function belongsToCondition({ metadata: { ownerReferences = [] } }: KubeObject): boolean {
  return ownerReferences.some(({ kind }) => kind === 'OperatorCondition');
}

function namesCsv({ metadata }: KubeObject, { operator, living }: TieFacts): boolean {
  const { csv, namespace } = operator;
  const { labels = {}, ownerReferences = [] } = metadata;
  if (metadata.namespace === namespace && ownerReferences.some((one) => isCsv(one) && one.name === csv)) return true;
  if (labels[OLM_LABEL.owner] !== csv) return false;
  const home = labels[OLM_LABEL.copiedFrom] ?? labels[OLM_LABEL.ownerNamespace];
  // A ClusterRole of a bundle names no namespace: it is ours only if no other one has a version of that name.
  const isOfOthers = [...living].some((one) => one.endsWith(`/${csv}`) && one !== `${namespace}/${csv}`);
  return home === undefined ? !isOfOthers : home === namespace;
}

/** Whether an owner is a ClusterServiceVersion. */
export function isCsv({ kind, apiVersion }: OwnerReference): boolean {
  return kind === 'ClusterServiceVersion' && apiVersion.startsWith('operators.coreos.com/');
}

function otherOwner({ metadata }: KubeObject, { operator, living }: TieFacts, component: string): string | undefined {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const other = Object.keys(labels).find((key) => key.startsWith('operators.coreos.com/') && key !== component);
  if (other !== undefined) return `package ${other.slice('operators.coreos.com/'.length)}`;
  const owner = labels[OLM_LABEL.owner];
  const isOfCsv = (labels[OLM_LABEL.ownerKind] ?? 'ClusterServiceVersion') === 'ClusterServiceVersion';
  if (owner !== undefined && owner !== operator.csv && isOfCsv) return `ClusterServiceVersion ${owner}`;
  const alongside = Object.entries(annotations)
    .filter(([key]) => key.startsWith(INSTALLED_ALONGSIDE))
    .map(([, value]) => value)
    .find((value) => value !== `${operator.namespace}/${operator.csv}` && living.has(value));
  if (alongside !== undefined) return `ClusterServiceVersion ${alongside}`;
  const holder = ownerReferences.find((one) => isCsv(one) && one.name !== operator.csv);
  return holder === undefined ? undefined : `ClusterServiceVersion ${holder.name}`;
}

/** Whether OLM still recognizes the object as one of a ClusterServiceVersion. */
export function isMarked({ metadata }: KubeObject): boolean {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  return (
    Object.keys(labels).some(isOlmLabel) ||
    Object.keys(annotations).some((key) => key.startsWith(INSTALLED_ALONGSIDE)) ||
    ownerReferences.some(isCsv)
  );
}

/** Whether the annotation is of the Operator Framework: a backup keeps these alone. */
export function isMarkOfFramework(key: string): boolean {
  return key.startsWith('operatorframework.io/');
}

/** Whether OLM gave the label. */
export function isOlmLabel(key: string): boolean {
  return key.startsWith('olm.') || key.startsWith('operators.coreos.com/');
}

/**
 * The merge patch that takes all marks of OLM off an object and hands it over to a Subscription of Slipway; bound to
 * the version that was read.
 *
 * @param adoptBy `<namespace>/<name>` of the Subscription.
 */
export function handOver(object: KubeObject, adoptBy: string): Readonly<Record<string, unknown>> {
  const { labels = {}, annotations = {}, ownerReferences, resourceVersion } = object.metadata;
  const absent = (keys: readonly string[]): Record<string, null> => Object.fromEntries(keys.map((key) => [key, null]));
  const alongside = Object.keys(annotations).filter((key) => key.startsWith(INSTALLED_ALONGSIDE));
  return {
    metadata: {
      resourceVersion,
      labels: absent(Object.keys(labels).filter(isOlmLabel)),
      annotations: { ...absent(alongside), [ANNOTATION.adoptBy]: adoptBy },
      ...(ownerReferences?.some(isCsv) === true && { ownerReferences: ownerReferences.filter((one) => !isCsv(one)) }),
    },
  };
}
