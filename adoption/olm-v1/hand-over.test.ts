/** The writes of single steps of a hand-over from OLM v1, and the states in which nothing is written. */
import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../api/cluster.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { HOLD } from '../olm-v0/kinds.ts';
import { writeBackup, type Backup } from './backup.ts';
import type { Gathered } from './gather.ts';
import { HandOver, type HandOverOptions } from './hand-over.ts';
import { offerOf } from './offer.ts';
import type { HandOverState, StepName } from './steps.ts';
import { extensionOf, surveyOf } from './testing/extension.ts';
import { translateExtension } from './translate.ts';

const name = { extension: 'gadget', kept: 'slipway-system' };
const { manifest: wanted } = translateExtension(surveyOf(), { name: 'gadget' });
const secretRef: ObjectRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'olmv1-system', name: 'release' };
const service = { apiVersion: 'v1', kind: 'Service', namespace: 'ops', name: 'one' };
const backup: Backup = { extension: 'gadget', olm: extensionOf(), wanted, range: '1.x', objects: [], isEnded: false };

const NONE = async (): Promise<undefined> => undefined;

interface Write {
  readonly verb: string;
  readonly of: string;
  readonly content?: unknown;
}

/** Accepts every write, and has the objects that are given. */
class Recorder {
  readonly writes: Write[] = [];
  readonly #live: readonly KubeObject[];

  constructor(live: readonly KubeObject[] = []) {
    this.#live = live;
  }

  cluster(): Cluster {
    const note = async (verb: string, ref: ObjectRef, content?: unknown): Promise<KubeObject> => {
      this.writes.push({ verb, of: describeRef(ref), ...(content !== undefined && { content }) });
      return { apiVersion: ref.apiVersion, kind: ref.kind, metadata: { name: ref.name } };
    };
    return {
      get: async (ref) => this.#live.find((one) => describeRef(refOf(one)) === describeRef(ref)),
      list: async () => [],
      isNamespaced: async () => true,
      create: (object, { dryRun = false } = {}) => note(dryRun ? 'try' : 'create', refOf(object)),
      apply: (object) => note('apply', refOf(object)),
      patch: (ref, patch) => note('patch', ref, patch),
      delete: (ref, options) => note('delete', ref, options),
    };
  }
}

const STATE: HandOverState = {
  hasBackup: true,
  isEnded: false,
  isOlmBusy: false,
  extension: extensionOf({ metadata: { finalizers: ['theirs'] } }),
  isHeldByVersion: false,
  isSettled: true,
  hasGoneOn: false,
  marked: [],
  subscription: undefined,
  isReady: false,
  leftovers: [],
  isPinned: true,
};

function gathered(state: Partial<HandOverState> = {}, changes: Partial<Gathered> = {}): Gathered {
  return { backup, isOnWayBack: false, survey: surveyOf(), state: { ...STATE, ...state }, ...changes };
}

function handOverIn(recorder: Recorder, obstacle: HandOverOptions['obstacle'] = NONE): HandOver {
  const translation = { manifest: wanted, range: '1.x' };
  return new HandOver({ cluster: recorder.cluster(), name, wanted: () => translation, obstacle, signal: NEVER });
}

async function writesOf(step: StepName, facts: Gathered, live: readonly KubeObject[] = []): Promise<readonly Write[]> {
  const recorder = new Recorder(live);
  await handOverIn(recorder).carryOut(step, facts);
  return recorder.writes;
}

const EXTENSION = 'ClusterExtension.olm.operatorframework.io gadget';
const SUBSCRIPTION = 'Subscription.slipway.dev ops/gadget';
const BACKUP = 'Secret slipway-system/slipway-adoption-v1.gadget';
const marked: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'one', namespace: 'ops', labels: { 'olm.operatorframework.io/owner-name': 'gadget' } },
};
const ended = { metadata: { annotations: { 'slipway.dev/adoption-stage': 'HandedOver' } } };

const upgraded = extensionOf({
  metadata: { finalizers: ['theirs', HOLD] },
  status: { install: { bundle: { name: 'gadget-operator.v1.1.0', version: '1.1.0' } } },
});

describe('a step', () => {
  test.each<{
    step: StepName;
    state?: Partial<HandOverState>;
    live?: readonly KubeObject[];
    writes: readonly unknown[];
  }>([
    {
      step: 'Pause',
      writes: [
        {
          verb: 'patch',
          of: EXTENSION,
          content: { metadata: { resourceVersion: '7' }, spec: { source: { catalog: { version: '1.0.0' } } } },
        },
      ],
    },
    {
      step: 'Hold',
      writes: [
        { verb: 'patch', of: EXTENSION, content: { metadata: { resourceVersion: '7', finalizers: ['theirs', HOLD] } } },
      ],
    },
    {
      step: 'Delete',
      writes: [{ verb: 'delete', of: EXTENSION, content: { uid: 'u', resourceVersion: '7', propagation: 'Orphan' } }],
    },
    {
      step: 'HandOver',
      state: { marked: [service, { ...service, name: 'gone' }] },
      live: [marked],
      writes: [{ verb: 'patch', of: 'Service ops/one', content: expect.anything() }],
    },
    { step: 'Subscribe', writes: [{ verb: 'create', of: SUBSCRIPTION }] },
    {
      step: 'Release',
      state: { extension: extensionOf({ metadata: { finalizers: [HOLD] } }) },
      writes: [{ verb: 'patch', of: EXTENSION, content: { metadata: { resourceVersion: '7', finalizers: [] } } }],
    },
    {
      step: 'CleanUp',
      state: { leftovers: [secretRef] },
      writes: [{ verb: 'delete', of: 'Secret olmv1-system/release', content: { propagation: 'Background' } }],
    },
    {
      step: 'Unpin',
      state: { subscription: { ...wanted, metadata: { ...wanted.metadata, resourceVersion: '9' } } },
      writes: [
        { verb: 'patch', of: SUBSCRIPTION, content: { metadata: { resourceVersion: '9' }, spec: { version: '1.x' } } },
        { verb: 'patch', of: BACKUP, content: ended },
      ],
    },
    { step: 'End', writes: [{ verb: 'patch', of: BACKUP, content: ended }] },
    { step: 'AwaitOlmOut', writes: [] },
    { step: 'Done', writes: [] },
  ])('$step writes that and nothing else', async ({ step, state, live, writes }) => {
    expect(await writesOf(step, gathered(state), live)).toEqual(writes);
  });

  test('BackUp tries the Subscription before it writes the backup', async () => {
    const writes = await writesOf('BackUp', gathered({}, { backup: undefined }));
    expect(writes).toEqual([
      { verb: 'try', of: SUBSCRIPTION },
      { verb: 'create', of: BACKUP },
    ]);
  });

  test.each<{ because: string; step: StepName; facts: Gathered; live?: readonly KubeObject[]; message: RegExp }>([
    {
      because: 'it does not exist',
      step: 'BackUp',
      facts: gathered({}, { backup: undefined, survey: surveyOf({ extension: undefined }) }),
      message: /does not exist/,
    },
    {
      because: 'a Subscription has the name',
      step: 'BackUp',
      facts: gathered({}, { backup: undefined }),
      live: [wanted],
      message: /exists already.*--name/,
    },
  ])('$step is refused if $because', async ({ step, facts, live, message }) => {
    const refused = writesOf(step, facts, live);
    await expect(refused).rejects.toMatchObject({ reason: 'Collision' });
    await expect(refused).rejects.toThrow(message);
  });
});

test('Resume gives OLM its versions back, deletes the backup, and is refused', async () => {
  const recorder = new Recorder();
  const refused = handOverIn(recorder).carryOut('Resume', gathered({ extension: upgraded }));
  await expect(refused).rejects.toMatchObject({
    reason: 'Collision',
    message: expect.stringContaining('version 1.1.0'),
  });
  const patch = {
    metadata: { resourceVersion: '7', finalizers: ['theirs'] },
    spec: { source: { catalog: { version: '1.x' } } },
  };
  expect(recorder.writes).toEqual([
    { verb: 'patch', of: EXTENSION, content: patch },
    { verb: 'delete', of: BACKUP, content: {} },
  ]);
});

test('a ClusterExtension that was created again is not taken for the one of the backup', async () => {
  const again = extensionOf({ metadata: { uid: 'another' } });
  const recorder = new Recorder([writeBackup(backup, name.kept), again]);
  await expect(handOverIn(recorder).next()).rejects.toMatchObject({ reason: 'Collision' });
});

test('a ClusterExtension that OLM was offered on the way back is not handed over', async () => {
  const offer = offerOf(extensionOf(), {}, '1.0.0');
  const recorder = new Recorder([
    writeBackup(backup, name.kept),
    { ...offer, metadata: { ...offer.metadata, uid: 'u' } },
  ]);
  await expect(handOverIn(recorder).next()).rejects.toMatchObject({
    reason: 'Collision',
    message: expect.stringContaining('it is being handed back') as string,
  });
});

describe('before anything is changed', () => {
  test('a bundle that Slipway could not install is refused', async () => {
    const recorder = new Recorder();
    const obstacle = async (): Promise<string> => 'no Catalog has version 1.0.0';
    const refused = handOverIn(recorder, obstacle).carryOut('BackUp', {
      ...gathered({ hasBackup: false }),
      backup: undefined,
    });
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining('no Catalog has') as string });
    expect(recorder.writes).toEqual([]);
  });
});

test('a ClusterExtension that is too large for a backup is refused before anything is changed', async () => {
  const note = Array.from({ length: 120_000 }, (_, at) => String(Math.sin(at))).join('');
  const survey = surveyOf({ extension: extensionOf({ metadata: { annotations: { note } } }) });
  const recorder = new Recorder();
  const facts = { ...gathered({ hasBackup: false }, { survey }), backup: undefined };
  await expect(handOverIn(recorder).carryOut('BackUp', facts)).rejects.toMatchObject({ reason: 'InputInvalid' });
  expect(recorder.writes.filter(({ verb }) => verb !== 'try')).toEqual([]);
});

describe('a hand-over that others have interfered with ends with an error', () => {
  const secret = writeBackup(backup, name.kept);
  const subscription = (packageName: string): KubeObject => ({ ...wanted, spec: { package: packageName } });
  test.each([
    { because: 'the ClusterExtension and its operator are gone', live: [], says: /was deleted by another program/ },
    {
      because: 'a namespace has a Subscription of that name for another package',
      live: [subscription('another')],
      says: /is for another package/,
    },
    {
      because: 'a person deletes it with its objects',
      live: [
        extensionOf({
          metadata: { deletionTimestamp: '2026-11-23T00:00:00Z', finalizers: [HOLD, 'foregroundDeletion'] },
        }),
      ],
      says: /deletes it with its objects/,
    },
  ])('$because', async ({ live, says }) => {
    const handOver = handOverIn(new Recorder([secret, ...live]));
    await expect(handOver.next()).rejects.toMatchObject({ message: expect.stringMatching(says) as string });
  });
});
