/** The end of a hand-over whose Subscription of Slipway is deleted before the hand-over has ended. */

/** How far the Subscription has taken part. */
export type StageAtDeletion = 'Preparing' | 'TakingOver';

export type Conclusion =
  /** There is none, or it is not that of the Subscription, or the Subscription has no part in it yet. */
  | 'None'
  /** OLM has the operator as before, and the backup is deleted. */
  | 'CalledOff'
  /** OLM has given the operator up, and Slipway has not taken it over: only the command line or a Subscription goes on. */
  | 'Stuck'
  /** Nothing of OLM is held any more. */
  | 'Ended';

/** Another writer may be faster several times. */
const MOST_ROUNDS = 20;

/** Carries steps out until none is left. @param round Carries out one; false if none is left. Throws as it does. */
export async function untilNone(round: () => Promise<boolean>): Promise<void> {
  for (let count = 0; count < MOST_ROUNDS; count += 1) if (!(await round())) return;
  throw new Error(`the hand-over has not ended after ${MOST_ROUNDS} writes: other programs write its objects too`);
}
