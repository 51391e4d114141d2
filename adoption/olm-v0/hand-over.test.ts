/** The writes of single steps of a hand-over, and the states in which nothing is written. */
import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../api/cluster.ts';
import { describeRef, refOf, type Kind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import type { Gathered } from './gather.ts';
import { HandOver } from './hand-over.ts';
import { makeBackup, writeBackup } from './backup.ts';
import { componentLabel, HOLD } from './kinds.ts';
import { describeStep } from './sentences.ts';
import { nextStep, type HandOverState, type StepName } from './steps.ts';
import type { OlmSurvey } from './survey.ts';
import { csvOf, ofOlm, subscriptionOf, surveyOf } from './testing/survey.ts';
import { translateSubscription } from './translate.ts';

const name = { namespace: 'ops', subscription: 'gadget', kept: 'slipway-system' };
const operator = { namespace: 'ops', subscription: 'gadget', package: 'gadget-operator', csv: 'gadget.v1' };

interface Write {
  readonly verb: string;
  readonly of: string;
  readonly content?: unknown;
}

/** Accepts every write. */
class Recorder {
  readonly writes: Write[] = [];

  cluster(): Cluster {
    const note = async (verb: string, ref: ObjectRef, content?: unknown): Promise<KubeObject> => {
      this.writes.push({ verb, of: describeRef(ref), ...(content !== undefined && { content }) });
      return { apiVersion: ref.apiVersion, kind: ref.kind, metadata: { name: ref.name } };
    };
    return {
      get: async () => undefined,
      list: async () => [],
      isNamespaced: async () => true,
      create: (object, { dryRun = false } = {}) => note(dryRun ? 'try' : 'create', refOf(object), object['spec']),
      apply: (object) => note('apply', refOf(object)),
      patch: (ref, patch) => note('patch', ref, patch),
      delete: (ref, options) => note('delete', ref, options),
    };
  }
}

const survey = surveyOf({ subscription: subscriptionOf({ installPlanApproval: 'Manual' }) });
const { manifest: wanted } = translateSubscription(survey, { name: 'gadget', version: '1.0.0' });
const backup = makeBackup({ ...survey, subscription: subscriptionOf(), csv: csvOf('gadget.v1') }, operator, { wanted, objects: [] }); // prettier-ignore

const NOTHING: HandOverState = {
  hasBackup: true,
  isEnded: false,
  isOlmBusy: false,
  olmSubscription: undefined,
  pendingPlans: [],
  csv: undefined,
  marked: [],
  subscription: undefined,
  isReady: true,
  condition: { wanted: false, live: undefined },
  leftovers: [],
  sharedPlans: [],
  isPinned: true,
};

/** The writes of the step that follows from a state. */
async function writesIn(state: Partial<HandOverState>, known = backup): Promise<readonly Write[]> {
  const recorder = new Recorder();
  const gathered: Gathered = { backup: known, survey, state: { ...NOTHING, ...state } };
  await handOverWith(recorder).carryOut(nextStep(gathered.state), gathered);
  return recorder.writes;
}

function handOverWith(recorder: Recorder): HandOver {
  const options = { cluster: recorder.cluster(), name, wanted: () => wanted, sleep: async () => undefined };
  return new HandOver({ ...options, signal: NEVER });
}

const own = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: '7' } };

/** The next step in a cluster with these objects, and the backup. */
async function nextWith(...objects: readonly KubeObject[]): Promise<string> {
  const kept = [...objects, writeBackup(backup, name.kept)];
  const isIt =
    (ref: ObjectRef) =>
    (object: KubeObject): boolean =>
      describeRef(refOf(object)) === describeRef(ref);
  const ofKind = (kind: Kind) => (object: KubeObject): boolean => object.kind === kind.kind && object.apiVersion === kind.apiVersion; // prettier-ignore
  const cluster = {
    ...new Recorder().cluster(),
    get: async (ref: ObjectRef) => kept.find(isIt(ref)),
    list: async (kind: Kind) => kept.filter(ofKind(kind)),
  };
  const handOver = new HandOver({ cluster, name, wanted: () => wanted, sleep: async () => undefined, signal: NEVER });
  return (await handOver.next()).step;
}

describe('a hand-over that has begun', () => {
  const held = { ...csvOf('gadget.v1'), metadata: { name: 'gadget.v1', namespace: 'ops', finalizers: [HOLD], deletionTimestamp: 't' } }; // prettier-ignore

  test('installs no operator that was uninstalled in OLM or in Slipway since', async () => {
    await expect(nextWith()).rejects.toMatchObject({ reason: 'Collision', message: expect.stringContaining('uninstalled since') as string }); // prettier-ignore
  });

  test.each([
    {
      because: 'OLM has it still',
      objects: [subscriptionOf({ installPlanApproval: 'Manual' }), csvOf('gadget.v1')],
      step: 'Hold',
    },
    { because: "Slipway's Subscription is to be created", objects: [held], step: 'Subscribe' },
    { because: 'Slipway has it already', objects: [{ ...wanted, spec: { version: '1.0.0' } }], step: 'AwaitReady' },
  ])('goes on: $because', async ({ objects, step }) => {
    expect(await nextWith(...objects)).toBe(step);
  });
});

describe('the sentence of a step that waits', () => {
  const say = (step: StepName, changes: Partial<OlmSurvey>, state: Partial<HandOverState> = {}): string =>
    describeStep(step, { survey: { ...survey, ...changes }, state: { ...NOTHING, ...state } });

  test('for OLM has the reason, shortened', () => {
    const csv = csvOf('gadget.v1', { phase: 'Pending' });
    const status = { phase: 'Pending', reason: 'RequirementsNotMet', message: `no CRD ${'x'.repeat(600)}` };
    expect(say('AwaitOlm', { csv: { ...csv, status } })).toMatch(/^Wait for OLM .*; ClusterServiceVersion gadget\.v1 is Pending: RequirementsNotMet, no CRD x+…$/); // prettier-ignore
  });

  test('for the garbage collector has the finalizers that are left', () => {
    const csv = { ...csvOf('gadget.v1'), metadata: { name: 'gadget.v1', finalizers: [HOLD, 'orphan'] } };
    expect(say('AwaitCollector', {}, { csv })).toMatch(/; left are orphan$/);
  });
});

describe('the hand-over', () => {
  test('creates a Subscription that needs no approval for the version that runs', async () => {
    const [write] = await writesIn({ subscription: undefined, isReady: false });
    expect(write).toMatchObject({ verb: 'create', content: { version: '1.0.0', approval: 'Automatic' } });
  });

  test('sets the approval that OLM had together with the end of the pin', async () => {
    const writes = await writesIn({ subscription: own });
    const content = { metadata: { resourceVersion: '7' }, spec: { version: null, approval: 'Manual' } };
    expect(writes).toEqual([{ verb: 'patch', of: 'Subscription.slipway.dev ops/gadget', content }]);
  });

  test('deletes an InstallPlan only in the version in which a person has not approved it', async () => {
    const plan = ofOlm('installPlan', 'install-2');
    const pendingPlans = [{ ...plan, metadata: { ...plan.metadata, uid: 'u', resourceVersion: '8' } }];
    const [write, ...others] = await writesIn({ pendingPlans });
    expect(others).toEqual([]);
    expect(write).toMatchObject({ verb: 'delete', content: { uid: 'u', resourceVersion: '8' } });
  });

  test("takes the operator's label off an InstallPlan that is of other operators too, and keeps it", async () => {
    const ref = refOf(ofOlm('installPlan', 'install-1'));
    const labels = { [componentLabel('gadget-operator', 'ops')]: null };
    const of = 'InstallPlan.operators.coreos.com ops/install-1';
    expect(await writesIn({ subscription: own, sharedPlans: [ref] })).toEqual([
      { verb: 'patch', of, content: { metadata: { labels } } },
    ]);
  });

  test('writes nothing if its effects are a surprise, and says them', async () => {
    const recorder = new Recorder();
    const handOver = new HandOver({
      cluster: recorder.cluster(),
      name,
      wanted: () => wanted,
      surprises: async () => ['the Pods of Deployment.apps ops/gadget would be replaced'],
      sleep: async () => undefined,
      signal: NEVER,
    });
    const gathered = { backup: undefined, survey, state: { ...NOTHING, hasBackup: false } };
    const refused = handOver.carryOut('BackUp', gathered);
    await expect(refused).rejects.toMatchObject({ reason: 'Collision', message: expect.stringContaining('would be replaced') as string }); // prettier-ignore
    expect(recorder.writes.filter(({ verb }) => verb !== 'try')).toEqual([]);
  });
});
