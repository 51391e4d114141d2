/** Steps until the end, while the API server is away for a time. */
import { expect, test } from 'vitest';
import { unavailable } from '../../../api/api-error.ts';
import { ReasonedError } from '../../../api/errors.ts';
import type { Environment } from '../environment.ts';
import { follow, type Journey, type JourneyStep } from './follow.ts';

const DONE: JourneyStep = {
  step: 'Done',
  sentence: 'It is done',
  carryOut: async () => undefined,
  end: { data: { outcome: 'done' }, text: 'It is done\n' },
};
const WRITE: JourneyStep = { step: 'Write', sentence: 'It is written', carryOut: async () => undefined };

/** A journey whose answers come in this order. */
function journeyOf(...answers: readonly (JourneyStep | Error)[]): Journey {
  const left = [...answers];
  return {
    async next() {
      const answer = left.shift();
      if (answer === undefined) throw new Error('the journey is over');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

function run(journey: Journey) {
  const told: string[] = [];
  const environment = {
    signal: new AbortController().signal,
    progress: (text: string) => void told.push(text),
  } as unknown as Environment;
  const outcome = follow(environment, { name: 'gadget' }, { timeout: '1m', output: 'text' }, () => journey);
  return { outcome, told };
}

const OUTAGE = unavailable('get Subscription.slipway.dev ops/gadget', 'the connection failed');

test('a hand-over goes on after the API server was away between two steps', async () => {
  const { outcome, told } = run(journeyOf(WRITE, OUTAGE, DONE));
  expect(await outcome).toMatchObject({ text: 'It is done\n', exitCode: 0 });
  expect(told).toEqual(['It is written\n', `${OUTAGE.message}\n`, 'It is done\n']);
});

test('a step that was interrupted is carried out again', async () => {
  let isInterrupted = false;
  const interrupted: JourneyStep = {
    ...WRITE,
    carryOut: async () => {
      isInterrupted = true;
      throw OUTAGE;
    },
  };
  await run(journeyOf(interrupted, WRITE, DONE)).outcome;
  expect(isInterrupted).toBe(true);
});

test.each([
  { because: 'no step was read yet, and the address may be wrong', answers: [OUTAGE] },
  {
    because: 'the failure is another one',
    answers: [WRITE, new ReasonedError({ reason: 'Forbidden', retry: 'backoff', message: 'you may not' })],
  },
])('a hand-over ends at once if $because', async ({ answers }) => {
  await expect(run(journeyOf(...answers)).outcome).rejects.toThrow(answers.at(-1));
});
