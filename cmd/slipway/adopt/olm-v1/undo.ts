/** `slipway adopt undo --from olm-v1`: hands one operator back to OLM v1, from the backup of its hand-over. */
import { StopUndo } from '../../../../adoption/olm-v1/stop.ts';
import { describeUndoStep } from '../../../../adoption/olm-v1/undo-sentences.ts';
import type { UndoStep } from '../../../../adoption/olm-v1/undo-steps.ts';
import { Undo } from '../../../../adoption/olm-v1/undo.ts';
import type { Environment } from '../../environment.ts';
import { withCluster } from '../../input/connection.ts';
import type { Outcome } from '../../outcome.ts';
import { follow, type Journey } from '../follow.ts';
import { describeHandedBack } from './handed-back.ts';
import { journeyToStop } from '../stop.ts';
import type { AdoptUndoFlags } from '../undo.ts';

/** Either deletes the backup. */
const ENDS: ReadonlySet<UndoStep> = new Set(['CallOff', 'ForgetBackup']);

export async function undoExtension(environment: Environment, name: string, flags: AdoptUndoFlags): Promise<Outcome> {
  const backup = { extension: name, kept: flags.systemNamespace };
  return withCluster(environment, flags, async ({ client }) =>
    follow(environment, { name }, flags, (signal) =>
      flags.stop === true
        ? journeyToStop(new StopUndo({ cluster: client, name: backup, signal }), `ClusterExtension ${name}`)
        : wayBack(new Undo({ cluster: client, name: backup, signal })),
    ),
  );
}

function wayBack(undo: Undo): Journey {
  return {
    async next() {
      const { step, facts } = await undo.next();
      return {
        step,
        sentence: describeUndoStep(step, facts.state),
        carryOut: () => undo.carryOut(step, facts),
        ...(ENDS.has(step) && { end: describeHandedBack({ ...facts, extension: facts.state.extension }) }),
      };
    },
  };
}
