/** A way back to OLM v1 that has begun is given up again, as long as Slipway has the operator. */
import { beforeEach, describe, expect, test } from 'vitest';
import { refOf, type ObjectRef } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { backupRef } from './backup.ts';
import { extensionRef } from './kinds.ts';
import { StopUndo, type StopStep } from './stop.ts';
import { BACKUP, NAME, OBJECTS, Others, ownOf, putHandedOver } from './testing/handed-over.ts';
import { Undo } from './undo.ts';
import type { UndoStep } from './undo-steps.ts';
import { readWayBack } from './way-back.ts';

class Killed extends Error {}

const OWN = refOf(BACKUP.wanted);
const EXTENSION = extensionRef(NAME.extension);

let cluster: FakeCluster;
let others: Others;
/** Writes left until the process is killed. */
let writesLeft: number;

beforeEach(() => {
  writesLeft = Infinity;
  cluster = createFakeCluster({
    after: ({ verb }) => {
      if (['get', 'list', 'watch'].includes(verb)) return;
      writesLeft -= 1;
      if (writesLeft === 0) throw new Killed();
    },
  });
  others = new Others(cluster);
  putHandedOver(cluster);
});

/** Until the step of the way back has been carried out. */
async function until(last: UndoStep): Promise<void> {
  for (let count = 0; count < 40; count += 1) {
    await others.reconcile();
    const undo = new Undo({ cluster, name: NAME, signal: NEVER });
    const { step, facts } = await undo.next();
    await undo.carryOut(step, facts);
    if (step === last) return;
  }
  throw new Error(`never ${last}`);
}

async function stop(): Promise<readonly StopStep[]> {
  const steps: StopStep[] = [];
  for (let count = 0; count < 20; count += 1) {
    const stopping = new StopUndo({ cluster, name: NAME, signal: NEVER });
    const { step, facts } = await stopping.next();
    if (steps.at(-1) !== step) steps.push(step);
    if (step === 'Done') return steps;
    await stopping.carryOut(step, facts);
    await others.reconcile();
  }
  throw new Error(`no end after ${steps.join(', ')}`);
}

const live = (ref: ObjectRef) => cluster.get(ref);

async function expectKept(before: unknown): Promise<void> {
  expect((await live(OWN))?.['spec']).toEqual(before);
  expect((await live(OWN))?.metadata.deletionTimestamp).toBeUndefined();
  expect(await live(EXTENSION)).toBeUndefined();
  expect(readWayBack((await live(backupRef(NAME)))!)).toBeUndefined();
  for (const { metadata, ...object } of OBJECTS)
    expect((await live(refOf({ metadata, ...object })))?.metadata.annotations).toEqual(metadata.annotations);
}

describe('Slipway keeps the operator, and the way back can begin again', () => {
  test.each<{ after: UndoStep; steps: readonly StopStep[] }>([
    { after: 'KeepList', steps: ['Withdraw', 'Done'] },
    { after: 'Offer', steps: ['Withdraw', 'Done'] },
    { after: 'Pin', steps: ['Withdraw', 'Done'] },
  ])('after the step $after', async ({ after, steps }) => {
    const before = (await live(OWN))?.['spec'];
    await until(after);
    expect(await stop()).toEqual(steps);
    await expectKept(before);
    await until('Orphan');
  });

  test('although the way back could not go on: an upgrade has begun', async () => {
    const before = (await live(OWN))?.['spec'];
    await until('Pin');
    const pending = { bundle: 'gadget-operator.v2', version: '2.0.0', reason: 'Progressing' };
    cluster.change(OWN, (one) => ({ ...one, status: { ...fieldsOf(one['status']), pending } }));
    await others.reconcile();
    await expect(new Undo({ cluster, name: NAME, signal: NEVER }).next()).rejects.toThrow('gadget-operator.v2');
    await stop();
    await expectKept(before);
  });

  test('although another program has taken the annotation off the offer', async () => {
    const before = (await live(OWN))?.['spec'];
    await until('Pin');
    await cluster.patch(EXTENSION, { metadata: { annotations: { 'slipway.dev/adoption-offer': null } } });
    await stop();
    await expectKept(before);
  });

  test('wherever the process is killed', async () => {
    const before = (await live(OWN))?.['spec'];
    for (let write = 1; write <= 3; write += 1) {
      await until('Pin');
      writesLeft = write;
      await expect(stop()).rejects.toBeInstanceOf(Killed);
      await others.reconcile();
      await stop();
      await expectKept(before);
    }
  });

  test('and the command waits until OLM has released the offer', async () => {
    await until('Pin');
    const finalizers = ['olm.operatorframework.io/cleanup'];
    cluster.change(EXTENSION, (one) => ({ ...one, metadata: { ...one.metadata, finalizers } }));
    const stopping = new StopUndo({ cluster, name: NAME, signal: NEVER });
    const { step, facts } = await stopping.next();
    await stopping.carryOut(step, facts);
    expect((await stopping.next()).step).toBe('AwaitWithdrawn');
  });
});

test('nothing is written if no way back has begun', async () => {
  const before = cluster.requests.length;
  expect(await stop()).toEqual(['Done']);
  expect(cluster.requests.slice(before).filter(({ verb }) => !['get', 'list'].includes(verb))).toEqual([]);
});

test('an uninstall that the way back has held goes on', async () => {
  await until('Offer');
  await cluster.delete(OWN);
  await stop();
  expect(await live(OWN)).toBeUndefined();
  expect(await live(refOf(OBJECTS[0]!))).toBeUndefined();
});

describe('it is too late, and nothing is written', () => {
  test.each<{ because: string; change: () => Promise<unknown>; says: string }>([
    { because: 'Slipway leaves the objects', change: () => until('Orphan'), says: 'leaves its objects already' },
    { because: 'OLM gets the objects', change: () => until('Mark'), says: 'leaves its objects already' },
    {
      because: 'GitOps made the Subscription again',
      change: async () => {
        await until('Mark');
        cluster.put(ownOf({ metadata: { uid: 'another' } }));
      },
      says: 'leaves its objects already',
    },
    {
      because: 'a person has deleted the pinned Subscription, which leaves its objects',
      change: async () => {
        await until('Pin');
        await cluster.delete(OWN);
      },
      says: 'leaves its objects already',
    },
    { because: 'there is no backup', change: () => cluster.delete(backupRef(NAME)), says: 'does not exist' },
  ])('$because', async ({ change, says }) => {
    await change();
    const before = cluster.requests.length;
    await expect(stop()).rejects.toMatchObject({
      reason: 'Collision',
      message: expect.stringContaining(says) as string,
    });
    expect(cluster.requests.slice(before).filter(({ verb }) => !['get', 'list'].includes(verb))).toEqual([]);
  });
});
