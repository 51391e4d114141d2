/** `slipway adopt plan --from olm-v1`: whether operators of OLM v1 can be handed over, and the effects. */
import { surveyExtension } from '../../../../adoption/olm-v1/gather.ts';
import { translateExtension, type Translation } from '../../../../adoption/olm-v1/translate.ts';
import { installedBundle } from '../../../../adoption/olm-v1/extension.ts';
import { judgeExtension } from '../../../../adoption/olm-v1/verdict.ts';
import { describeRef, refOf } from '../../../../api/object.ts';
import { formatYaml } from '../../../../report/data.ts';
import { outcomeOf } from '../../admin/print.ts';
import type { Environment } from '../../environment.ts';
import { withCluster, type Connection } from '../../input/connection.ts';
import type { Outcome } from '../../outcome.ts';
import { formatTable } from '../../output/table.ts';
import type { AdoptPlanFlags } from '../plan.ts';
import { sourcesOf } from '../published.ts';
import { listRows } from './extensions.ts';
import { obstacleOf } from './obstacle.ts';

export async function planExtensions(
  environment: Environment,
  name: string | undefined,
  flags: AdoptPlanFlags,
): Promise<Outcome> {
  const { signal, columns } = environment;
  return withCluster(environment, flags, async (connection) =>
    name === undefined
      ? list(connection, flags.output, { signal, columns })
      : planOne({ environment, connection }, name, { ...flags, signal }),
  );
}

const HEADER = ['NAME', 'NAMESPACE', 'PACKAGE', 'INSTALLED', 'STATE', 'MESSAGE'];

async function list(
  { client }: Connection,
  output: string,
  { signal, columns }: { readonly signal: AbortSignal; readonly columns?: number | undefined },
): Promise<Outcome> {
  const rows = await listRows(client, signal);
  const cells = rows.map((row) => [row.name, row.namespace, row.package, row.installed, row.state, row.message]);
  const text = rows.length === 0 ? 'OLM v1 has no ClusterExtensions here\n' : formatTable(HEADER, cells, columns);
  return outcomeOf({ operators: rows }, text, output, rows.some(({ state }) => state === 'refused') ? 2 : 0);
}

async function planOne(
  { environment, connection }: { readonly environment: Environment; readonly connection: Connection },
  name: string,
  flags: AdoptPlanFlags & { readonly signal: AbortSignal },
): Promise<Outcome> {
  const survey = await surveyExtension(connection.client, name, flags.signal);
  const verdict = judgeExtension(survey);
  if (verdict.kind !== 'ready') {
    const { kind: state, reason, message } = verdict;
    return outcomeOf({ name, state, reason, message }, `ClusterExtension ${name}: ${message}\n`, flags.output, 2);
  }
  const wanted = translateExtension(survey, {
    name: flags.name ?? name,
    ...(flags.catalog !== undefined && { catalog: flags.catalog }),
  });
  const sources = await sourcesOf(environment, connection, flags);
  const message = await obstacleOf(wanted.manifest, installedBundle(survey.extension).name, sources);
  if (message !== undefined)
    return outcomeOf({ name, state: 'refused', message }, `ClusterExtension ${name}: ${message}\n`, flags.output, 2);
  const data = {
    name,
    state: verdict.kind,
    subscription: wanted.manifest,
    ...(wanted.range !== undefined && { versionAfterwards: wanted.range }),
    objects: survey.objects.map((object) => describeRef(refOf(object))),
    notes: verdict.notes,
  };
  return outcomeOf(data, printPlan(data, wanted), flags.output);
}

function printPlan(
  {
    name,
    objects,
    notes,
  }: { readonly name: string; readonly objects: readonly string[]; readonly notes: readonly string[] },
  { manifest, range = 'any' }: Translation,
): string {
  const block = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
  return [
    `ClusterExtension ${name} can be handed over\n`,
    block('Created:', formatYaml([manifest]).trimEnd().split('\n')),
    block('Versions once it is handed over:', [range]),
    block('Handed over:', objects),
    block('Deleted, with a backup in a Secret:', [`ClusterExtension.olm.operatorframework.io ${name}`]),
    block('Notes:', notes),
  ].join('');
}
