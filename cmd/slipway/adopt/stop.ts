/** `slipway adopt undo --stop`: gives a begun way back up, to either version of OLM. */
import type { Journey } from './follow.ts';

/** Steps to give a way back up, by the state of the cluster. */
interface Stopping<Step extends string, Facts> {
  next(): Promise<{ readonly step: Step; readonly facts: Facts }>;
  carryOut(step: Step, facts: Facts): Promise<void>;
}

type StopStep = 'Withdraw' | 'AwaitWithdrawn' | 'Done';

const SENTENCES: Readonly<Record<StopStep, string>> = {
  Withdraw: "Take the writes of the way back off Slipway's Subscription, OLM's objects and the backup",
  AwaitWithdrawn: 'Wait until OLM has taken its finalizers off the ClusterExtension',
  Done: 'No way back is under way',
};

/** @param operator The object of OLM that the person named. */
export function journeyToStop<Step extends StopStep, Facts>(stop: Stopping<Step, Facts>, operator: string): Journey {
  let isGivenUp = false;
  return {
    async next() {
      const { step, facts } = await stop.next();
      const outcome = isGivenUp ? 'is given up: Slipway has the operator as before' : 'is not under way';
      return {
        step,
        sentence: SENTENCES[step],
        carryOut: async () => {
          isGivenUp = true;
          await stop.carryOut(step, facts);
        },
        ...(step === 'Done' && { end: { data: { step }, text: `The way back of ${operator} ${outcome}\n` } }),
      };
    },
  };
}
