import { NEVER } from '../api/testing/never.ts';
import { describe, expect, test } from 'vitest';
import { type KubeObject, type ObjectRef, refOf } from '../api/object.ts';
import { createFakeCluster, settle } from '../kube/testing/fake-cluster.ts';
import { eachObservation } from './testing/each-observation.ts';
import { sampleDeployment } from './testing/sample-objects.ts';
import { observeByPolling, waitUntilGone, waitUntilReady, type Observation, type Observe } from './wait.ts';

const deployment = sampleDeployment('a');
const ref = refOf(deployment);
const working = settle({ ...deployment, metadata: { ...deployment.metadata, generation: 1 } });
const givenUp: KubeObject = {
  ...deployment,
  status: { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'x' }] },
};
const held: KubeObject = {
  ...deployment,
  metadata: { ...deployment.metadata, deletionTimestamp: '2000-01-01T00:00:00Z', finalizers: ['example.com/hold'] },
};

/** Yields these states of the one object, then nothing more until aborted. */
function observing(...states: readonly (KubeObject | undefined)[]): Observe {
  return async function* observe(_refs: readonly ObjectRef[], signal: AbortSignal): AsyncGenerator<Observation[]> {
    for (const object of states) yield [{ ref, object }];
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  };
}

/** Never yields, and ignores the signal. */
const deaf: Observe = () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) });

describe('waiting until objects work', () => {
  test('waiting for ready objects ends as soon as they are ready', async () => {
    expect(
      await waitUntilReady([ref], {
        signal: NEVER,
        observe: observing(undefined, deployment, working),
        deadlineSeconds: 600,
      }),
    ).toEqual([]);
  });

  test('waiting for ready objects ends at once when one has failed for good', async () => {
    const unready = await waitUntilReady([ref], {
      signal: NEVER,
      observe: observing(deployment, givenUp),
      deadlineSeconds: 600,
    });
    expect(unready).toMatchObject([{ ref, health: { state: 'Failed' } }]);
  });

  test('waiting for ready objects returns those that are not ready at the deadline', async () => {
    const unready = await waitUntilReady([ref], {
      signal: NEVER,
      observe: observing(undefined),
      deadlineSeconds: 0.02,
    });
    expect(unready).toMatchObject([{ ref, health: { state: 'Progressing', message: 'it does not exist' } }]);
  });

  test('a source that ignores the signal does not block the deadline', async () => {
    expect(await waitUntilReady([ref], { signal: NEVER, observe: deaf, deadlineSeconds: 0.02 })).toMatchObject([
      { health: { state: 'Unknown' } },
    ]);
  });

  test('an abort is thrown with its reason, even if it comes first', async () => {
    const lost = new Error('lease lost');
    const options = { signal: NEVER, observe: observing(deployment), deadlineSeconds: 600 };
    const controller = new AbortController();
    const waiting = waitUntilReady([ref], {
      ...options,
      signal: controller.signal,
      observe: eachObservation(options.observe, () => controller.abort(lost)),
    });
    await expect(waiting).rejects.toBe(lost);
    await expect(waitUntilReady([ref], { ...options, signal: AbortSignal.abort(lost) })).rejects.toBe(lost);
  });

  test('an error of the source is thrown', async () => {
    const broken: Observe = async function* broken() {
      yield [{ ref, object: undefined }];
      throw new Error('broken');
    };
    await expect(waitUntilReady([ref], { signal: NEVER, observe: broken, deadlineSeconds: 600 })).rejects.toThrow(
      'broken',
    );
  });

  test('waiting for no objects ends at once', async () => {
    expect(await waitUntilReady([], { signal: NEVER, observe: observing(), deadlineSeconds: 600 })).toEqual([]);
  });
});

describe('waiting until objects are gone', () => {
  test('waiting for deleted objects ends when they are gone', async () => {
    expect(
      await waitUntilGone([ref], {
        signal: NEVER,
        observe: observing(deployment, held, undefined),
        deadlineSeconds: 600,
      }),
    ).toEqual([]);
  });

  test('a new object in the place of the deleted one is not waited for', async () => {
    const another = { ...deployment, metadata: { ...deployment.metadata, uid: 'new' } };
    const options = { signal: NEVER, observe: observing(another), deadlineSeconds: 0.02 };
    expect(await waitUntilGone([{ ...ref, uid: 'old' }], options)).toEqual([]);
    expect(await waitUntilGone([{ ...ref, uid: 'new' }], options)).toHaveLength(1);
  });

  test('waiting for deleted objects names the finalizers of those left', async () => {
    const left = await waitUntilGone([ref], { signal: NEVER, observe: observing(held), deadlineSeconds: 0.02 });
    expect(left).toMatchObject([{ ref, health: { message: 'it is held by example.com/hold' } }]);
  });
});

test('polling yields the state at once and again after every change', async () => {
  const cluster = createFakeCluster({ react: (object) => object });
  cluster.put(deployment);
  let polls = 0;
  const unready = await waitUntilReady([ref], {
    signal: NEVER,
    observe: eachObservation(observeByPolling(cluster), () => {
      if (++polls === 2) cluster.change(ref, settle);
    }),
    deadlineSeconds: 600,
  });
  expect([unready, polls]).toEqual([[], 3]);
});
