/** Carries out the steps of a hand-over or of a way back until the end, and reports each. */
import { setTimeout as delay } from 'node:timers/promises';
import { parseDuration } from '../../../api/duration.ts';
import { outcomeOf } from '../admin/print.ts';
import { isUnavailable, WatchPause } from '../admin/watch-pause.ts';
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
  const pause = new WatchPause(signal);
  for (;;) {
    try {
      const end = await takeStep(journey, { environment, seen, signal });
      if (end !== undefined) return end;
      pause.reset();
    } catch (error) {
      // A step follows from the state of the cluster, so that one that was interrupted is found again.
      if (signal.aborted || seen.step === undefined || !isUnavailable(error)) throw error;
      say(environment, seen, error.message);
      await pause.wait(error);
    }
  }
}

/** Carries out the next step; its end if it is the last one. */
async function takeStep(journey: Journey, { environment, seen, signal }: Following): Promise<JourneyStep['end']> {
  const { step, sentence, carryOut, end } = await journey.next();
  const isRepeated = seen.step === step;
  seen.step = step;
  say(environment, seen, sentence);
  await carryOut();
  // Another program may take back each write.
  if (end === undefined && (isRepeated || step.startsWith('Await'))) await delay(LOOK_AGAIN_MS, undefined, { signal });
  return end;
}

/** Shows a sentence once. */
function say({ progress }: Environment, seen: Following['seen'], sentence: string): void {
  if (seen.sentence !== sentence) progress?.(`${cleanLine(sentence)}\n`);
  seen.sentence = sentence;
}
