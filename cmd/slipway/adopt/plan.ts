/** `slipway adopt plan`: whether operators of OLM can be handed over, and the effects. */
import { noteOfDeclaration } from '../../../adoption/from-git.ts';
import { collectInventory, tieFactsOf } from '../../../adoption/olm-v0/inventory.ts';
import { operatorOf, surveyOperator, type OlmSurvey } from '../../../adoption/olm-v0/survey.ts';
import type { Translation } from '../../../adoption/olm-v0/translate.ts';
import { judgeOperator } from '../../../adoption/olm-v0/verdict.ts';
import { describeRef, refOf, type KubeObject } from '../../../api/object.ts';
import { parseTarget, type ObjectTarget } from '../admin/objects.ts';
import { outcomeOf } from '../admin/print.ts';
import type { Environment } from '../environment.ts';
import type { OutputFlags } from '../flags.ts';
import { withCluster, type Connection, type KubeFlags } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { formatYaml } from '../../../report/data.ts';
import { formatTable } from '../output/table.ts';
import { listRows, type OperatorRow } from './operators.ts';
import type { TrialRestart } from '../../../controllers/hand-over-trial.ts';
import type { Overwritten } from '../../../controllers/overwritten.ts';
import { overwrittenOf } from './overwritten.ts';
import { findPublished, sourcesOf, type PublishedFlags } from './published.ts';
import { caveatOf, restartsOf } from './restarts.ts';
import { wantedFor, type WantedFlags } from './wanted.ts';

export interface AdoptPlanFlags extends KubeFlags, OutputFlags, WantedFlags, PublishedFlags {
  readonly allNamespaces?: boolean;
}

export async function planAdoption(
  environment: Environment,
  name: string | undefined,
  flags: AdoptPlanFlags,
): Promise<Outcome> {
  const { signal, columns } = environment;
  return withCluster(environment, flags, async (connection) =>
    name === undefined
      ? listOperators(connection, { ...flags, signal, columns })
      : planOne(environment, connection, parseTarget(name, connection.namespace), flags),
  );
}

interface OperatorListFlags extends AdoptPlanFlags {
  readonly signal: AbortSignal;
  readonly columns?: number | undefined;
}

async function listOperators({ client, namespace }: Connection, flags: OperatorListFlags): Promise<Outcome> {
  const options = flags.allNamespaces === true ? {} : { namespace };
  const rows = await listRows(client, { options, signal: flags.signal });
  const hasRefused = rows.some(({ state }) => state === 'refused');
  return outcomeOf({ operators: rows }, printRows(rows, flags.columns), flags.output, hasRefused ? 2 : 0);
}

const HEADER = ['NAMESPACE', 'NAME', 'PACKAGE', 'INSTALLED', 'STATE', 'MESSAGE'];

function printRows(rows: readonly OperatorRow[], columns: number | undefined): string {
  if (rows.length === 0) return 'OLM has no Subscriptions here; -A lists those of all namespaces\n';
  const cells = rows.map((row) => [row.namespace, row.name, row.package, row.installed, row.state, row.message]);
  return formatTable(HEADER, cells, columns);
}

async function planOne(
  environment: Environment,
  connection: Connection,
  target: ObjectTarget,
  flags: AdoptPlanFlags,
): Promise<Outcome> {
  const { client } = connection;
  const { signal } = environment;
  const survey = await surveyOperator(client, target, signal);
  const verdict = judgeOperator(survey);
  if (verdict.kind !== 'ready' && verdict.kind !== 'after') {
    const { kind: state, reason, message } = verdict;
    return outcomeOf(
      { ...target, state, reason, message },
      `${target.namespace}/${target.name}: ${message}\n`,
      flags.output,
      2,
    );
  }
  const wanted = await wantedFor(client, survey, { ...flags, signal });
  const sources = await sourcesOf(environment, connection, flags);
  const published = await findPublished(wanted.manifest, sources, survey.csv?.metadata.name);
  const { own, shared } = await collectInventory(client, tieFactsOf(survey, operatorOf(survey)), signal);
  const conflicts = [
    ...shared.map(({ object, with: other }) => `${describeRef(refOf(object))} belongs to ${other} too`),
    ...(published.kind === 'absent' ? [published.why] : []),
  ];
  const trial =
    survey.csv === undefined || conflicts.length > 0
      ? undefined
      : { csv: survey.csv, wanted: wanted.manifest, published, now: new Date(), signal };
  const restarts = trial === undefined ? [] : await restartsOf(client, trial);
  const overwritten = trial === undefined ? [] : await overwrittenOf(client, trial, own);
  const data = {
    ...target,
    state: conflicts.length > 0 ? 'refused' : verdict.kind,
    restarts,
    overwritten,
    after: verdict.kind === 'after' ? verdict.after : [],
    subscription: wanted.manifest,
    objects: own.map((object) => describeRef(refOf(object))),
    deleted: deletedWith(survey).map((object) => describeRef(refOf(object))),
    notes: [
      ...(verdict.kind === 'after' ? [verdict.message, ...declarationOf(survey)] : verdict.notes),
      ...wanted.dropped,
      ...caveatOf(published),
    ],
    conflicts,
  };
  return outcomeOf(
    data,
    printPlan(data, wanted),
    flags.output,
    conflicts.length + restarts.length + overwritten.length > 0 ? 2 : 0,
  );
}

/** The only note that counts for an operator that comes after others: taking it out of Git takes a person's time. */
function declarationOf({ subscription }: OlmSurvey): readonly string[] {
  const note = subscription && noteOfDeclaration(subscription);
  return note === undefined ? [] : [note];
}

/** The objects of OLM that go. */
function deletedWith({ subscription, csv, copies }: OlmSurvey): readonly KubeObject[] {
  return [subscription, csv, ...copies].filter((object) => object !== undefined);
}

interface PlannedAdoption {
  readonly namespace: string;
  readonly name: string;
  /** The ClusterServiceVersions that have to be handed over before. */
  readonly after: readonly string[];
  readonly restarts: readonly TrialRestart[];
  readonly overwritten: readonly Overwritten[];
  readonly objects: readonly string[];
  readonly deleted: readonly string[];
  readonly notes: readonly string[];
  readonly conflicts: readonly string[];
}

function reasonsOf({ fields, unknown, refused }: Overwritten): readonly string[] {
  return [
    ...fields,
    ...(unknown === undefined ? [] : [`it cannot be compared: ${unknown}`]),
    ...(refused === undefined ? [] : [`the API server refuses it as the bundle has it: ${refused}`]),
  ];
}

function printPlan(
  { namespace, name, after, restarts, overwritten, objects, deleted, notes, conflicts }: PlannedAdoption,
  wanted: Translation,
): string {
  const list = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
  return [
    conflicts.length > 0
      ? list(`${namespace}/${name} cannot be handed over:`, conflicts)
      : `${namespace}/${name} can be handed over${after.length === 0 ? '' : ` after ${after.join(', ')}`}; ${restarts.length === 0 ? 'no Pod is replaced' : 'Pods are replaced, for which --allow-restarts is needed'}\n`,
    list(
      'Pods are replaced of:',
      restarts.flatMap(({ deployment, why }) => [deployment, ...why.map((text) => `  ${text}`)]),
    ),
    list(
      'Set back to the manifests of the bundle, without a backup, for which --allow-overwrites is needed:',
      overwritten.flatMap((one) => [one.object, ...reasonsOf(one).map((text) => `  ${text}`)]),
    ),
    list('Created:', formatYaml([wanted.manifest]).trimEnd().split('\n')),
    list('Handed over:', objects),
    list('Deleted, with a backup in a Secret:', deleted),
    list('Notes:', notes),
  ].join('');
}
