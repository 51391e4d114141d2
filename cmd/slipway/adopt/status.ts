/** `slipway adopt status`: the hand-overs that have begun, and how far each is. */
import { backupsOf } from '../../../adoption/olm-v0/backup.ts';
import { gather } from '../../../adoption/olm-v0/gather.ts';
import { describeStep } from '../../../adoption/olm-v0/sentences.ts';
import { nextStep } from '../../../adoption/olm-v0/steps.ts';
import { outcomeOf } from '../admin/print.ts';
import type { Environment } from '../environment.ts';
import type { OutputFlags } from '../flags.ts';
import { withCluster, type KubeFlags } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { formatTable } from '../output/table.ts';

export interface AdoptStatusFlags extends KubeFlags, OutputFlags {
  readonly systemNamespace: string;
}

const GOING_BACK = 'The operator is being handed back; slipway adopt undo goes on';
const HEADER = ['NAMESPACE', 'NAME', 'SUBSCRIPTION', 'STEP', 'MESSAGE'];

/** Without a namespace all are asked for: a hand-over concerns the cluster. */
export function isAsked(namespace: string, flags: Pick<AdoptStatusFlags, 'namespace'>): boolean {
  return flags.namespace === undefined || flags.namespace === namespace;
}

/** Says that no hand-over is asked for: others may have a backup. */
export function noHandOver({ namespace }: Pick<AdoptStatusFlags, 'namespace'>): string {
  const ofIt = namespace === undefined ? '' : ` in the namespace ${namespace}`;
  return `No hand-over${ofIt} has a backup\n`;
}

export async function showAdoptions(environment: Environment, flags: AdoptStatusFlags): Promise<Outcome> {
  const { signal, columns } = environment;
  return withCluster(environment, flags, async ({ client }) => {
    const all = await backupsOf(client, flags.systemNamespace, signal);
    const names = all.filter(({ namespace }) => isAsked(namespace, flags));
    const rows = await Promise.all(
      names.map(async (name) => {
        const gathered = await gather(client, name, signal);
        const { backup } = gathered;
        const isGoingBack = backup?.stage === 'HandingBack';
        const step = isGoingBack ? 'HandingBack' : nextStep(gathered.state);
        const subscription = backup?.adoptedBy ?? '';
        const message = step === 'HandingBack' ? GOING_BACK : describeStep(step, gathered);
        return { namespace: name.namespace, name: name.subscription, subscription, step, message };
      }),
    );
    const cells = rows.map((row) => [row.namespace, row.name, row.subscription, row.step, row.message]);
    const text = rows.length === 0 ? noHandOver(flags) : formatTable(HEADER, cells, columns);
    return outcomeOf({ handOvers: rows }, text, flags.output);
  });
}
