/** The operators of OLM v0 in a cluster, and the one that is handed over next. */
import { backupsOf } from '../../../adoption/olm-v0/backup.ts';
import { gather } from '../../../adoption/olm-v0/gather.ts';
import { OLM } from '../../../adoption/olm-v0/kinds.ts';
import { nextStep } from '../../../adoption/olm-v0/steps.ts';
import { packageOf, surveyOperator, type OlmSurvey } from '../../../adoption/olm-v0/survey.ts';
import { judgeOperator, type Verdict } from '../../../adoption/olm-v0/verdict.ts';
import type { Cluster, ListOptions } from '../../../api/cluster.ts';
import { fieldsOf, textOf } from '../../../api/untyped.ts';

/** One operator of OLM in a list. */
export interface OperatorRow {
  readonly namespace: string;
  readonly name: string;
  readonly package: string;
  readonly installed: string;
  readonly state: Verdict['kind'];
  readonly message: string;
  /** Names that `adopt catalogs` gives to the Catalog of its CatalogSource. */
  readonly sources: readonly string[];
}

interface ListedOperators {
  readonly options: ListOptions;
  readonly signal: AbortSignal;
}

/** One row for each Subscription of OLM. Throws the errors of the client. */
export async function listRows(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { options, signal }: ListedOperators,
): Promise<readonly OperatorRow[]> {
  const subscriptions = await cluster.list(OLM.subscription, options, signal);
  const rows: OperatorRow[] = [];
  for (const { metadata } of subscriptions) {
    const target = { namespace: metadata.namespace ?? '', name: metadata.name };
    rows.push(rowOf(await surveyOperator(cluster, target, signal)));
  }
  return rows;
}

function rowOf(survey: OlmSurvey): OperatorRow {
  const verdict = judgeOperator(survey);
  const { source, sourceNamespace } = fieldsOf(survey.subscription?.['spec']);
  return {
    namespace: survey.namespace,
    name: survey.name,
    package: packageOf(survey),
    installed: textOf(fieldsOf(survey.subscription?.['status'])['installedCSV']),
    state: verdict.kind,
    message: verdict.kind === 'ready' ? verdict.notes.join('; ') : verdict.message,
    sources: [`${textOf(source)}-${textOf(sourceNamespace)}`, textOf(source)],
  };
}

/**
 * The operator to hand over next: one whose hand-over has begun, else the first that is ready or becomes so by waiting;
 * and those that are refused. Throws the errors of the client.
 */
export async function nextOperator(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { options, kept, signal }: ListedOperators & { readonly kept: string },
): Promise<{
  readonly next: Pick<OperatorRow, 'namespace' | 'name' | 'sources'> | undefined;
  readonly rest: readonly OperatorRow[];
}> {
  for (const name of await backupsOf(cluster, kept, signal)) {
    if (options.namespace !== undefined && options.namespace !== name.namespace) continue;
    const { state, backup } = await gather(cluster, name, signal);
    if (backup?.stage !== 'HandingOver') continue;
    if (nextStep(state) !== 'Done')
      return { next: { namespace: name.namespace, name: name.subscription, sources: [] }, rest: [] };
  }
  const rows = await listRows(cluster, { options, signal });
  const next = rows.find(({ state }) => state === 'ready') ?? rows.find(({ state }) => state === 'wait');
  return { next, rest: rows };
}
