/** `slipway adopt status --from olm-v1`: the hand-overs from OLM v1 that have begun, and how far each is. */
import { backupsOf } from '../../../../adoption/olm-v1/backup.ts';
import { gather } from '../../../../adoption/olm-v1/gather.ts';
import { isOffer } from '../../../../adoption/olm-v1/offer.ts';
import { describeStep } from '../../../../adoption/olm-v1/sentences.ts';
import { nextStep } from '../../../../adoption/olm-v1/steps.ts';
import { outcomeOf } from '../../admin/print.ts';
import type { Environment } from '../../environment.ts';
import { withCluster } from '../../input/connection.ts';
import type { Outcome } from '../../outcome.ts';
import { formatTable } from '../../output/table.ts';
import type { AdoptStatusFlags } from '../status.ts';

const GOING_BACK = 'The operator is being handed back; slipway adopt undo --from olm-v1 goes on';
const HEADER = ['NAME', 'NAMESPACE', 'SUBSCRIPTION', 'STEP', 'MESSAGE'];

export async function showExtensions(environment: Environment, flags: AdoptStatusFlags): Promise<Outcome> {
  const { signal, columns } = environment;
  return withCluster(environment, flags, async ({ client }) => {
    const names = await backupsOf(client, flags.systemNamespace, signal);
    const rows = await Promise.all(
      names.map(async (name) => {
        const { backup, state } = await gather(client, name, signal);
        const { namespace = '', name: subscription = '' } = backup?.wanted.metadata ?? {};
        const step = isOffer(state.extension) ? 'HandingBack' : nextStep(state);
        const message = step === 'HandingBack' ? GOING_BACK : describeStep(step, state);
        return { name: name.extension, namespace, subscription, step, message };
      }),
    );
    const cells = rows.map((row) => [row.name, row.namespace, row.subscription, row.step, row.message]);
    const text = rows.length === 0 ? 'No hand-over has a backup\n' : formatTable(HEADER, cells, columns);
    return outcomeOf({ handOvers: rows }, text, flags.output);
  });
}
