/** A Subscription is deleted in the middle of a hand-over: no object of OLM stays held, wherever the deletion comes. */
import { describe, expect, test } from 'vitest';
import { HOLD, TARGET_ANNOTATIONS } from '../../../adoption/olm-v0/kinds.ts';
import type { ObjectRef } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { NEVER } from '../../../api/testing/never.ts';
import type { May, FakeCluster } from '../../../kube/testing/fake-cluster.ts';
import { hasFinalizer } from '../../finalizer.ts';
import { createKeptBackups } from '../../kept-backups.ts';
import { endAdoption } from './end.ts';
import { Adopter, adopted, BACKUP, clusterWith, find, olm, own, SPEC } from './testing/scene.ts';
import { adopterOfV1, BACKUP_V1, clusterOfV1, EXTENSION_REF, RELEASE, SPEC_V1, versionOfExtension } from './testing/scene-v1.ts'; // prettier-ignore

interface Side {
  readonly from: string;
  readonly cluster: (spec?: object) => FakeCluster;
  readonly adopter: () => Adopter;
  readonly spec: object;
  readonly backup: ObjectRef;
  /** The object of OLM that is held. */
  readonly held: ObjectRef;
}

const SIDES: readonly Side[] = [
  { from: 'OLM v1', cluster: (spec = SPEC_V1) => clusterOfV1(spec, { extension: { catalog: { version: '1.x' } } }), adopter: adopterOfV1, spec: SPEC_V1, backup: BACKUP_V1, held: EXTENSION_REF }, // prettier-ignore
  { from: 'OLM v0', cluster: (spec = SPEC) => clusterWith(spec), adopter: () => new Adopter(), spec: SPEC, backup: BACKUP, held: olm('csv', 'gadget.v1') }, // prettier-ignore
];

/** Until the step is reached, or the manager has written so many times. */
async function advanceTo(cluster: FakeCluster, manager: Adopter, isThere: () => boolean): Promise<void> {
  for (let rounds = 0; !isThere(); rounds += 1) {
    if (rounds > 50) throw new Error(`not reached: ${adopted(cluster)?.message}`);
    await manager.advance(cluster);
    if (!isThere()) manager.olm(cluster);
  }
}

/** As the API server completes it. */
function leavingOf(cluster: FakeCluster): Subscription {
  const live = own(cluster);
  return {
    ...live,
    spec: { ...live.spec, uninstall: { customResources: 'Retain', dependencies: 'Retain', objects: 'Delete' } },
  };
}

/** The uninstall, once no Revision is left; the notes of its events. */
async function end(cluster: FakeCluster, may?: May): Promise<readonly string[]> {
  const said: string[] = [];
  if (may !== undefined) cluster.restrict(may);
  const record = (_: unknown, { type, reason, note }: { type: string; reason: string; note: string }): void =>
    void said.push(`${type} ${reason}: ${note}`);
  const mayHaveBackups = createKeptBackups(cluster, 'slipway-system');
  const deps = { client: cluster, namespace: 'slipway-system', record, mayHaveBackups, sleep: async () => undefined };
  await endAdoption(deps, leavingOf(cluster), NEVER);
  return said;
}

const isTakingOver = (cluster: FakeCluster): boolean => own(cluster).status?.adoption?.stage === 'TakingOver';

describe.each(SIDES)(
  'a Subscription that takes an operator over from $from is deleted',
  ({ cluster: make, adopter, spec, backup, held }) => {
    // prettier-ignore
    test('before its version is installed: the object of OLM is released, and the backup stays as a list', async () => {
    const cluster = make();
    await advanceTo(cluster, adopter(), () => isTakingOver(cluster));
    expect((await find(cluster, held))?.metadata.finalizers).toEqual([HOLD]);
    const said = await end(cluster);
    expect(await find(cluster, held)).toBeUndefined();
    expect(await find(cluster, RELEASE)).toBeUndefined();
    expect((await find(cluster, backup))?.metadata.annotations).toEqual({ 'slipway.dev/adoption-stage': 'HandedOver' });
    expect(said).toEqual([expect.stringMatching(/^Warning Orphaned: .*may stay.*without spec\.adopt/)]);
    expect(await end(cluster)).toEqual([]);
  });

    test('once its version was installed: the backup goes too', async () => {
      const cluster = make();
      await advanceTo(cluster, adopter(), () => isTakingOver(cluster));
      cluster.change({ ...SUBSCRIPTION }, (one) => {
      const status = own(cluster).status;
      return { ...one, status: { ...status, installed: { bundle: 'gadget.v1', version: '1.0.0', revision: 'gadget-1' } } };
    }); // prettier-ignore
      await end(cluster);
      expect(await find(cluster, held)).toBeUndefined();
      expect(await find(cluster, backup)).toBeUndefined();
    });

    test('and its account may not release the object of OLM: an event has the commands', async () => {
      const cluster = make({ ...spec, serviceAccountName: 'installer' });
      await advanceTo(cluster, adopter(), () => isTakingOver(cluster));
      const said = await end(cluster, ({ verb, ref }) => verb !== 'patch' || ref.kind !== held.kind);
      expect((await find(cluster, held))?.metadata.finalizers).toEqual([HOLD]);
      expect(await find(cluster, backup)).toBeDefined();
      expect(said).toEqual([expect.stringMatching(/^Warning Forbidden: .*As an administrator .*finalizer.*delete secret slipway-adoption/)]); // prettier-ignore
    });
  },
);

const SUBSCRIPTION = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', namespace: 'ops', name: 'gadget' };

describe('a Subscription is deleted before OLM has given the operator up', () => {
  test('it is held from the first write on, and OLM v1 has the operator as before', async () => {
    const cluster = clusterOfV1(SPEC_V1, { extension: { catalog: { version: '1.x' } } });
    await adopterOfV1().advance(cluster);
    expect(hasFinalizer(own(cluster))).toBe(true);
    expect(versionOfExtension(await find(cluster, EXTENSION_REF))).toBe('1.0.0');
    const said = await end(cluster);
    const extension = await find(cluster, EXTENSION_REF);
    expect(versionOfExtension(extension)).toBe('1.x');
    expect(extension?.metadata.finalizers).toHaveLength(1);
    expect(extension?.metadata.finalizers).not.toContain(HOLD);
    expect(await find(cluster, BACKUP_V1)).toBeUndefined();
    expect(said).toEqual([expect.stringMatching(/^Normal Orphaned: .*called off/)]);
  });

  test('wherever the process was killed, OLM v0 has the operator as before', async () => {
    let kills = 0;
    for (let at = 1; ; at += 1) {
      let writes = 0;
      const after = ({ verb, ref }: { verb: string; ref: ObjectRef }): void => {
        if (['get', 'list'].includes(verb) || ref.kind === 'Subscription') return;
        writes += 1;
        if (writes === at) throw new Error('killed');
      };
      const cluster = clusterWith(SPEC, { after });
      await new Adopter().advance(cluster).catch(() => undefined);
      const csv = await find(cluster, olm('csv', 'gadget.v1'));
      if (csv?.metadata.deletionTimestamp !== undefined) break;
      kills += 1;
      await end(cluster);
      const { finalizers, annotations } = (await find(cluster, olm('csv', 'gadget.v1')))?.metadata ?? {};
      expect(finalizers ?? []).not.toContain(HOLD);
      expect(Object.keys(annotations ?? {})).toContain(TARGET_ANNOTATIONS[2]);
      expect(await find(cluster, BACKUP)).toBeUndefined();
    }
    expect(kills).toBeGreaterThan(1);
  });

  test('the ClusterExtension is being deleted already: the event has the command that goes on', async () => {
    const cluster = clusterOfV1();
    await advanceTo(cluster, adopterOfV1(), () => own(cluster).status?.adoption?.step === 'AwaitOlmOut');
    const said = await end(cluster);
    expect((await find(cluster, EXTENSION_REF))?.metadata.finalizers).toContain(HOLD);
    expect(await find(cluster, BACKUP_V1)).toBeDefined();
    expect(said).toEqual([expect.stringMatching(/^Warning Orphaned: .*`slipway adopt run gadget --from olm-v1`/)]);
  });

  test('another Subscription hands it over: nothing is touched', async () => {
    const cluster = clusterOfV1();
    await adopterOfV1().advance(cluster);
    const record = (): void => undefined;
    const leaving = leavingOf(cluster);
    const other = { ...leaving, metadata: { ...leaving.metadata, name: 'other' } };
    const mayHaveBackups = createKeptBackups(cluster, 'slipway-system');
    const deps = { client: cluster, namespace: 'slipway-system', record, mayHaveBackups, sleep: async () => undefined };
    await endAdoption(deps, other, NEVER);
    expect(await find(cluster, BACKUP_V1)).toBeDefined();
  });
});
