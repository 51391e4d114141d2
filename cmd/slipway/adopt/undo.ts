/** `slipway adopt undo`: hands one operator back to OLM v0, from the backup of its hand-over. */
import type { UndoFacts } from '../../../adoption/olm-v0/undo-gather.ts';
import { Undo } from '../../../adoption/olm-v0/undo.ts';
import { StopUndo } from '../../../adoption/olm-v0/stop.ts';
import { unresolved, type UndoStep } from '../../../adoption/olm-v0/undo-steps.ts';
import { describeRef } from '../../../api/object.ts';
import { fieldsOf, textOf } from '../../../api/untyped.ts';
import { parseTarget } from '../admin/objects.ts';
import type { Environment } from '../environment.ts';
import type { OutputFlags } from '../flags.ts';
import { withCluster, type KubeFlags } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { follow, type Journey } from './follow.ts';
import { journeyToStop } from './stop.ts';

export interface AdoptUndoFlags extends KubeFlags, OutputFlags {
  readonly timeout: string;
  readonly systemNamespace: string;
  readonly stop?: boolean;
}

/** A sentence for each step. */
const SENTENCES: Readonly<Record<UndoStep, string>> = {
  CallOff: "Call off the hand-over: give OLM's Subscription its approval back, and delete the backup",
  KeepList: 'Keep a list of the objects that Slipway manages in the Secret of the backup',
  Orphan: "Delete Slipway's Subscription, and leave its objects",
  AwaitOrphaned: "Wait until the manager has released Slipway's Subscription",
  CreateVersion: 'Create the ClusterServiceVersion, with a requirement for which OLM waits',
  Mark: 'Give the objects the marks of OLM',
  Complete: 'Take the requirement off the ClusterServiceVersion, so that OLM goes on',
  AwaitSucceeded: 'Wait until OLM counts the ClusterServiceVersion as Succeeded',
  CreateSubscription: "Create OLM's Subscription",
  AwaitRead: 'Wait until OLM has read its Subscription and refused to resolve it',
  SetStatus: "Write the installed version into the status of OLM's Subscription",
  AwaitResolved: 'Wait until OLM has resolved its Subscription with the installed version',
  Resume: "Set the approval of OLM's Subscription as it was",
  ForgetBackup: 'Delete the backup',
};

/** Either deletes the backup. */
const ENDS: ReadonlySet<UndoStep> = new Set(['CallOff', 'ForgetBackup']);

export async function undoAdoption(environment: Environment, text: string, flags: AdoptUndoFlags): Promise<Outcome> {
  return withCluster(environment, flags, async ({ client, namespace }) => {
    const target = parseTarget(text, namespace);
    const name = { namespace: target.namespace, subscription: target.name, kept: flags.systemNamespace };
    const operator = `Operator ${target.namespace}/${target.name}`;
    return follow(environment, target, flags, (signal) =>
      flags.stop === true
        ? journeyToStop(new StopUndo({ cluster: client, name, signal }), operator)
        : wayBack(new Undo({ cluster: client, name, now: () => new Date(), signal }), operator),
    );
  });
}

/** The step, and the state that OLM reports while it is waited for. */
function describeStep(step: UndoStep, { state }: UndoFacts): string {
  if (step === 'AwaitResolved') {
    const why = state.olmSubscription && unresolved(state.olmSubscription);
    return why === undefined ? SENTENCES[step] : `${SENTENCES[step]}; OLM reports: ${why}`;
  }
  const [first] = state.ofOthers;
  if (first !== undefined && (step === 'Mark' || step === 'Complete'))
    return `${SENTENCES[step]}; left alone as others have them by now: ${state.ofOthers.map(describeRef).join(', ')}`;
  const { phase, reason, message } = fieldsOf(state.csv?.['status']);
  if (step !== 'AwaitSucceeded' || textOf(phase) === '') return SENTENCES[step];
  return `${SENTENCES[step]}; it is ${textOf(phase)} (${textOf(reason)}): ${textOf(message)}`;
}

function wayBack(undo: Undo, operator: string): Journey {
  const text = `${operator} is handed back to OLM\n`;
  return {
    async next() {
      const { step, facts } = await undo.next();
      return {
        step,
        sentence: describeStep(step, facts),
        carryOut: () => undo.carryOut(step, facts),
        ...(ENDS.has(step) && { end: { data: { step: 'Done' }, text } }),
      };
    },
  };
}
