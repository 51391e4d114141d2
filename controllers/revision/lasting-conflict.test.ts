/** A Conflict that ends each attempt before the objects are applied is reported once it lasts, and says nothing of the bundle. */
import { describe, expect, test } from 'vitest';
import { findCondition, type ConditionType } from '../../api/conditions.ts';
import { refOf } from '../../api/object.ts';
import { refusal } from '../../api/testing/refusal.ts';
import { sampleOperator } from '../../apply/testing/sample-objects.ts';
import type { FakeRequest } from '../../kube/testing/fake-cluster.ts';
import { silentLog } from '../../kube/log.ts';
import { reportDefects } from '../report-defects.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';
import { slowPods } from './testing/slow-pods.ts';

const next = sampleOperator({ image: 'registry.example/operator:2' });
const isOfRevision = ({ verb, ref }: FakeRequest): boolean => verb === 'patch' && ref.name === 'widgets-2';
const isOfDeployment = ({ verb, ref, dryRun }: FakeRequest): boolean =>
  verb === 'apply' && ref.kind === 'Deployment' && !dryRun;

interface Scene {
  readonly harness: Harness;
  /** One attempt to roll the second Revision out; the writes that are to be refused meet a Conflict. */
  attempt(): Promise<unknown>;
  /** Attempts for as many seconds, 30 s apart. */
  attemptFor(seconds: number): Promise<void>;
  /** The writes of attempts are refused no longer. */
  end(): void;
  condition(type: ConditionType): string | undefined;
  /** The reasons of the Warning events about the Revision. */
  warnings(): readonly string[];
}

/** The first version runs, and an upgrade begins whose writes are refused. */
async function begin(isRefused: (request: FakeRequest) => boolean): Promise<Scene> {
  const pods = slowPods();
  let [isAttempt, hasEnded] = [false, false];
  const harness = createHarness({
    react: pods.react,
    before: (request) => {
      if (isAttempt && !hasEnded && isRefused(request)) throw refusal(409, 'Conflict', 'the object has been modified');
    },
  });
  await harness.addRevision(1, sampleOperator());
  await harness.settle(1);
  harness.setState(1, 'Archived');
  pods.holdBack();
  await harness.addRevision(2, next, { previous: 'widgets-1' });
  harness.events.length = 0;
  const reconcile = reportDefects(
    async () => {
      isAttempt = true;
      return harness.reconcile(2).finally(() => (isAttempt = false));
    },
    {
      objects: { get: () => harness.revision(2) },
      cluster: harness.cluster,
      record: (_regarding, event) => void harness.events.push(event),
      now: () => harness.now(),
    },
  );
  const key = { namespace: NAMESPACE, name: 'widgets-2' };
  const attempt: Scene['attempt'] = async () =>
    reconcile(key, { signal: new AbortController().signal, log: silentLog });
  return {
    harness,
    attempt,
    attemptFor: async (seconds) => {
      for (let passed = 0; passed <= seconds; passed += 30) {
        if (passed > 0) harness.pass(30);
        await expect(attempt()).rejects.toMatchObject({ reason: 'Conflict' });
      }
    },
    end: () => (hasEnded = true),
    condition: (type) => findCondition(harness.revision(2).status?.conditions, type)?.reason,
    warnings: () => harness.events.flatMap(({ type, reason }) => (type === 'Warning' ? [reason] : [])),
  };
}

describe('an upgrade that meets a Conflict in each attempt', () => {
  test.each([
    { because: 'its intent cannot be noted', finalizers: undefined },
    { because: 'its finalizer cannot be set', finalizers: [] },
  ])('it is reported once it has lasted for a minute: $because', async ({ finalizers }) => {
    const scene = await begin(isOfRevision);
    const { harness } = scene;
    if (finalizers !== undefined)
      harness.cluster.change(refOf(harness.revision(2)), (one) => ({
        ...one,
        metadata: { ...one.metadata, finalizers },
      }));
    await scene.attemptFor(30);
    expect([scene.condition('Ready'), scene.warnings()]).toEqual([undefined, []]);
    await scene.attemptFor(90);
    expect([scene.condition('Ready'), scene.condition('Reconciling'), scene.warnings()]).toEqual([
      'Conflict',
      'Conflict',
      ['Conflict'],
    ]);
  });

  test('the progress deadline does not count the time of it', async () => {
    const scene = await begin(isOfRevision);
    await scene.attemptFor(1200);
    scene.end();
    await scene.attempt();
    expect([scene.condition('Reconciling'), scene.condition('Stalled')]).toEqual(['Progressing', undefined]);
    scene.harness.pass(700);
    await scene.attempt();
    expect(scene.condition('Stalled')).toBe('ProgressDeadlineExceeded');
  });

  test('the Conflict of an object that is applied is in the status at once, and is not reported a second time', async () => {
    const scene = await begin(isOfDeployment);
    await scene.attemptFor(120);
    expect([scene.condition('Ready'), scene.condition('Reconciling'), scene.warnings()]).toEqual([
      'Conflict',
      'Progressing',
      [],
    ]);
  });
});
