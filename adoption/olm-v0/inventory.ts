/** Finds the objects of an operator that OLM v0 installed: by labels, owner references, InstallPlans and names. */
import { CRD } from '../../api/crd-kind.ts';
import { isForbidden } from '../../api/api-answers.ts';
import type { Cluster } from '../../api/cluster.ts';
import { refOf, type Kind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { fieldsOf, itemsOf, listOf, textOf, type Fields } from '../../api/untyped.ts';
import { identityOf, knownScope } from '../../apply/identity.ts';
import { nameOnly, ownedParts } from '../../apply/listed-parts.ts';
import { OPTIONAL_KINDS, WORKING_KINDS } from '../kinds-of-bundles.ts';
import { OLM_LABEL, type OlmOperator } from './kinds.ts';
import { isMarked, isMarkOfFramework, tieOf, type Tie, type TieFacts } from './marks.ts';
import { publishedDeployments, type OlmSurvey } from './survey.ts';

/** The kinds that bundles contain, and those that OLM makes for them. */
const KINDS: readonly Kind[] = [
  ...WORKING_KINDS,
  CRD,
  { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
  ...OPTIONAL_KINDS,
];

export interface OlmInventory {
  /** Metadata only. */
  readonly own: readonly KubeObject[];
  /** Objects that name this operator and another one, with that one. */
  readonly shared: readonly { readonly object: KubeObject; readonly with: string }[];
}

/** One list for each kind. Throws the errors of the client. */
export async function collectInventory(
  cluster: Pick<Cluster, 'get' | 'list'>,
  facts: TieFacts,
  signal: AbortSignal,
): Promise<OlmInventory> {
  const derived = new Set(facts.derived.map(identityOf));
  const lists = await Promise.all(KINDS.map((kind) => listMarked(cluster, kind, facts, signal)));
  const listed = lists.flat().filter((object) => !derived.has(identityOf(refOf(object))));
  const read = await Promise.all(facts.derived.map((ref) => cluster.get(ref, signal)));
  const named = read.flatMap((one) =>
    one === undefined || !isMarked(one) || bindsOthers(one, facts.operator) ? [] : [one],
  );
  const tied = [...listed, ...named].map((object) => ({ object, tie: tieIn(object, facts) }));
  return {
    own: tied.flatMap(({ object, tie }) => (tie.kind === 'own' ? [object] : [])),
    shared: tied.flatMap(({ object, tie }) => (tie.kind === 'shared' ? [{ object, with: tie.with }] : [])),
  };
}

/** The tie of an object, wherever it is; that of a RoleBinding in kube-system is named by the Deployment. */
function tieIn(object: KubeObject, facts: TieFacts): Tie {
  return isPlaced(object, facts) || facts.derived.some((ref) => identityOf(ref) === identityOf(refOf(object)))
    ? tieOf(object, facts)
    : { kind: 'none' };
}

/** The name alone of objects of others: each user may have made many with the label, as large as the API server takes them. */
function markedParts(object: KubeObject, facts: TieFacts): KubeObject {
  if (tieIn(object, facts).kind === 'none') return nameOnly(object);
  return ownedParts(object, { labels: () => true, annotations: isMarkOfFramework });
}

/** The labels alone are no proof: each tenant can write them in namespaces with which the operator has nothing to do. */
function isPlaced({ metadata: { namespace } }: KubeObject, { namespaces }: Pick<TieFacts, 'namespaces'>): boolean {
  return namespace === undefined || namespaces.includes(namespace);
}

/** An account of a tenant may list in its own namespaces only, and has no objects of the operator elsewhere. */
async function listMarked(
  cluster: Pick<Cluster, 'list'>,
  kind: Kind,
  facts: TieFacts,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const keep = (object: KubeObject): KubeObject => markedParts(object, facts);
  const options = { labelSelector: `${OLM_LABEL.managed}=true`, metadataOnly: true, keep };
  try {
    return await cluster.list(kind, options, signal);
  } catch (error) {
    if (!isForbidden(error) || knownScope(kind) === 'Cluster') throw error;
    const lists = facts.namespaces.map((namespace) => cluster.list(kind, { ...options, namespace }, signal));
    return (await Promise.all(lists)).flat();
  }
}

/** A RoleBinding in another namespace that carries no name of an operator. */
function isDerived({ kind, metadata }: KubeObject, { namespace }: OlmOperator): boolean {
  const isElsewhere = metadata.namespace !== undefined && metadata.namespace !== namespace;
  return kind === 'RoleBinding' && isElsewhere && !(OLM_LABEL.owner in (metadata.labels ?? {}));
}

/** Whether a RoleBinding that OLM has made for operators of one name binds an account of another namespace. Pure. */
export function bindsOthers(binding: KubeObject, operator: OlmOperator): boolean {
  return (
    isDerived(binding, operator) &&
    listOf(binding['subjects']).some(({ namespace }) => namespace !== operator.namespace)
  );
}

/** The facts that decide which objects belong to the operator, from a survey. Pure. */
export function tieFactsOf(survey: OlmSurvey, operator: OlmOperator): TieFacts {
  const derived = derivedFrom(survey.csv);
  const planned = [...plannedBy(survey, operator.csv), ...derived];
  const namespaces = [...new Set([operator.namespace, ...targetsOf(survey)])];
  return { operator, planned: new Set(planned.map(identityOf)), derived, living: survey.living, namespaces };
}

/** The namespaces that the operator watches; none if it watches all, as its rights are of the cluster then. */
function targetsOf({ operatorGroups: [group] }: OlmSurvey): readonly string[] {
  const namespaces = itemsOf(fieldsOf(group?.['status'])['namespaces']).map(textOf);
  return namespaces.includes('') ? [] : namespaces;
}

/** The objects that the InstallPlan of the ClusterServiceVersion created. */
function plannedBy({ installPlans, namespace }: OlmSurvey, csv: string): readonly ObjectRef[] {
  const steps = installPlans.flatMap((plan) => listOf(fieldsOf(plan['status'])['plan']));
  return steps
    .filter(({ resolving }) => resolving === csv)
    .map(({ resource }) => fieldsOf(resource))
    .filter(({ group }) => group !== 'operators.coreos.com')
    .map((resource) => {
      const [kind, name] = ['kind', 'name'].map((key) => textOf(resource[key]));
      const ref = { apiVersion: apiVersionIn(resource), kind: `${kind}`, name: `${name}` };
      return knownScope(ref) === 'Cluster' ? ref : { ...ref, namespace };
    });
}

/** OLM leaves group and version of a ClusterRole of a bundle out, which then names no operator anywhere else. */
function apiVersionIn({ group, version, kind }: Fields): string {
  if (textOf(version) === '') return KINDS.find((one) => one.kind === kind)?.apiVersion ?? 'v1';
  return textOf(group) === '' ? textOf(version) : `${textOf(group)}/${textOf(version)}`;
}

/** The RoleBinding in kube-system of an operator that the API server calls, which names none: its name follows from the Deployment's. */
function derivedFrom(csv: KubeObject | undefined): readonly ObjectRef[] {
  const { apiservicedefinitions, webhookdefinitions } = fieldsOf(csv?.['spec']);
  const called = [...listOf(fieldsOf(apiservicedefinitions)['owned']), ...listOf(webhookdefinitions)];
  if (called.length === 0) return [];
  return publishedDeployments(csv).map(({ name }) => {
    const service = `${textOf(name).replaceAll('.', '-')}-service`;
    const rbac = 'rbac.authorization.k8s.io/v1';
    return { apiVersion: rbac, kind: 'RoleBinding', namespace: 'kube-system', name: `${service}-auth-reader` };
  });
}
