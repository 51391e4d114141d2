/** Reads what OLM v0 has of one operator. Sends requests, decides nothing. */
import type { Cluster } from '../../api/cluster.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../api/untyped.ts';
import { OLM, OLM_LABEL, olmRef, type OlmOperator } from './kinds.ts';
import { propertiesIn } from './properties.ts';
import { csvNameParts, holderParts, neighbourParts, planParts } from './survey-parts.ts';

/** The objects of OLM that decide whether and how an operator is handed over. */
export interface OlmSurvey {
  readonly namespace: string;
  /** Name of OLM's Subscription, or of a ClusterServiceVersion without one. */
  readonly name: string;
  readonly subscription: KubeObject | undefined;
  /** Of a ClusterServiceVersion that was named: the Subscription that it is of all the same. */
  readonly holder?: string | undefined;
  /** Other Subscriptions of the namespace that have installed the same ClusterServiceVersion. */
  readonly rivals?: readonly string[];
  /** The installed ClusterServiceVersion. */
  readonly csv: KubeObject | undefined;
  /** All of the namespace, copies of other namespaces left out; of others than the installed one, the parts that are read. */
  readonly csvs: readonly KubeObject[];
  /** All of the namespace, without the manifests of their steps. */
  readonly installPlans: readonly KubeObject[];
  readonly operatorGroups: readonly KubeObject[];
  readonly operatorCondition: KubeObject | undefined;
  /** The copies of the ClusterServiceVersion in other namespaces. */
  readonly copies: readonly KubeObject[];
  /** `<namespace>/<name>` of all ClusterServiceVersions of the cluster that are no copies. */
  readonly living: ReadonlySet<string>;
}

/** Eight or nine requests. Of other namespaces only metadata are read, and no foreign copies: OLM copies each version. Throws the errors of the client. */
export async function surveyOperator(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { namespace, name, csv: knownCsv }: { readonly namespace: string; readonly name: string; readonly csv?: string },
  signal: AbortSignal,
): Promise<OlmSurvey> {
  const inNamespace = { namespace };
  const originals = { labelSelector: `!${OLM_LABEL.copiedFrom}` };
  const ofThisNamespace = {
    labelSelector: `${OLM_LABEL.copiedFrom}=${namespace}`,
    metadataOnly: true,
    keep: csvNameParts,
  };
  const subscription = await cluster.get(olmRef(OLM.subscription, namespace, name), signal);
  const installed = textOf(fieldsOf(subscription?.['status'])['installedCSV']);
  const csvName = knownCsv ?? (subscription === undefined ? name : installed);
  const csvParts = (csv: KubeObject): KubeObject => (csv.metadata.name === csvName ? csv : neighbourParts(csv));
  const [subscriptions, everyCsv, copies, csvsHere, installPlans, operatorGroups] = await Promise.all([
    cluster.list(OLM.subscription, { ...inNamespace, keep: holderParts }, signal),
    cluster.list(OLM.csv, { ...originals, metadataOnly: true, keep: csvNameParts }, signal),
    cluster.list(OLM.csv, ofThisNamespace, signal),
    cluster.list(OLM.csv, { ...originals, ...inNamespace, keep: csvParts }, signal),
    cluster.list(OLM.installPlan, { ...inNamespace, keep: planParts }, signal),
    cluster.list(OLM.operatorGroup, inNamespace, signal),
  ]);
  const living = everyCsv.filter((one) => copiedFrom(one) === undefined);
  const csvs = csvsHere.filter((one) => copiedFrom(one) === undefined);
  const isCopy = (one: KubeObject): boolean => copiedFrom(one) === namespace && one.metadata.name === csvName;
  const condition =
    csvName === '' ? undefined : await cluster.get(olmRef(OLM.operatorCondition, namespace, csvName), signal);
  const others = holdersOf(subscriptions, csvName).filter((other) => other !== name);
  const isNamed = subscription === undefined && knownCsv === undefined;
  const [holder] = isNamed ? others : [];
  return {
    namespace,
    name,
    subscription,
    ...(holder !== undefined && { holder }),
    rivals: isNamed ? [] : others,
    csv: csvs.find(({ metadata }) => metadata.name === csvName),
    csvs,
    installPlans,
    operatorGroups,
    operatorCondition: condition,
    copies: copies.filter(isCopy),
    living: new Set(living.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)),
  };
}

/** Names of the Subscriptions that have installed the ClusterServiceVersion. */
function holdersOf(subscriptions: readonly KubeObject[], csv: string): readonly string[] {
  if (csv === '') return [];
  const holders = subscriptions.filter(({ status }) => {
    const { installedCSV, currentCSV } = fieldsOf(status);
    return installedCSV === csv || currentCSV === csv;
  });
  return holders.map(({ metadata }) => metadata.name);
}

function copiedFrom({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[OLM_LABEL.copiedFrom];
}

/** Name of the package that OLM's Subscription asks for; without one, that of the ClusterServiceVersion. */
export function packageOf({ subscription, csv }: Pick<OlmSurvey, 'subscription' | 'csv'>): string {
  if (subscription !== undefined || csv === undefined) return textOf(fieldsOf(subscription?.['spec'])['name']);
  const own = propertiesIn(csv).find(({ type }) => type === 'olm.package');
  return textOf(fieldsOf(own?.value)['packageName']);
}

/** The Deployments of a ClusterServiceVersion, with their names and specs. */
export function publishedDeployments(csv: KubeObject | undefined): readonly Fields[] {
  const { install } = fieldsOf(csv?.['spec']);
  return listOf(fieldsOf(fieldsOf(install)['spec'])['deployments']);
}

/** The names of the surveyed operator. */
export function operatorOf(survey: Pick<OlmSurvey, 'namespace' | 'name' | 'subscription' | 'csv'>): OlmOperator {
  const { namespace, name, csv } = survey;
  return { namespace, subscription: name, package: packageOf(survey), csv: csv?.metadata.name ?? '' };
}
