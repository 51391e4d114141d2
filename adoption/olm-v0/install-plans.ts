/** The InstallPlans of an operator of OLM v0: those that wait for approval, those of it alone, and those with others. Pure. */
import { refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { fieldsOf, itemsOf, textOf } from '../../api/untyped.ts';
import { componentLabel, type OlmOperator } from './kinds.ts';
import type { OlmSurvey } from './survey.ts';

/** The plans of an upgrade that waits for approval: OLM has done nothing of them. None once a person has approved one. */
export function pendingPlans({
  subscription,
  installPlans,
}: Pick<OlmSurvey, 'subscription' | 'installPlans'>): readonly KubeObject[] {
  const { installedCSV, currentCSV } = fieldsOf(subscription?.['status']);
  if (textOf(currentCSV) === '' || textOf(currentCSV) === textOf(installedCSV)) return [];
  const plans = installPlans.filter((plan) => namesIn(plan).includes(textOf(currentCSV)));
  return plans.every(isUnapproved) ? plans : [];
}

/**
 * The plan of the installed version that OLM still carries out: it writes the objects again whose writes it has not noted,
 * CRDs without their conversion, even if the version has succeeded meanwhile.
 */
export function planInProgress({ csv, installPlans }: Pick<OlmSurvey, 'csv' | 'installPlans'>): KubeObject | undefined {
  return installPlans.find(
    (plan) => namesIn(plan).includes(csv?.metadata.name ?? '') && fieldsOf(plan['status'])['phase'] === 'Installing',
  );
}

function isUnapproved(plan: KubeObject): boolean {
  return fieldsOf(plan['spec'])['approved'] !== true;
}

/** The other ClusterServiceVersions that a plan which waits for approval would install. */
export function sharersOf(survey: Pick<OlmSurvey, 'subscription' | 'installPlans'>): readonly string[] {
  const { currentCSV } = fieldsOf(survey.subscription?.['status']);
  const names = pendingPlans(survey).flatMap(namesIn);
  return [...new Set(names)].filter((name) => name !== textOf(currentCSV));
}

function namesIn(plan: KubeObject): readonly string[] {
  return itemsOf(fieldsOf(plan['spec'])['clusterServiceVersionNames']).map(textOf);
}

export interface PlansOfOperator {
  /** Only this operator was installed by them: they are deleted. */
  readonly own: readonly ObjectRef[];
  /** They list objects of others too. While they have the operator's label, OLM makes its Operator object again. */
  readonly shared: readonly ObjectRef[];
}

/** The plans that the label of the operator is on, or that name one of its ClusterServiceVersions. */
export function plansOf(
  { installPlans, csvs }: Pick<OlmSurvey, 'installPlans' | 'csvs'>,
  { csv, package: packageName, namespace }: OlmOperator,
): PlansOfOperator {
  const label = componentLabel(packageName, namespace);
  const living = new Set(csvs.map(({ metadata }) => metadata.name).filter((name) => name !== csv));
  const isLabelled = ({ metadata }: KubeObject): boolean => label in (metadata.labels ?? {});
  const isOfOthers = (plan: KubeObject): boolean =>
    namesIn(plan).some((name) => living.has(name)) || (isUnapproved(plan) && namesIn(plan).length > 1);
  const concerned = installPlans.filter((plan) => isLabelled(plan) || namesIn(plan).includes(csv));
  return {
    own: concerned.filter((plan) => !isOfOthers(plan)).map(refOf),
    shared: concerned.filter((plan) => isOfOthers(plan) && isLabelled(plan)).map(refOf),
  };
}
