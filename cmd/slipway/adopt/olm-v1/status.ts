/** `slipway adopt status --from olm-v1`: the hand-overs from OLM v1 that have begun, and how far each is. */
import { backupsOf } from '../../../../adoption/olm-v1/backup.ts';
import { gather } from '../../../../adoption/olm-v1/gather.ts';
import { describeStep } from '../../../../adoption/olm-v1/sentences.ts';
import { nextStep, type StepName } from '../../../../adoption/olm-v1/steps.ts';
import { goingBack } from '../../../../adoption/olm-v1/verdict.ts';
import type { Cluster } from '../../../../api/cluster.ts';
import { outcomeOf } from '../../admin/print.ts';
import type { Environment } from '../../environment.ts';
import { withCluster } from '../../input/connection.ts';
import type { Outcome } from '../../outcome.ts';
import { formatTable } from '../../output/table.ts';
import { isAsked, noHandOver, type AdoptStatusFlags } from '../status.ts';

const HEADER = ['NAME', 'NAMESPACE', 'SUBSCRIPTION', 'STEP', 'MESSAGE'];

export async function showExtensions(environment: Environment, flags: AdoptStatusFlags): Promise<Outcome> {
  const { signal, columns } = environment;
  return withCluster(environment, flags, async ({ client }) => {
    const all = await listHandOvers(client, flags.systemNamespace, signal);
    const rows = all.filter(({ namespace }) => isAsked(namespace, flags));
    const cells = rows.map((row) => [row.name, row.namespace, row.subscription, row.step, row.message]);
    const text = rows.length === 0 ? noHandOver(flags) : formatTable(HEADER, cells, columns);
    return outcomeOf({ handOvers: rows }, text, flags.output);
  });
}

/** One hand-over in a list. */
export interface HandOverRow {
  /** Of the ClusterExtension. */
  readonly name: string;
  readonly namespace: string;
  readonly subscription: string;
  readonly step: StepName | 'HandingBack';
  readonly message: string;
}

/** One row for each backup. Throws the errors of the client, and InputInvalid for a backup that a person has damaged. */
export async function listHandOvers(
  cluster: Pick<Cluster, 'get' | 'list'>,
  kept: string,
  signal: AbortSignal,
): Promise<readonly HandOverRow[]> {
  const names = await backupsOf(cluster, kept, signal);
  return Promise.all(
    names.map(async (named) => {
      const { backup, isOnWayBack, state } = await gather(cluster, named, { signal });
      const { namespace = '', name: subscription = '' } = backup?.wanted.metadata ?? {};
      const row = { name: named.extension, namespace, subscription };
      if (isOnWayBack) return { ...row, step: 'HandingBack', message: goingBack(named.extension) } as const;
      const step = nextStep(state);
      return { ...row, step, message: describeStep(step, state) };
    }),
  );
}
