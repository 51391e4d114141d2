/** The operators of OLM v0 in a cluster, and the one that is handed over next. */
import { backupsOf } from '../../../adoption/olm-v0/backup.ts';
import { gather } from '../../../adoption/olm-v0/gather.ts';
import { OLM, OLM_LABEL } from '../../../adoption/olm-v0/kinds.ts';
import { nextStep } from '../../../adoption/olm-v0/steps.ts';
import { packageOf, surveyOperator, type OlmSurvey } from '../../../adoption/olm-v0/survey.ts';
import { judgeOperator, type Verdict } from '../../../adoption/olm-v0/verdict.ts';
import type { Cluster, ListOptions } from '../../../api/cluster.ts';
import { fieldsOf, textOf } from '../../../api/untyped.ts';
import type { ObjectTarget } from '../admin/objects.ts';
import { firstOf, type Upcoming } from './run-all.ts';

/** One operator of OLM in a list. */
export interface OperatorRow {
  readonly namespace: string;
  readonly name: string;
  readonly package: string;
  readonly installed: string;
  readonly state: Verdict['kind'];
  readonly message: string;
  /** The ClusterServiceVersions of its namespace that are handed over before. */
  readonly after: readonly string[];
  /** Names that `adopt catalogs` gives to the Catalog of its CatalogSource. */
  readonly sources: readonly string[];
}

interface ListedOperators {
  readonly options: ListOptions;
  readonly signal: AbortSignal;
}

/**
 * One row for each Subscription of OLM and each ClusterServiceVersion without one, an operator after those that require
 * it. Throws the errors of the client.
 */
export async function listRows(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { options, signal }: ListedOperators,
): Promise<readonly OperatorRow[]> {
  const rows: OperatorRow[] = [];
  for (const target of await targetsOf(cluster, { options, signal }))
    rows.push(rowOf(await surveyOperator(cluster, target, signal)));
  return inOrder(rows);
}

async function targetsOf(
  cluster: Pick<Cluster, 'list'>,
  { options, signal }: ListedOperators,
): Promise<readonly ObjectTarget[]> {
  const labelSelector = `!${OLM_LABEL.copiedFrom}`;
  const [subscriptions, csvs] = await Promise.all([
    cluster.list(OLM.subscription, options, signal),
    cluster.list(OLM.csv, { ...options, labelSelector, metadataOnly: true }, signal),
  ]);
  const known = new Set(
    subscriptions.flatMap(({ metadata, status }) => {
      const { installedCSV, currentCSV } = fieldsOf(status);
      return [installedCSV, currentCSV].map((name) => `${metadata.namespace}/${textOf(name)}`);
    }),
  );
  const alone = csvs.filter(({ metadata: { namespace, name, labels = {}, deletionTimestamp } }) => {
    const isCopy = OLM_LABEL.copiedFrom in labels;
    return !isCopy && deletionTimestamp === undefined && name !== PART_OF_OLM && !known.has(`${namespace}/${name}`);
  });
  return [...subscriptions, ...alone].map(({ metadata: { namespace = '', name } }) => ({ namespace, name }));
}

/** OLM's own, which goes with OLM. */
const PART_OF_OLM = 'packageserver';

/** An operator comes after those that require it; those of a circle are refused, and wait for none. */
function inOrder(rows: readonly OperatorRow[]): readonly OperatorRow[] {
  const left = new Set(rows);
  const ordered: OperatorRow[] = [];
  while (left.size > 0) {
    const isNext = (row: OperatorRow): boolean =>
      ![...left].some((other) => other.namespace === row.namespace && row.after.includes(other.installed));
    const next = [...left].find(isNext) ?? [...left][0]!;
    left.delete(next);
    ordered.push(next);
  }
  return ordered;
}

function rowOf(survey: OlmSurvey): OperatorRow {
  const verdict = judgeOperator(survey);
  const { source, sourceNamespace } = fieldsOf(survey.subscription?.['spec']);
  return {
    namespace: survey.namespace,
    name: survey.name,
    package: packageOf(survey),
    installed: survey.csv?.metadata.name ?? '',
    after: verdict.kind === 'after' ? verdict.after : [],
    state: verdict.kind,
    message: verdict.kind === 'ready' ? verdict.notes.join('; ') : verdict.message,
    sources: [`${textOf(source)}-${textOf(sourceNamespace)}`, textOf(source)],
  };
}

/**
 * The operator to hand over next: one whose hand-over has begun, else the first that is ready or becomes so by waiting,
 * and was not refused; and all that OLM has. Throws the errors of the client.
 */
export async function nextOperator(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { options, kept, signal }: ListedOperators & { readonly kept: string },
  isRefused: (row: OperatorRow) => boolean,
): Promise<Upcoming<Pick<OperatorRow, 'namespace' | 'name' | 'sources'>, OperatorRow>> {
  for (const name of await backupsOf(cluster, kept, signal)) {
    if (options.namespace !== undefined && options.namespace !== name.namespace) continue;
    const { state, backup } = await gather(cluster, name, signal);
    if (backup?.stage !== 'HandingOver') continue;
    if (nextStep(state) !== 'Done')
      return { next: { namespace: name.namespace, name: name.subscription, sources: [] }, hasBegun: true, rest: [] };
  }
  const rows = await listRows(cluster, { options, signal });
  return { next: firstOf(rows, isRefused), hasBegun: false, rest: rows };
}
