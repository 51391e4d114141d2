/** The writes to OLM's own objects, and the states in which they are taken back: OLM, people and Git act meanwhile. */
import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../api/cluster.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { refusal } from '../../api/testing/refusal.ts';
import { makeBackup } from './backup.ts';
import type { Gathered } from './gather.ts';
import { CSV_CLEANUP, HOLD } from './kinds.ts';
import { OlmSide } from './olm-side.ts';
import { createdPaused, PAUSED } from './pause.ts';
import type { HandOverState } from './steps.ts';
import type { OlmSurvey } from './survey.ts';
import { csvOf, ofOlm, subscriptionOf, surveyOf } from './testing/survey.ts';

const name = { namespace: 'ops', subscription: 'gadget', kept: 'slipway-system' };
const operator = { namespace: 'ops', subscription: 'gadget', package: 'gadget-operator', csv: 'gadget.v1' };
const SUBSCRIPTION = 'Subscription.operators.coreos.com ops/gadget';
const VERSION = 'ClusterServiceVersion.operators.coreos.com ops/gadget.v1';

type Metadata = Partial<KubeObject['metadata']>;

const withMetadata = (object: KubeObject, metadata: Metadata): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});
const automatic = withMetadata(subscriptionOf(), { uid: 'sub', resourceVersion: '7' });
const paused = createdPaused(automatic);
const manual = withMetadata(subscriptionOf({ installPlanApproval: 'Manual' }), { uid: 'sub', resourceVersion: '7' });
const version = (metadata: Metadata, phase = 'Succeeded'): KubeObject =>
  withMetadata(csvOf('gadget.v1', { phase }), { uid: 'csv', resourceVersion: '9', ...metadata });
const installed = version({ finalizers: [CSV_CLEANUP] });
const held = version({ finalizers: [CSV_CLEANUP, HOLD] });
const deleted = version({ finalizers: [HOLD], deletionTimestamp: '2026-11-23T00:00:00Z' });
const next = csvOf('gadget.v2', { spec: { replaces: 'gadget.v1' }, phase: 'Installing' });
/** As a person or Git creates it: OLM has not resolved it. */
const again = withMetadata(ofOlm('subscription', 'gadget', { spec: automatic['spec'] }), { uid: 'new', resourceVersion: '20' }); // prettier-ignore
const wanted = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', metadata: { name: 'gadget' } };
const backup = makeBackup({ ...surveyOf({ subscription: automatic }), csv: installed }, operator, { wanted, objects: [] }); // prettier-ignore

interface Write {
  readonly verb: string;
  readonly of: string;
  readonly content?: unknown;
}

/** A cluster that accepts every write and lists it. */
function recording(writes: Write[]): Cluster {
  const note = async (verb: string, ref: ObjectRef, content: unknown): Promise<KubeObject> => {
    writes.push({ verb, of: describeRef(ref), content });
    return {
      apiVersion: ref.apiVersion,
      kind: ref.kind,
      metadata: { name: ref.name, uid: 'u', resourceVersion: '10' },
    };
  };
  return {
    get: async () => undefined,
    list: async () => [],
    isNamespaced: async () => true,
    create: (object) => note('create', refOf(object), object),
    apply: (object) => note('apply', refOf(object), object),
    patch: (ref, patch) => note('patch', ref, patch),
    delete: (ref, options) => note('delete', ref, options),
  };
}

type Act = 'pause' | 'hold' | 'delete' | 'deleteSubscription';

interface Seen {
  readonly subscription?: KubeObject | undefined;
  readonly csv?: KubeObject | undefined;
  readonly others?: readonly KubeObject[];
  readonly plans?: readonly KubeObject[];
}

async function act(what: Act, { subscription, csv, others = [], plans = [] }: Seen): Promise<readonly Write[]> {
  const writes: Write[] = [];
  const csvs = csv === undefined ? others : [csv, ...others];
  const survey: OlmSurvey = { ...surveyOf({ subscription, csvs }), csv };
  const state = { olmSubscription: subscription, csv, pendingPlans: plans } as unknown as HandOverState;
  const side = new OlmSide({ cluster: recording(writes), name, signal: NEVER });
  const gathered: Gathered = { backup, survey, state };
  await side[what](backup, gathered).catch((error: unknown) => {
    throw Object.assign(error as object, { writes });
  });
  return writes;
}

const given = { metadata: { resourceVersion: '7', annotations: { [PAUSED]: null } }, spec: { installPlanApproval: 'Automatic' } }; // prettier-ignore
const UNHELD = { verb: 'patch', of: VERSION, content: { metadata: { resourceVersion: '9', finalizers: [CSV_CLEANUP] } } }; // prettier-ignore
const RELEASED = { ...UNHELD, content: { metadata: { resourceVersion: '9', finalizers: [] } } };
const RESUMED = { verb: 'patch', of: SUBSCRIPTION, content: given };

describe("on OLM's side", () => {
  test('an automatic approval is taken, and noted', async () => {
    const content = {
      metadata: { resourceVersion: '7', annotations: { [PAUSED]: 'true' } },
      spec: { installPlanApproval: 'Manual' },
    };
    expect(await act('pause', { subscription: automatic, csv: installed })).toEqual([
      { verb: 'patch', of: SUBSCRIPTION, content },
    ]);
  });

  test("OLM's finalizer is swapped for the deletion of the very version that was written", async () => {
    const writes = await act('delete', { subscription: paused, csv: held });
    expect(writes).toMatchObject([
      { verb: 'patch', content: { metadata: { resourceVersion: '9', finalizers: [HOLD] } } },
      { verb: 'delete', content: { uid: 'u', resourceVersion: '10', propagation: 'Orphan' } },
    ]);
  });

  test('plans that wait go before the Subscription, each in the version in which no person has approved it', async () => {
    const plan = withMetadata(ofOlm('installPlan', 'install-2'), { uid: 'plan', resourceVersion: '8' });
    const writes = await act('deleteSubscription', { subscription: paused, csv: deleted, plans: [plan] });
    expect(writes).toMatchObject([
      {
        verb: 'delete',
        of: 'InstallPlan.operators.coreos.com ops/install-2',
        content: { uid: 'plan', resourceVersion: '8' },
      },
      { verb: 'delete', of: SUBSCRIPTION, content: { uid: 'sub', resourceVersion: '7', propagation: 'Orphan' } },
    ]);
  });

  test('a Subscription that is gone is not deleted again, and plans that it left are', async () => {
    const plan = ofOlm('installPlan', 'install-2');
    expect(await act('deleteSubscription', { csv: deleted, plans: [plan] })).toHaveLength(1);
    const going = withMetadata(paused, { deletionTimestamp: '2026-11-23T00:00:00Z' });
    expect(await act('deleteSubscription', { subscription: going, csv: deleted })).toEqual([]);
  });
});

/** An OLM that puts its finalizer back before each of the first deletions, and may change more. */
function hasty(writes: Write[], races: number, change: Metadata = {}): Cluster {
  let left = races;
  const cluster = recording(writes);
  return {
    ...cluster,
    get: async () => ({ ...held, metadata: { ...held.metadata, resourceVersion: `${20 - left}`, ...change } }),
    delete: async (ref, options) => {
      await cluster.delete(ref, options);
      if ((left -= 1) >= 0) throw refusal(409, 'Conflict', 'the object has been modified');
    },
  };
}

const CONFLICT = { code: 409, statusReason: 'Conflict' };

describe('a version on which OLM is faster', () => {
  const swap = (cluster: Cluster): Promise<void> => {
    const survey: OlmSurvey = { ...surveyOf({ subscription: paused, csvs: [held] }), csv: held };
    const state = { olmSubscription: paused, csv: held, pendingPlans: [] } as unknown as HandOverState;
    return new OlmSide({ cluster, name, signal: NEVER }).delete(backup, { backup, survey, state });
  };

  test('is deleted by another attempt at once, each bound to the version that was read last', async () => {
    const writes: Write[] = [];
    await swap(hasty(writes, 2));
    const patched = writes.filter(({ verb }) => verb === 'patch').map(({ content }) => content);
    expect(patched).toMatchObject(['9', '19', '20'].map((resourceVersion) => ({ metadata: { resourceVersion } })));
    expect(writes.filter(({ verb }) => verb === 'delete')).toHaveLength(3);
  });

  test('is judged again after ten attempts', async () => {
    const writes: Write[] = [];
    await expect(swap(hasty(writes, 100))).rejects.toMatchObject(CONFLICT);
    expect(writes.filter(({ verb }) => verb === 'delete')).toHaveLength(10);
  });

  test('is judged again if more than its finalizers has changed', async () => {
    const writes: Write[] = [];
    await expect(swap(hasty(writes, 1, { uid: 'new' }))).rejects.toMatchObject(CONFLICT);
    expect(writes.filter(({ verb }) => verb === 'delete')).toHaveLength(1);
  });
});

const REFUSED: readonly (Seen & {
  readonly because: string;
  readonly what: Act;
  readonly writes: readonly Write[];
  readonly says: RegExp;
})[] = [
  { because: 'OLM has upgraded it since the backup', what: 'pause', subscription: automatic, csv: undefined, writes: [], says: /OLM has gone on/ },
  { because: 'it was installed again', what: 'pause', subscription: automatic, csv: version({ uid: 'new' }), writes: [], says: /OLM has gone on/ },
  { because: 'OLM began an upgrade before the pause', what: 'hold', subscription: paused, csv: installed, others: [next], writes: [RESUMED], says: /gadget\.v2 is replacing/ },
  { because: 'a person chose the approval', what: 'hold', subscription: manual, csv: installed, others: [next], writes: [], says: /gadget\.v2 is replacing/ },
  { because: 'it has no Subscription, and another uid', what: 'hold', csv: version({ uid: 'new' }), writes: [], says: /OLM has gone on/ },
  { because: 'a person approved the upgrade after the hold', what: 'delete', subscription: paused, csv: held, others: [next], writes: [UNHELD, RESUMED], says: /gadget\.v2 is replacing/ },
  { because: 'it does not work any more', what: 'delete', subscription: paused, csv: version({ finalizers: [CSV_CLEANUP, HOLD] }, 'Failed'), writes: [UNHELD, RESUMED], says: /Failed/ },
  { because: 'OLM deleted it after an upgrade', what: 'deleteSubscription', subscription: paused, csv: deleted, others: [next], writes: [RELEASED, RESUMED], says: /OLM has gone on/ },
  { because: 'OLM has upgraded it and collected the old version', what: 'deleteSubscription', subscription: paused, csv: undefined, writes: [RESUMED], says: /OLM has gone on/ },
  { because: 'OLM has upgraded it twice and collected the version between', what: 'deleteSubscription', subscription: { ...paused, status: { installedCSV: 'gadget.v3' } }, csv: deleted, writes: [RELEASED, RESUMED], says: /OLM has gone on/ },
  { because: 'it was created again while the version is held, which stays so', what: 'deleteSubscription', subscription: again, csv: deleted, writes: [], says: /created again/ },
  { because: 'it was created again once the version was released', what: 'deleteSubscription', subscription: again, csv: undefined, writes: [], says: /created again/ },
  { because: 'it was created again, and OLM has installed a version by it', what: 'deleteSubscription', subscription: { ...again, status: { installedCSV: 'gadget.v2' } }, csv: undefined, others: [next], writes: [], says: /OLM has gone on/ },
]; // prettier-ignore

describe('nothing is handed over, and the writes before are taken back', () => {
  test.each(REFUSED)('$what: $because', async ({ what, writes, says, ...seen }) => {
    const error: unknown = await act(what, seen).then(() => undefined, (thrown: unknown) => thrown); // prettier-ignore
    expect(error).toMatchObject({ reason: 'Collision', message: expect.stringMatching(says) as string, writes });
  });
});
