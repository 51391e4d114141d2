/** Reads what OLM v0 has of one operator. Sends requests, decides nothing. */
import type { Cluster } from '../../api/cluster.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { OLM, OLM_LABEL, olmRef, type OlmOperator } from './kinds.ts';

/** The objects of OLM that decide whether and how an operator is handed over. */
export interface OlmSurvey {
  readonly namespace: string;
  /** Name of OLM's Subscription. */
  readonly name: string;
  readonly subscription: KubeObject | undefined;
  /** The installed ClusterServiceVersion. */
  readonly csv: KubeObject | undefined;
  /** All of the namespace, copies of other namespaces left out. */
  readonly csvs: readonly KubeObject[];
  /** All of the namespace. */
  readonly installPlans: readonly KubeObject[];
  readonly operatorGroups: readonly KubeObject[];
  readonly operatorCondition: KubeObject | undefined;
  /** The copies of the ClusterServiceVersion in other namespaces. */
  readonly copies: readonly KubeObject[];
  /** `<namespace>/<name>` of all ClusterServiceVersions of the cluster that are no copies. */
  readonly living: ReadonlySet<string>;
}

/** Six requests. Of other namespaces only metadata are read: OLM copies each version. Throws the errors of the client. */
export async function surveyOperator(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { namespace, name, csv: knownCsv }: { readonly namespace: string; readonly name: string; readonly csv?: string },
  signal: AbortSignal,
): Promise<OlmSurvey> {
  const inNamespace = { namespace };
  const [subscription, everyCsv, csvsHere, installPlans, operatorGroups] = await Promise.all([
    cluster.get(olmRef(OLM.subscription, namespace, name), signal),
    cluster.list(OLM.csv, { metadataOnly: true }, signal),
    cluster.list(OLM.csv, inNamespace, signal),
    cluster.list(OLM.installPlan, inNamespace, signal),
    cluster.list(OLM.operatorGroup, inNamespace, signal),
  ]);
  const csvName = knownCsv ?? textOf(fieldsOf(subscription?.['status'])['installedCSV']);
  const originals = everyCsv.filter((one) => copiedFrom(one) === undefined);
  const csvs = csvsHere.filter((one) => copiedFrom(one) === undefined);
  const isCopy = (one: KubeObject): boolean => copiedFrom(one) === namespace && one.metadata.name === csvName;
  const condition =
    csvName === '' ? undefined : await cluster.get(olmRef(OLM.operatorCondition, namespace, csvName), signal);
  return {
    namespace,
    name,
    subscription,
    csv: csvs.find(({ metadata }) => metadata.name === csvName),
    csvs,
    installPlans,
    operatorGroups,
    operatorCondition: condition,
    copies: everyCsv.filter(isCopy),
    living: new Set(originals.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)),
  };
}

function copiedFrom({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[OLM_LABEL.copiedFrom];
}

/** Name of the package that OLM's Subscription asks for. */
export function packageOf({ subscription }: Pick<OlmSurvey, 'subscription'>): string {
  return textOf(fieldsOf(subscription?.['spec'])['name']);
}

/** The names of the surveyed operator. */
export function operatorOf(survey: Pick<OlmSurvey, 'namespace' | 'name' | 'subscription' | 'csv'>): OlmOperator {
  const { namespace, name, csv } = survey;
  return { namespace, subscription: name, package: packageOf(survey), csv: csv?.metadata.name ?? '' };
}
