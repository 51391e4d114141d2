/** The operators of OLM v1 in a cluster, each with its state. */
import { backupsOf } from '../../../../adoption/olm-v1/backup.ts';
import { gather, surveyExtension } from '../../../../adoption/olm-v1/gather.ts';
import { EXTENSION } from '../../../../adoption/olm-v1/kinds.ts';
import { catalogFilter, installedBundle } from '../../../../adoption/olm-v1/extension.ts';
import { goingBack, judgeExtension, type ExtensionSurvey, type Verdict } from '../../../../adoption/olm-v1/verdict.ts';
import type { Cluster } from '../../../../api/cluster.ts';
import { fieldsOf, textOf } from '../../../../api/untyped.ts';
import { firstOf, type Upcoming } from '../run-all.ts';

/** One ClusterExtension in a list. */
export interface ExtensionRow {
  readonly name: string;
  readonly namespace: string;
  readonly package: string;
  readonly installed: string;
  readonly state: Verdict['kind'];
  readonly message: string;
}

/** One row for each ClusterExtension. Throws the errors of the client. */
export async function listRows(
  cluster: Pick<Cluster, 'get' | 'list'>,
  signal: AbortSignal,
): Promise<readonly ExtensionRow[]> {
  const extensions = await cluster.list(EXTENSION, {}, signal);
  const names = extensions.map(({ metadata }) => metadata.name);
  return (await Promise.all(names.map((name) => surveyExtension(cluster, name, signal)))).map(rowOf);
}

function rowOf(survey: ExtensionSurvey): ExtensionRow {
  const { name, extension } = survey;
  const verdict = judgeExtension(survey);
  return {
    name,
    namespace: textOf(fieldsOf(extension?.['spec'])['namespace']),
    package: textOf(catalogFilter(extension)['packageName']),
    installed: installedBundle(extension).name,
    state: verdict.kind,
    message: verdict.kind === 'ready' ? verdict.notes.join('; ') : verdict.message,
  };
}

function onWayBack(row: ExtensionRow): ExtensionRow {
  return { ...row, state: 'refused', message: goingBack(row.name) };
}

/**
 * The ClusterExtension to hand over next: one whose hand-over has begun, else the first that is ready or becomes so by
 * waiting, and was not refused; and all that OLM has. Throws the errors of the client.
 */
export async function nextExtension(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { kept, signal }: { readonly kept: string; readonly signal: AbortSignal },
  isRefused: (row: ExtensionRow) => boolean,
): Promise<Upcoming<Pick<ExtensionRow, 'name'>, ExtensionRow>> {
  const returning = new Set<string>();
  for (const name of await backupsOf(cluster, kept, signal)) {
    const { backup, isOnWayBack } = await gather(cluster, name, { signal });
    if (isOnWayBack) returning.add(name.extension);
    else if (backup?.isEnded === false) return { next: { name: name.extension }, hasBegun: true, rest: [] };
  }
  const listed = await listRows(cluster, signal);
  const rows = listed.map((row) => (returning.has(row.name) ? onWayBack(row) : row));
  return { next: firstOf(rows, isRefused), hasBegun: false, rest: rows };
}
