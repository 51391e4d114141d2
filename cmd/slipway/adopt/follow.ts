/** Carries out the steps of a hand-over or of a way back until the end, and reports each. */
import { setTimeout as delay } from 'node:timers/promises';
import { parseDuration } from '../../../api/duration.ts';
import { outcomeOf } from '../admin/print.ts';
import type { Environment } from '../environment.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';

const TIMEOUT_BOUNDS = { minSeconds: 1, maxSeconds: 24 * 3600 } as const;
const LOOK_AGAIN_MS = 500;

/** Steps that follow from the state of the cluster. */
export interface Journey {
  /** The next step, with a sentence about it. */
  next(): Promise<JourneyStep>;
}

export interface JourneyStep {
  readonly step: string;
  readonly sentence: string;
  readonly carryOut: () => Promise<void>;
  /** Present with the last step. */
  readonly end?: { readonly data: object; readonly text: string };
}

export interface FollowFlags {
  readonly timeout: string;
  readonly output: string;
}

/**
 * The outcome of the last step; exit code 3 if the time is over before it.
 *
 * @param start Makes the journey, whose requests end with the signal.
 */
export async function follow(
  environment: Environment,
  target: { readonly namespace?: string; readonly name: string },
  { timeout, output }: FollowFlags,
  start: (signal: AbortSignal) => Journey,
): Promise<Outcome> {
  const over = AbortSignal.timeout(parseDuration(timeout, TIMEOUT_BOUNDS) * 1000);
  const signal = AbortSignal.any([environment.signal, over]);
  const seen: { step?: string; sentence?: string } = {};
  try {
    const { data, text } = await toTheEnd(start(signal), { environment, seen, signal });
    return outcomeOf({ ...target, ...data }, text, output);
  } catch (error) {
    if (!over.aborted || environment.signal.aborted) throw error;
    const { step, sentence = 'Read the state' } = seen;
    const message = `Not within ${timeout}: ${sentence}. Nothing is lost; run the command again to go on`;
    return outcomeOf({ ...target, step, message }, `${cleanLine(message)}\n`, output, 3);
  }
}

interface Following {
  readonly environment: Environment;
  readonly seen: { step?: string; sentence?: string };
  readonly signal: AbortSignal;
}

async function toTheEnd(
  journey: Journey,
  { environment, seen, signal }: Following,
): Promise<NonNullable<JourneyStep['end']>> {
  for (;;) {
    const { step, sentence, carryOut, end } = await journey.next();
    const isRepeated = seen.step === step;
    if (seen.sentence !== sentence) environment.progress?.(`${cleanLine(sentence)}\n`);
    Object.assign(seen, { step, sentence });
    await carryOut();
    if (end !== undefined) return end;
    // Another program may take back each write.
    if (isRepeated || step.startsWith('Await')) await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}
