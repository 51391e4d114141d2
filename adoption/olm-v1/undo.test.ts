/** An operator is handed back to OLM v1: in the same way wherever the process is killed, and not at all if it would do harm. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { CreateOptions } from '../../api/cluster.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { fieldsOf, type Fields } from '../../api/untyped.ts';
import { createFakeCluster, type FakeCluster, type FakeRequest } from '../../kube/testing/fake-cluster.ts';
import { HOLD } from '../olm-v0/kinds.ts';
import { backupRef, writeBackup } from './backup.ts';
import { extensionRef } from './kinds.ts';
import { BACKUP, NAME, OBJECTS, Others, ownOf, putBasics, putHandedOver } from './testing/handed-over.ts';
import { Undo } from './undo.ts';
import type { UndoStep } from './undo-steps.ts';
import { catalogFilter } from './extension.ts';
import { forgetWayBack, keepWayBack, readWayBack } from './way-back.ts';

class Killed extends Error {}

const OWN = refOf(BACKUP.wanted);
const EXTENSION = extensionRef(NAME.extension);
const RANGE = '>=1.0.0 <2.0.0';

let cluster: FakeCluster;
let others: Others;
/** Writes of the way back, counted only while one of its requests is under way. */
let writes: string[];
let isActing: boolean;
/** The write after whose answer the process is killed, counted from 1. */
let killedAfter: number;

beforeEach(() => {
  writes = [];
  isActing = false;
  killedAfter = 0;
  cluster = createFakeCluster({ after: (request) => note(request) });
  others = new Others(cluster);
  putHandedOver(cluster);
});

function note({ verb, ref }: FakeRequest): void {
  if (!isActing || ['get', 'list', 'watch'].includes(verb)) return;
  writes.push(`${verb} ${ref === undefined ? '' : describeRef(ref)}`);
  if (writes.length === killedAfter) throw new Killed();
}

function undo(): Undo {
  return new Undo({ cluster, name: NAME, signal: NEVER });
}

async function carryOutNext(): Promise<UndoStep> {
  const { step, facts } = await undo().next();
  isActing = true;
  try {
    await undo().carryOut(step, facts);
  } finally {
    isActing = false;
  }
  return step;
}

/** Until the backup is deleted; the other programs reconcile after each step. */
async function toTheEnd(): Promise<readonly UndoStep[]> {
  const steps: UndoStep[] = [];
  for (let count = 0; count < 60; count += 1) {
    await others.reconcile();
    try {
      steps.push(await carryOutNext());
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
    if ((await cluster.get(backupRef(NAME))) === undefined) return steps;
  }
  throw new Error(`no end after ${steps.join(', ')}`);
}

/** The objects that matter at the end, without the fields of the API server. */
async function ending(): Promise<unknown> {
  const refs = [OWN, EXTENSION, backupRef(NAME), ...OBJECTS.map(refOf)];
  const live = await Promise.all(refs.map((ref) => cluster.get(ref)));
  const { uid } = live[1]?.metadata ?? {};
  return live.map((object) => {
    if (object === undefined) return undefined;
    const { labels, annotations, finalizers, ownerReferences = [] } = object.metadata;
    const owners = ownerReferences.map((one) => [one.kind, one.name, one.uid === uid]);
    return { labels, annotations, finalizers, owners, spec: object['spec'] };
  });
}

describe('an operator is handed back', () => {
  test('with each object as OLM had it, and the ClusterExtension as it was', async () => {
    const uids = await Promise.all(OBJECTS.map(async (one) => (await cluster.get(refOf(one)))?.metadata.uid));
    const steps = await toTheEnd();
    expect(steps.filter((one, at) => one !== steps[at - 1] && !one.startsWith('Await'))).toEqual([
      'KeepList',
      'Offer',
      'KeepList',
      'Pin',
      'Orphan',
      'Mark',
      'Ask',
      'Restore',
      'ForgetBackup',
    ]);
    expect(await cluster.get(OWN)).toBeUndefined();
    const extension = await cluster.get(EXTENSION);
    expect(extension?.['spec']).toEqual(BACKUP.olm['spec']);
    expect(extension?.metadata).toMatchObject({ labels: { team: 'a' } });
    expect(Object.keys(extension?.metadata.annotations ?? {})).toEqual([]);
    const live = await Promise.all(OBJECTS.map((one) => cluster.get(refOf(one))));
    expect(live.map((one) => one?.metadata.uid)).toEqual(uids);
    for (const { metadata } of live.flatMap((one) => one ?? [])) {
      expect(metadata.labels).toEqual({
        team: 'a',
        'app.kubernetes.io/managed-by': 'Helm',
        'olm.operatorframework.io/owner-kind': 'ClusterExtension',
        'olm.operatorframework.io/owner-name': 'gadget',
      });
      expect(metadata.annotations).toEqual({
        'meta.helm.sh/release-name': 'gadget',
        'meta.helm.sh/release-namespace': 'ops',
      });
      expect(metadata.ownerReferences).toMatchObject([{ uid: extension?.metadata.uid }]);
    }
  });

  test('in the version to which Slipway has upgraded it, with the objects of that version', async () => {
    const added = { ...OBJECTS[1]!, metadata: { ...OBJECTS[1]!.metadata, name: 'added' } };
    cluster.put(added);
    cluster.change({ ...OWN, kind: 'Revision', name: 'gadget-1' }, (one) => ({
      ...one,
      status: { inventory: [...OBJECTS, added].map((object) => ({ ...refOf(object), uid: 'u', hash: 'h' })) },
    }));
    const installed = { bundle: 'gadget-operator.v1.1.0', version: '1.1.0', revision: 'gadget-1' };
    cluster.change(OWN, () => ownOf({ status: { installed } }));
    others.versions = ['1.0.0', '1.1.0'];
    await toTheEnd();
    const status = fieldsOf((await cluster.get(EXTENSION))?.['status']);
    expect(status['install']).toEqual({ bundle: { name: 'gadget-operator.v1.1.0', version: '1.1.0' } });
    expect((await cluster.get(refOf(added)))?.metadata.labels?.['app.kubernetes.io/managed-by']).toBe('Helm');
  });

  test('with an upgrade of Slipway in between, in the new version', async () => {
    await until('Offer');
    const installed = { bundle: 'gadget-operator.v1.1.0', version: '1.1.0', revision: 'gadget-1' };
    cluster.change(OWN, () => ownOf({ status: { installed } }));
    others.versions = ['1.0.0', '1.1.0'];
    const steps = await toTheEnd();
    expect(steps).toEqual(expect.arrayContaining(['Withdraw', 'Offer']));
    expect(fieldsOf((await cluster.get(EXTENSION))?.['status'])['install']).toMatchObject({
      bundle: { version: '1.1.0' },
    });
  });

  test('leaves an object that another program has created again under the name', async () => {
    const ref = refOf(OBJECTS[1]!);
    await cluster.delete(ref);
    cluster.put({ ...ref, metadata: { name: ref.name, namespace: 'ops', labels: { theirs: 'yes' } } });
    const { state } = await undo()
      .next()
      .then(({ facts }) => facts);
    expect(state.unmarked).toEqual([]);
    for (const one of ['Offer', 'Pin', 'Orphan', 'Mark'] as const) await until(one);
    expect((await cluster.get(ref))?.metadata.labels).toEqual({ theirs: 'yes' });
  });
});

test('an object that another program creates again while others are marked is left', async () => {
  await until('Orphan');
  await others.reconcile();
  const { step, facts } = await undo().next();
  expect(step).toBe('Mark');
  const ref = refOf(OBJECTS[1]!);
  await cluster.delete(ref);
  cluster.put({ ...ref, metadata: { name: ref.name, namespace: 'ops', labels: { theirs: 'yes' } } });
  await undo().carryOut(step, facts);
  expect((await cluster.get(ref))?.metadata.labels).toEqual({ theirs: 'yes' });
});

test('the objects stay if the Subscription lost its finalizer while no manager ran', async () => {
  await until('Orphan');
  others.isManagerUp = false;
  cluster.change(OWN, (one) => ({ ...one, metadata: { ...one.metadata, finalizers: [] } }));
  for (let count = 0; count < 12; count += 1) {
    await others.reconcile();
    await carryOutNext();
  }
  expect(await cluster.get(backupRef(NAME))).toBeDefined();
  others.isManagerUp = true;
  await toTheEnd();
  for (const object of OBJECTS) expect(await cluster.get(refOf(object))).toBeDefined();
});

describe('another program changes the ClusterExtension while the objects are handed back', () => {
  const OFFER = 'slipway.dev/adoption-offer';
  const version = (text: string): Fields => ({ spec: { source: { catalog: { version: text } } } });

  test.each<{ because: string; at: UndoStep; patch: Fields; versions?: readonly string[]; end: string }>([
    ...(['Orphan', 'Mark', 'Ask'] as const).flatMap((at) => [
      { because: 'it removes the annotation', at, patch: { metadata: { annotations: { [OFFER]: null } } }, end: RANGE },
    ]),
    ...(['Orphan', 'Mark'] as const).map((at) => ({
      because: 'it applies another version',
      at,
      patch: version('0.9.0'),
      end: RANGE,
    })),
    {
      because: 'it applies another version that OLM has',
      at: 'Ask',
      patch: version('1.1.0'),
      versions: ['1.0.0', '1.1.0'],
      end: '1.1.0',
    },
  ])('after $at, and OLM has every object all the same: $because', async ({ at, patch, versions, end }) => {
    await until(at);
    others.versions = versions ?? others.versions;
    await cluster.patch(EXTENSION, patch);
    await toTheEnd();
    const extension = await cluster.get(EXTENSION);
    expect(catalogFilter(extension)['version']).toBe(end);
    for (const one of OBJECTS)
      expect((await cluster.get(refOf(one)))?.metadata.ownerReferences).toMatchObject([
        { uid: extension?.metadata.uid },
      ]);
  });
});

/** Carries out steps until this one is done. */
async function until(wanted: UndoStep): Promise<void> {
  for (let count = 0; count < 20; count += 1) {
    await others.reconcile();
    if ((await carryOutNext()) === wanted) return;
  }
  throw new Error(`${wanted} is not reached`);
}

describe('killed after any write', () => {
  test('the way back goes on to the same end', async () => {
    await toTheEnd();
    const [expected, count] = [await ending(), writes.length];
    expect(count).toBeGreaterThan(8);
    for (let at = 1; at <= count; at += 1) {
      writes = [];
      killedAfter = at;
      cluster = createFakeCluster({ after: (request) => note(request) });
      others = new Others(cluster);
      putHandedOver(cluster);
      await toTheEnd();
      expect(await ending(), `killed after ${writes[at - 1]}`).toEqual(expected);
    }
  });
});

describe('a person deletes the Subscription between two writes of a way back', () => {
  /** A way back from its beginning; whether it was killed after this write, and not over before. */
  async function isKilled(at: number, versions: readonly string[]): Promise<boolean> {
    writes = [];
    killedAfter = at;
    cluster = createFakeCluster({ after: (request) => note(request) });
    others = new Others(cluster);
    others.versions = versions;
    putHandedOver(cluster);
    for (let count = 0; count < 40; count += 1) {
      await others.reconcile();
      const error = await carryOutNext().catch((thrown: unknown) => thrown);
      if (error instanceof Killed) return true;
      if (error instanceof Error || error === 'ForgetBackup') return false;
    }
    return false;
  }
  const uids = async () => Promise.all(OBJECTS.map(async (one) => (await cluster.get(refOf(one)))?.metadata.uid));

  test.each<{ because: string; versions: readonly string[]; objects: string }>([
    { because: 'an uninstall while OLM has the version', versions: ['1.0.0'], objects: 'Delete' },
    { because: 'an uninstall while OLM lacks the version', versions: [], objects: 'Delete' },
    { because: 'the objects are to stay, and OLM has the version', versions: ['1.0.0'], objects: 'Orphan' },
  ])('and OLM installs nothing a second time: $because', async ({ versions, objects }) => {
    let checked = 0;
    for (let at = 1; await isKilled(at, versions); at += 1) {
      const own = await cluster.get(OWN);
      if (own === undefined || own.metadata.deletionTimestamp !== undefined) continue;
      checked += 1;
      const before = await uids();
      if (objects === 'Orphan') await cluster.patch(OWN, { spec: { uninstall: { objects } } });
      await cluster.delete(OWN);
      for (let count = 0; count < 3; count += 1) await others.reconcile();
      const isSame = JSON.stringify(await uids()) === JSON.stringify(before);
      const isOffered = (await cluster.get(EXTENSION)) !== undefined;
      expect(isSame || !isOffered, `after ${writes[at - 1]}`).toBe(true);
      const hasBegun = readWayBack((await cluster.get(backupRef(NAME)))!) !== undefined;
      if (!isOffered && !(hasBegun && isSame)) continue;
      killedAfter = 0;
      // The way out that the condition of a held uninstall names.
      killedAfter = 0;
      others.versions = ['1.0.0'];
      if ((await cluster.get(OWN)) !== undefined)
        await cluster.patch(OWN, { spec: { uninstall: { objects: 'Orphan' } } });
      await toTheEnd();
      expect(await uids(), `after ${writes[at - 1]}`).toEqual(before);
    }
    expect(checked).toBeGreaterThan(3);
  });
});

describe('a hand-over from which OLM has not gone yet', () => {
  const held = (catalog: object, metadata: object = {}): KubeObject => ({
    ...BACKUP.olm,
    metadata: { ...BACKUP.olm.metadata, finalizers: ['theirs', HOLD], ...metadata },
    spec: { ...fieldsOf(BACKUP.olm['spec']), source: { sourceType: 'Catalog', catalog } },
  });

  beforeEach(() => {
    cluster = createFakeCluster({ after: (request) => note(request) });
    putBasics(cluster);
    cluster.put(writeBackup(BACKUP, NAME.kept));
  });

  test.each([
    { because: 'it is pinned and held', catalog: { packageName: 'gadget-operator', version: '1.0.0' }, version: RANGE },
    { because: 'nothing was written yet', catalog: { packageName: 'gadget-operator', version: RANGE }, version: RANGE },
    { because: 'a person has written another version', catalog: { packageName: 'x', version: '2.x' }, version: '2.x' },
  ])('is called off: $because', async ({ catalog, version }) => {
    cluster.put(held(catalog));
    for (killedAfter = 1; (await cluster.get(backupRef(NAME))) !== undefined; killedAfter = 0)
      await carryOutNext().catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
    const live = await cluster.get(EXTENSION);
    expect(live?.metadata.finalizers).toEqual(['theirs']);
    expect(fieldsOf(fieldsOf(fieldsOf(live?.['spec'])['source'])['catalog'])['version']).toBe(version);
  });

  test.each([
    { because: 'it is deleted', metadata: { deletionTimestamp: '2026-11-23T00:00:00Z' }, says: 'has not ended' },
    { because: 'OLM has another one of the name', metadata: { uid: 'another' }, says: 'has not ended' },
  ])('is not called off any more: $because', async ({ metadata, says }) => {
    cluster.put(held({ version: '1.0.0' }, metadata));
    await expect(undo().next()).rejects.toMatchObject({
      reason: 'Collision',
      message: expect.stringContaining(says) as string,
    });
  });

  test('is not called off if the manager would begin again', async () => {
    cluster.put(held({ version: '1.0.0' }));
    cluster.put(ownOf({ spec: { adopt: { from: 'OLMv1', clusterExtension: 'gadget' } } }));
    await expect(undo().next()).rejects.toThrow('goes on with the hand-over by itself');
  });
});

describe('a person has changed the Subscription since its pin, and the way back is withdrawn', () => {
  const installed = { bundle: 'gadget-operator.v1.1.0', version: '1.1.0', revision: 'gadget-1' };
  test.each<{ because: string; spec: object; version: string; objects: string }>([
    { because: 'nothing was changed', spec: {}, version: RANGE, objects: 'Delete' },
    { because: 'the version was changed', spec: { version: '1.1.0' }, version: '1.1.0', objects: 'Delete' },
    {
      because: 'both were changed',
      spec: { version: '1.x', uninstall: { objects: 'Delete' } },
      version: '1.x',
      objects: 'Delete',
    },
    {
      because: 'the objects are to be deleted again',
      spec: { uninstall: { objects: 'Delete' } },
      version: RANGE,
      objects: 'Delete',
    },
  ])('each field is as it was, or as it was changed: $because', async ({ spec, version, objects }) => {
    await until('Pin');
    await cluster.patch(OWN, { spec });
    cluster.change(OWN, (one) => ({ ...one, status: { ...fieldsOf(one['status']), installed } }));
    await until('Withdraw');
    expect((await cluster.get(OWN))?.['spec']).toMatchObject({ version, uninstall: { objects } });
  });
});

describe('OLM is asked before anything is changed, and Slipway keeps the operator', () => {
  test('if OLM lacks the version', async () => {
    others.versions = [];
    const before = await cluster.get(OWN);
    await expect(toTheEnd()).rejects.toMatchObject({
      reason: 'Collision',
      message: expect.stringContaining('no bundles found') as string,
    });
    await others.reconcile();
    expect(await cluster.get(EXTENSION)).toBeUndefined();
    expect((await cluster.get(OWN))?.['spec']).toEqual(before?.['spec']);
    expect(OBJECTS.map((one) => one.metadata.labels)).toEqual(
      (await Promise.all(OBJECTS.map((one) => cluster.get(refOf(one))))).map((one) => one?.metadata.labels),
    );
    expect(readWayBack((await cluster.get(backupRef(NAME)))!)).toBeUndefined();
    expect((await undo().next()).step).toBe('KeepList');
  });

  test('if OLM has lost the version before Slipway leaves the objects', async () => {
    const before = await cluster.get(OWN);
    await until('Pin');
    others.versions = [];
    await stir();
    await expect(toTheEnd()).rejects.toThrow('no bundles found');
    expect((await cluster.get(OWN))?.['spec']).toEqual(before?.['spec']);
    await others.reconcile();
    others.versions = ['1.0.0'];
    await toTheEnd();
    expect(await cluster.get(OWN)).toBeUndefined();
  });
});

test('the Subscription is as it was, also if the list was kept again after the pin', async () => {
  const before = (await cluster.get(OWN))?.['spec'];
  await until('Pin');
  const revision = { ...OWN, kind: 'Revision' };
  const { status } = (await cluster.get({ ...revision, name: 'gadget-1' }))!;
  cluster.put({ ...revision, metadata: { name: 'gadget-2', namespace: 'ops' }, status });
  const installed = { bundle: 'gadget-operator.v1.0.0', version: '1.0.0', revision: 'gadget-2' };
  cluster.change(OWN, (one) => ({ ...one, status: { ...fieldsOf(one['status']), installed } }));
  await until('KeepList');
  const kept = readWayBack((await cluster.get(backupRef(NAME)))!);
  expect(kept?.spec).toEqual(BACKUP.olm['spec']);
  others.versions = [];
  await stir();
  await expect(toTheEnd()).rejects.toThrow('no bundles found');
  expect((await cluster.get(OWN))?.['spec']).toEqual(before);
});

/** A change of the ClusterExtension has OLM reconcile it. */
async function stir(): Promise<void> {
  await cluster.patch(EXTENSION, { metadata: { annotations: { stirred: '1' } } });
}

describe('an operator is not handed back', () => {
  const installed = { bundle: 'gadget-operator.v1.0.0', version: '1.0.0', revision: 'gadget-1' };
  const wayBack = { subscription: 'own', ...installed, managed: [], extension: 'offered', spec: {}, before: {} };
  const keep = async (): Promise<unknown> => cluster.patch(backupRef(NAME), keepWayBack(wayBack));

  test.each<{ because: string; change: () => unknown; says: string }>([
    { because: 'there is no backup', change: () => cluster.delete(backupRef(NAME)), says: 'does not exist' },
    {
      because: 'it was uninstalled since',
      change: () =>
        cluster.change(OWN, (one) => ({
          ...one,
          metadata: { ...one.metadata, finalizers: [], deletionTimestamp: '2026-11-23T00:00:00Z' },
        })),
      says: 'it was uninstalled since',
    },
    {
      because: 'Slipway has left it after an offer of an earlier release, which kept no list',
      change: async () => {
        await until('Offer');
        await cluster.patch(backupRef(NAME), forgetWayBack());
        cluster.change(OWN, (one) => ({
          ...one,
          metadata: { ...one.metadata, finalizers: [], deletionTimestamp: '2026-11-23T00:00:00Z' },
        }));
        writes = [];
      },
      says: 'its Subscription was deleted since',
    },
    {
      because: 'it is being uninstalled',
      change: () => cluster.delete(OWN),
      says: 'is being deleted',
    },
    {
      because: 'an upgrade is under way',
      change: () =>
        cluster.change(OWN, () =>
          ownOf({ status: { pending: { bundle: 'gadget-operator.v2', version: '2.0.0', reason: 'Progressing' } } }),
        ),
      says: 'gadget-operator.v2 comes next',
    },
    {
      because: 'its status is of an earlier spec',
      change: () => cluster.change(OWN, () => ownOf({ status: { observedGeneration: 0 } })),
      says: 'not Ready',
    },
    {
      because: 'Slipway has issued its certificates, and OLM has cert-manager issue others',
      change: () => putCertificate({ 'slipway.dev/certificate-due': '2027-01-01T00:00:00Z' }),
      says: 'Slipway has issued the certificate in Secret ops/gadget-service-cert',
    },
    {
      because: 'OLM knows one watched namespace or all',
      change: () => cluster.change(OWN, () => ownOf({ spec: { watchNamespaces: ['a', 'b'] } })),
      says: 'it watches several namespaces',
    },
    {
      because: 'another program has created the ClusterExtension, in any version',
      change: () => cluster.put({ ...BACKUP.olm, metadata: { name: 'gadget' }, status: {} }),
      says: 'exists already, and was not created by the way back',
    },
    {
      because: 'OLM would write at once, by a release that is left',
      change: () => {
        cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olmv1-system' } });
        const labels = { owner: 'operator-controller', type: 'index', name: 'gadget' };
        const metadata = { name: 'release', namespace: 'olmv1-system', labels };
        cluster.put({ apiVersion: 'v1', kind: 'Secret', metadata, type: 'operatorframework.io/index.v1' });
      },
      says: 'of its release of Helm is left',
    },
    {
      because: 'GitOps made the Subscription again',
      change: async () => {
        await keep();
        cluster.put(ownOf({ metadata: { uid: 'another' } }));
      },
      says: 'was created again since',
    },
    {
      because: 'another program made the ClusterExtension after Slipway had left the objects',
      change: async () => {
        await keep();
        cluster.change(OWN, (one) => ({
          ...one,
          metadata: { ...one.metadata, finalizers: [], deletionTimestamp: '2026-11-23T00:00:00Z' },
        }));
        cluster.put({ ...BACKUP.olm, metadata: { name: 'gadget' }, status: {} });
      },
      says: 'exists already, and was not created by the way back',
    },
  ])('$because', async ({ change, says }) => {
    await change();
    await expect(undo().next()).rejects.toMatchObject({
      reason: 'Collision',
      message: expect.stringContaining(says) as string,
    });
    expect(writes).toEqual([]);
  });

  test('whose API server would not leave the objects', async () => {
    await until('Offer');
    await until('KeepList');
    const { step, facts } = await undo().next();
    const old = { ...cluster, patch: async () => ownOf({ spec: { uninstall: {} } }) };
    const outdated = new Undo({ cluster: old, name: NAME, signal: NEVER });
    await expect(outdated.carryOut(step, facts)).rejects.toThrow('has no field spec.uninstall.objects');
  });
});

test('Slipway prunes the leftovers of its last upgrade before it leaves the objects', async () => {
  const revision = { ...OWN, kind: 'Revision', name: 'gadget-1' };
  const [entry] = OBJECTS.map((object) => ({ ...refOf(object), uid: 'u', hash: 'h' }));
  cluster.change(revision, (one) => ({ ...one, status: { inventory: [{ ...entry, leftover: true }] } }));
  await until('Pin');
  await others.reconcile();
  expect((await undo().next()).step).toBe('AwaitPinned');
  cluster.change(revision, (one) => ({ ...one, status: { inventory: [entry] } }));
  expect((await undo().next()).step).toBe('Orphan');
});

/** The Secret of a certificate, in the inventory beside its Deployment. */
function putCertificate(annotations: Readonly<Record<string, string>> = {}): void {
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'ops', name: 'gadget-service-cert' };
  cluster.put({ ...secret, metadata: { name: secret.name, namespace: 'ops', annotations } });
  const inventory = [...OBJECTS.map(refOf), secret].map((ref) => ({ ...ref, uid: 'u', hash: 'h' }));
  cluster.change({ ...OWN, kind: 'Revision', name: 'gadget-1' }, (one) => ({ ...one, status: { inventory } }));
}

test('an operator with certificates of cert-manager is handed back', async () => {
  putCertificate();
  cluster.change(OWN, () => ownOf({ spec: { certificates: 'CertManager' } }));
  await toTheEnd();
  expect(await cluster.get(OWN)).toBeUndefined();
});

test('a ClusterExtension that was deleted during the way back is created again', async () => {
  await until('Orphan');
  cluster.change(EXTENSION, (one) => ({
    ...one,
    metadata: { ...one.metadata, finalizers: [], deletionTimestamp: '2026-11-23T00:00:00Z' },
  }));
  const steps = await toTheEnd();
  expect(steps).toContain('Offer');
  expect((await cluster.get(EXTENSION))?.['spec']).toEqual(BACKUP.olm['spec']);
});

test('the ClusterExtension gets the settings that Slipway has now', async () => {
  const config = { env: [{ name: 'LEVEL', value: 'debug' }] };
  cluster.change(OWN, () => ownOf({ spec: { config, version: '1.x' } }));
  await until('Offer');
  expect(specOf(await cluster.get(EXTENSION))).toEqual({
    version: '1.0.0',
    config: { configType: 'Inline', inline: { deploymentConfig: config } },
  });
  await toTheEnd();
  expect(specOf(await cluster.get(EXTENSION))).toMatchObject({ version: '1.x' });
});

describe('a tenant whose Subscription acts as a ServiceAccount does not widen the ClusterExtension', () => {
  const tenant = { serviceAccountName: 'tenant', channel: '*', edges: 'Ignore', version: undefined };

  test('which gets the spec of the backup', async () => {
    cluster.change(OWN, () => ownOf({ spec: tenant }));
    await until('Offer');
    expect(catalogFilter(await cluster.get(EXTENSION))).toEqual({ ...catalogFilter(BACKUP.olm), version: '1.0.0' });
    await toTheEnd();
    expect((await cluster.get(EXTENSION))?.['spec']).toEqual(BACKUP.olm['spec']);
  });

  test('and which is not offered if the backup does not allow the installed version', async () => {
    const installed = { bundle: 'gadget-operator.v2.0.0', version: '2.0.0', revision: 'gadget-1' };
    cluster.change(OWN, () => ownOf({ spec: tenant, status: { installed } }));
    others.versions = ['2.0.0'];
    await expect(toTheEnd()).rejects.toMatchObject({
      reason: 'Collision',
      message: expect.stringContaining('the backup allows >=1.0.0 <2.0.0, and 2.0.0 is installed') as string,
    });
    expect(await cluster.get(EXTENSION)).toBeUndefined();
  });
});

function specOf(extension: KubeObject | undefined): Fields {
  const { config } = fieldsOf(extension?.['spec']);
  return { version: catalogFilter(extension)['version'], config };
}

test('nothing is changed if OLM would reject the versions that Slipway has', async () => {
  const rejecting = {
    ...cluster,
    create: (object: KubeObject, options: CreateOptions = {}) => {
      if (catalogFilter(object)['version'] !== '1.0.0') throw new Error('it does not match');
      return cluster.create(object, options);
    },
  };
  const { step, facts } = await undo().next();
  await expect(new Undo({ cluster: rejecting, name: NAME, signal: NEVER }).carryOut(step, facts)).rejects.toThrow(
    'not match',
  );
  expect(await cluster.get(EXTENSION)).toBeUndefined();
  expect(readWayBack((await cluster.get(backupRef(NAME)))!)).toBeUndefined();
});
