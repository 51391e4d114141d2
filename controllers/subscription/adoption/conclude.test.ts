/** A Subscription is deleted in the middle of a hand-over: no object of OLM stays held, wherever the deletion comes. */
import { describe, expect, test } from 'vitest';
import { HandOver as HandOverV0 } from '../../../adoption/olm-v0/hand-over.ts';
import { HOLD, OLM, TARGET_ANNOTATIONS } from '../../../adoption/olm-v0/kinds.ts';
import { HandOver as HandOverV1 } from '../../../adoption/olm-v1/hand-over.ts';
import type { Cluster } from '../../../api/cluster.ts';
import type { ObjectRef } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { NEVER } from '../../../api/testing/never.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import type { May, FakeCluster, FakeOptions } from '../../../kube/testing/fake-cluster.ts';
import { hasFinalizer } from '../../finalizer.ts';
import { createKeptBackups } from '../../kept-backups.ts';
import { endAdoption } from './end.ts';
import {
  Adopter,
  adopted,
  BACKUP,
  clusterWith,
  DEPLOYMENT,
  find,
  Killed,
  object,
  olm,
  own,
  OWN,
  SPEC,
} from './testing/scene.ts';
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

const DELETED = '2026-11-23T00:00:00Z';

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
async function end(
  cluster: FakeCluster,
  may?: May,
  client: Pick<FakeCluster, keyof Cluster | 'as'> = cluster,
): Promise<readonly string[]> {
  const said: string[] = [];
  if (may !== undefined) cluster.restrict(may);
  const record = (_: unknown, { type, reason, note }: { type: string; reason: string; note: string }): void =>
    void said.push(`${type} ${reason}: ${note}`);
  const mayHaveBackups = createKeptBackups(cluster, 'slipway-system');
  const deps = { client, namespace: 'slipway-system', record, mayHaveBackups, sleep: async () => undefined };
  await endAdoption(deps, leavingOf(cluster), NEVER);
  return said;
}

/** The end of the uninstall. */
async function release(cluster: FakeCluster): Promise<void> {
  cluster.change(OWN, (one) => ({ ...one, metadata: { ...one.metadata, finalizers: [] } }));
  await cluster.delete(OWN);
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
    expect(said).toEqual([
      expect.stringMatching(/^Normal Uninstalling: .*ends with the uninstall/),
      expect.stringMatching(/^Warning Orphaned: .*may stay.*without spec\.adopt/),
    ]);
    expect(await end(byCommandLine(cluster))).toEqual([]);
  });

    test('once its version was installed: the backup goes too', async () => {
      const cluster = make();
      await advanceTo(cluster, adopter(), () => isTakingOver(cluster));
      cluster.change(OWN, (one) => {
      const status = own(cluster).status;
      return { ...one, status: { ...status, installed: { bundle: 'gadget.v1', version: '1.0.0', revision: 'gadget-1' } } };
    }); // prettier-ignore
      await end(cluster);
      expect(await find(cluster, held)).toBeUndefined();
      expect(await find(cluster, backup)).toBeUndefined();
    });

    test('and its account may not release the object of OLM: an event has the command, which only does that', async () => {
      const cluster = make({ ...spec, serviceAccountName: 'installer' });
      await advanceTo(cluster, adopter(), () => isTakingOver(cluster));
      const said = await end(cluster, ({ verb, ref }) => verb !== 'patch' || ref.kind !== held.kind);
      expect((await find(cluster, held))?.metadata.finalizers).toEqual([HOLD]);
      expect(said).toEqual([
        expect.stringMatching(/^Warning Forbidden: .*As an administrator .*slipway adopt run /),
        expect.stringMatching(/^Warning Orphaned: .*may stay/),
      ]);
      cluster.restrict(() => true);
      await release(cluster);
      expect(await stepsOfRun(cluster)).toContain('Release');
      expect(await find(cluster, held)).toBeUndefined();
      expect(await find(cluster, OWN)).toBeUndefined();
      expect((await find(cluster, backup))?.metadata.annotations).toEqual({
        'slipway.dev/adoption-stage': 'HandedOver',
      });
    });

    test('though the command line hands over, which writes no status: it ends in the same way', async () => {
      const cluster = make();
      await advanceTo(cluster, adopter(), () => isTakingOver(cluster));
      await cluster.delete(DEPLOYMENT);
      const said = await end(byCommandLine(cluster));
      expect(said).toContainEqual(expect.stringMatching(/^Normal Uninstalling: .*ends with the uninstall/));
      expect(await find(cluster, held)).toBeUndefined();
      expect(await find(cluster, RELEASE)).toBeUndefined();
      expect(await find(cluster, backup)).toBeUndefined();
    });

    test('once nothing is held any more, and the manager may only list and delete: it ends all the same', async () => {
      const cluster = make();
      await advanceTo(cluster, adopter(), () => isTakingOver(cluster));
      await cluster.delete(DEPLOYMENT);
      cluster.change(held, (one) => ({ ...one, metadata: { ...one.metadata, finalizers: [] } }));
      const isOfOlm = ({ apiVersion }: ObjectRef): boolean => apiVersion === held.apiVersion;
      const manager = cluster.actingAs(
        'manager',
        ({ verb, ref }) => !isOfOlm(ref) || ['list', 'delete'].includes(verb),
      );
      expect((await end(byCommandLine(cluster), undefined, manager)).join()).not.toContain('Forbidden');
      for (const one of [held, RELEASE, backup]) expect(await find(cluster, one)).toBeUndefined();
    });

    test('before OLM is out, while the command line hands over: nothing is touched', async () => {
      const cluster = make();
      const killed: FakeCluster = {
        ...cluster,
        delete: async (ref, ...rest) => {
          if (ref.kind === held.kind && rest[0]?.dryRun !== true) throw new Killed();
          return cluster.delete(ref, ...rest);
        },
      };
      const manager = adopter();
      for (let round = 0; round < 3; round += 1) {
        await manager.advance(cluster, killed).catch(() => undefined);
        manager.olm(cluster);
      }
      expect((await find(cluster, held))?.metadata.finalizers).toContain(HOLD);
      expect(await end(byCommandLine(cluster))).toEqual([]);
      expect((await find(cluster, held))?.metadata).toMatchObject({ finalizers: expect.arrayContaining([HOLD]) as [] });
      expect((await find(cluster, backup))?.metadata.annotations).toBeUndefined();
    });
  },
);

/** As the command line has created it. */
function byCommandLine(cluster: FakeCluster): FakeCluster {
  cluster.change(OWN, ({ spec, ...one }) => {
    const { adopt: _adopt, ...asked } = fieldsOf(spec);
    return { ...one, metadata: { ...one.metadata, deletionTimestamp: DELETED }, spec: asked, status: {} };
  });
  return cluster;
}

/** The steps of the command by an administrator. */
async function stepsOfRun(cluster: FakeCluster): Promise<readonly string[]> {
  const isV0 = (await find(cluster, BACKUP)) !== undefined;
  const never = (): never => {
    throw new Error('nothing is installed');
  };
  const v0 = { cluster, name: { namespace: 'ops', subscription: 'gadget', kept: 'slipway-system' }, wanted: never, sleep: async () => undefined, signal: NEVER }; // prettier-ignore
  const v1 = { cluster, name: { extension: 'gadget', kept: 'slipway-system' }, wanted: never, obstacle: async () => undefined, signal: NEVER }; // prettier-ignore
  const steps: string[] = [];
  while (steps.at(-1) !== 'Done' && steps.length < 20) steps.push(await (isV0 ? oneStep(new HandOverV0(v0)) : oneStep(new HandOverV1(v1)))); // prettier-ignore
  return steps;
}

async function oneStep<Step extends string, Gathered>(run: {
  next(): Promise<{ readonly step: Step; readonly gathered: Gathered }>;
  carryOut(step: Step, gathered: Gathered): Promise<void>;
}): Promise<string> {
  const { step, gathered } = await run.next();
  await run.carryOut(step, gathered);
  return step;
}

const HOOK = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', name: 'vgadget-x7k2p' }; // prettier-ignore
const SERVICE = { apiVersion: 'v1', kind: 'Service', namespace: 'ops', name: 'gadget-service' };
const OPERATOR = { ...OLM.operator, name: 'gadget-operator.ops' };

describe('a Subscription to which OLM v0 has left webhook configurations is deleted by the command line', () => {
  /** Until Slipway's Subscription is awaited, and then with or without the objects that Slipway had taken over. */
  async function leaving(options: FakeOptions = {}, isServed = false): Promise<FakeCluster> {
    const cluster = clusterWith(SPEC, options);
    const service = { namespace: SERVICE.namespace, name: SERVICE.name };
    const labels = { 'olm.managed': 'true', 'operators.coreos.com/gadget-operator.ops': '' };
    const webhooks = [{ name: 'v.gadget.io', failurePolicy: 'Fail', clientConfig: { service } }];
    cluster.put(object(HOOK, { webhooks }, { labels }));
    cluster.put(object(OPERATOR));
    cluster.put(object(SERVICE));
    await advanceTo(cluster, new Adopter(), () => isTakingOver(cluster));
    if (isServed) return byCommandLine(cluster);
    await cluster.delete(SERVICE);
    await cluster.delete(DEPLOYMENT);
    return byCommandLine(cluster);
  }

  test('which no Service answers any more: they are deleted, for the API server would reject each write of the kinds', async () => {
    const cluster = await leaving();
    const said = await end(cluster);
    expect(await find(cluster, HOOK)).toBeUndefined();
    expect(await find(cluster, OPERATOR)).toBeUndefined();
    expect(await find(cluster, BACKUP)).toBeUndefined();
    expect(said).toContainEqual(expect.stringMatching(/^Normal Uninstalling: Objects .* deleted: .*vgadget-x7k2p/));
  });

  test('and the operator runs on, as Slipway had taken nothing over: they stay, and the event says so', async () => {
    const cluster = await leaving({}, true);
    const said = await end(cluster);
    expect(await find(cluster, HOOK)).toBeDefined();
    expect(said).toContainEqual(expect.stringMatching(/^Warning Orphaned: .*may stay/));
    expect((await find(cluster, BACKUP))?.metadata.annotations).toEqual({ 'slipway.dev/adoption-stage': 'HandedOver' });
  });

  test('and the manager has no rights on objects of OLM but to list and to delete them: only the release is left', async () => {
    const cluster = await leaving();
    const isOfOlm = ({ apiVersion }: ObjectRef): boolean => apiVersion.startsWith('operators.coreos.com/');
    const manager = cluster.actingAs('manager', ({ verb, ref }) => !isOfOlm(ref) || ['list', 'delete'].includes(verb));
    const said = await end(cluster, undefined, manager);
    expect(await find(cluster, HOOK)).toBeUndefined();
    expect(said).toContainEqual(expect.stringMatching(/^Warning Forbidden: .*slipway adopt run ops\/gadget/));
    await release(cluster);
    expect(await stepsOfRun(cluster)).toEqual(['Forget', 'Release', 'Done']);
  });

  test('and the operator runs on, but the Service that Slipway had taken over is gone: only they are deleted', async () => {
    const cluster = await leaving({}, true);
    await cluster.delete(SERVICE);
    const said = await end(cluster);
    expect(await find(cluster, HOOK)).toBeUndefined();
    expect(await find(cluster, DEPLOYMENT)).toBeDefined();
    expect(said).toContainEqual(expect.stringMatching(/^Normal Uninstalling: Objects .* deleted: .*vgadget-x7k2p/));
    expect(said).toContainEqual(expect.stringMatching(/^Warning Orphaned: .*may stay/));
    expect((await find(cluster, BACKUP))?.metadata.annotations).toEqual({ 'slipway.dev/adoption-stage': 'HandedOver' });
  });

  test.each([
    { because: 'another program holds an object of OLM', change: { finalizers: ['example.com/theirs'] }, stays: true },
    {
      because: "OLM's Subscription is back, so that OLM makes its objects again",
      change: {},
      stays: true,
      isBack: true,
    },
  ])('does not wait for the object of OLM: $because', async ({ change, stays, isBack = false }) => {
    const cluster = await leaving();
    cluster.change(OPERATOR, (one) => ({ ...one, metadata: { ...one.metadata, ...change } }));
    if (isBack) cluster.put(object(olm('subscription', 'gadget'), { spec: { name: 'gadget-operator' } }));
    await end(cluster);
    expect(await find(cluster, olm('csv', 'gadget.v1'))).toBeUndefined();
    expect((await find(cluster, OPERATOR)) !== undefined).toBe(stays);
  });

  test('whose objects OLM still marks: the marks go before the ClusterServiceVersion is released', async () => {
    const cluster = await leaving({}, true);
    const marks = { 'olm.managed': 'true', 'operators.coreos.com/gadget-operator.ops': '', 'olm.owner': 'gadget.v1' };
    cluster.change(DEPLOYMENT, (one) => ({ ...one, metadata: { ...one.metadata, labels: marks } }));
    await end(cluster);
    expect(await find(cluster, olm('csv', 'gadget.v1'))).toBeUndefined();
    expect((await find(cluster, DEPLOYMENT))?.metadata.labels ?? {}).not.toHaveProperty('olm.managed');
  });

  test('without the right to release, once its version was installed: the backup outlives every repetition', async () => {
    const cluster = await leaving();
    cluster.change(OWN, (one) => ({ ...one, status: { installed: { bundle: 'gadget.v1', version: '1.0.0', revision: 'gadget-1' } } })); // prettier-ignore
    const manager = cluster.actingAs('manager', ({ verb, ref }) => verb !== 'patch' || ref.kind !== OLM.csv.kind);
    for (let round = 0; round < 2; round += 1) await end(cluster, undefined, manager);
    expect(await find(cluster, BACKUP)).toBeDefined();
    await release(cluster);
    expect(await stepsOfRun(cluster)).toEqual(['Forget', 'Release', 'Done']);
  });

  test('reaches the same end wherever the manager is killed', async () => {
    let kills = 0;
    for (let at = 1; kills === at - 1; at += 1) {
      let writes = 0;
      let isEnding = false;
      const after: FakeOptions['after'] = ({ verb }) => {
        if (!isEnding || verb === 'get' || verb === 'list' || ++writes !== at) return;
        kills += 1;
        throw new Error('killed');
      };
      const cluster = await leaving({ after });
      isEnding = true;
      await end(cluster).catch(() => end(cluster));
      for (const one of [HOOK, OPERATOR, BACKUP, olm('csv', 'gadget.v1')])
        expect(await find(cluster, one)).toBeUndefined();
    }
    expect(kills).toBeGreaterThan(3);
  });
});

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
    expect(said).toEqual([expect.stringMatching(/^Warning Orphaned: .*slipway adopt run gadget --from olm-v1/)]);
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
