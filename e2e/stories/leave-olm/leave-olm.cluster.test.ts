/**
 * Operators are handed over from a running OLM v0, as the guide says: no Pod is replaced, no object is deleted that the
 * operator needs, no call of its webhooks fails, and its rights are never absent. A watch and probes are the judges.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backupRef } from '../../../adoption/olm-v0/backup.ts';
import type { Gathered } from '../../../adoption/olm-v0/gather.ts';
import { HandOver } from '../../../adoption/olm-v0/hand-over.ts';
import { HOLD, OLM } from '../../../adoption/olm-v0/kinds.ts';
import type { StepName } from '../../../adoption/olm-v0/steps.ts';
import { translateSubscription } from '../../../adoption/olm-v0/translate.ts';
import type { UndoStep } from '../../../adoption/olm-v0/undo-steps.ts';
import type { UndoFacts } from '../../../adoption/olm-v0/undo-gather.ts';
import { Undo } from '../../../adoption/olm-v0/undo.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { describeRef, refOf, type KubeObject } from '../../../api/object.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { isShownByLine, stepsOf, typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, restartCollector, startManager, SYSTEM, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, isReady, runs, waitFor } from '../../lib/objects.ts';
import { runSlipway } from '../../lib/slipway.ts';
import { writeOlmCatalog } from '../../lib/olm-catalog.ts';
import { packageDocuments, publishCatalog, publishFiles, type PackageVersion } from '../../lib/publish.ts';
import { tinyBundle } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces, remove, requestReconcile } from '../../lib/writes.ts';
import { gadgetBundle, GROUP } from '../webhooks/gadget-operator.ts';
import { expectUnharmed, watchHarm, type Harm } from './harm.ts';
import { dyingAfterEachWrite, Killed, Kills } from './killed.ts';
import { leftOf, rightsOf } from './left.ts';
import { hasSucceeded, installByOlm, marksOfOlm, marksOfSlipway, stirOlm } from './olm.ts';

const obstacle = realNodeObstacle();
const GADGET = { kind: 'Subscription', name: 'gadget-operator', namespace: 'gadgets' };
const LAMP = { kind: 'Subscription', name: 'lamp', namespace: 'lamps' };
const BUNDLES = {
  gadget: (version: string) => gadgetBundle({ version }),
  lamp: (version: string) => tinyBundle({ name: 'lamp', version, kind: 'Lamp' }),
};

describe.skipIf(obstacle !== undefined)(
  `operators leave OLM v0${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    const cluster = useCluster({ olm: true });
    let manager: RunningManager;
    let transport: Transport;
    let client: Client;
    let harm: Harm;

    beforeAll(async () => {
      const { config } = await loadKubeconfig(cluster().kubeconfig);
      transport = createTransport(config);
      client = createClient(transport);
      writeOlmCatalog(cluster(), [
        { name: 'gadget-operator', bundles: [{ version: '1.0.0', files: BUNDLES.gadget('1.0.0') }] },
        { name: 'lamp', bundles: [{ version: '1.0.0', files: BUNDLES.lamp('1.0.0') }] },
      ]);
      await installSlipway(cluster());
      await restartCollector(cluster()); // it has to know the kinds of OLM
      manager = await startManager(cluster());
      await makeNamespaces(cluster(), [GADGET.namespace, LAMP.namespace]);
      await publish(['1.0.0']);
      await installByOlm(cluster(), GADGET, {});
      await installByOlm(cluster(), LAMP, { targetNamespaces: [LAMP.namespace] }, { isConfigured: true });
      await hasSucceeded(cluster(), GADGET);
      await hasSucceeded(cluster(), LAMP);
    });
    afterAll(async () => {
      await harm?.end();
      await manager?.stop();
      transport?.close();
    });

    /** Slipway's catalogs of both packages, the versions one after the other. */
    async function publish(versions: readonly string[]): Promise<void> {
      const { registry } = cluster();
      for (const [name, bundle] of [
        ['gadget-operator', BUNDLES.gadget],
        ['lamp', BUNDLES.lamp],
      ] as const) {
        const published: PackageVersion[] = [];
        for (const [at, version] of versions.entries()) {
          const image = await publishFiles(bundle(version), `${registry}/${name}:v${version}`);
          published.push({ version, image, ...(at > 0 && { replaces: versions[at - 1]! }) });
        }
        const catalog = name === 'lamp' ? 'lamps' : 'gadgets';
        await publishCatalog(packageDocuments(name, published), `${registry}/${catalog}:latest`);
        await apply(cluster(), catalogOf(catalog, `${registry}/${catalog}:latest`));
        await requestReconcile(cluster(), { kind: 'Catalog', name: catalog });
      }
    }

    async function type(step: Step): Promise<string> {
      const { tools, kubeconfig } = cluster();
      const [printed = ''] = await typeSteps([step], { tools, variables: { KUBECONFIG: kubeconfig } });
      return printed;
    }

    const guide = stepsOf('docs/how-to/leave-olm-v0.md');
    const [listAll, listCatalogs, planOne, runOne, look, showAll, goBack, runAll, preview] = guide as [Step, Step, Step, Step, Step, Step, Step, Step, Step]; // prettier-ignore
    const [listLeft, deleteGroups, endOlm, deleteKinds, listInNamespace, deleteNamespace] = guide.slice(-6) as [Step, Step, Step, Step, Step, Step]; // prettier-ignore

    interface Walk<Facts> {
      next(): Promise<{ readonly step: string; readonly facts: Facts }>;
      carryOut(step: string, facts: Facts): Promise<void>;
    }

    /** Every process of it is killed after its next write, and OLM has reason to judge everything. */
    async function killedAfterEveryWrite<Facts>(
      begin: (cluster: Cluster) => Walk<Facts>,
      last: string,
    ): Promise<Kills> {
      const kills = new Kills();
      for (let isDone = false; !isDone;) {
        const walk = begin(dyingAfterEachWrite(client, kills));
        const { step, facts } = await walk.next();
        isDone = step === last;
        kills.begin(step);
        await walk.carryOut(step, facts).catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
        await stirOlm(
          cluster(),
          { namespace: LAMP.namespace, group: 'all', csv: 'lamp.v1.0.0' },
          `${kills.writes.size}`,
        );
        if (step.startsWith('Await')) await delay(200);
      }
      return kills;
    }

    const lampKept = { namespace: LAMP.namespace, subscription: LAMP.name, kept: SYSTEM };

    test('the plan lists the operators, and writes nothing', async () => {
      const shown = await type(listAll);
      expect(shown).toMatch(/^gadgets +gadget-operator +gadget-operator +gadget-operator\.v1\.0\.0 +ready/m);
      expect(shown).toMatch(/^lamps +lamp +lamp +lamp\.v1\.0\.0 +ready/m);
      expect(await type(listCatalogs)).toContain('no CatalogSource here has an image');
      const plan = await type(planOne);
      expect(plan).toContain('gadgets/gadget-operator can be handed over');
      expect(plan).toContain('Deployment.apps gadgets/gadget-manager');
      expect(plan).toContain('version: 1.0.0');
      await hasSucceeded(cluster(), GADGET);
    });

    const wanted = ({ survey }: Gathered): KubeObject =>
      translateSubscription(survey, { name: 'lamp', version: '1.0.0' }).manifest;

    test('a hand-over that has begun is called off: OLM has the operator as before', async () => {
      harm = await watchHarm(cluster(), client, [GADGET.namespace, LAMP.namespace]);
      const signal = AbortSignal.timeout(150_000);
      const handOver = new HandOver({ cluster: client, name: lampKept, wanted, sleep: (ms) => delay(ms), signal });
      for (;;) {
        const { step, gathered } = await handOver.next();
        if (step === 'Delete') break;
        await handOver.carryOut(step, gathered);
      }
      const before = await client.get({ ...OLM.csv, namespace: LAMP.namespace, name: 'lamp.v1.0.0' });
      expect(before?.metadata.finalizers).toContain(HOLD);
      const { code, text } = await runSlipway(cluster().folder, ['adopt', 'undo', 'lamps/lamp'], {
        KUBECONFIG: cluster().kubeconfig,
      });
      expect(`${code} ${text}`).toMatch(/^0 /);
      await hasSucceeded(cluster(), LAMP);
      const version = await client.get({ ...OLM.csv, namespace: LAMP.namespace, name: 'lamp.v1.0.0' });
      expect(version?.metadata.finalizers).not.toContain(HOLD);
      const subscription = await client.get({ ...OLM.subscription, namespace: LAMP.namespace, name: 'lamp' });
      expect(subscription?.['spec']).toMatchObject({ installPlanApproval: 'Automatic' });
      expect(await client.get(backupRef(lampKept))).toBeUndefined();
    });

    test('an operator of one namespace is handed over although the process is killed after every write', async () => {
      const signal = AbortSignal.timeout(150_000);
      const { writes, steps } = await killedAfterEveryWrite((dying) => {
        const handOver = new HandOver({ cluster: dying, name: lampKept, wanted, sleep: (ms) => delay(ms), signal });
        return {
          next: async () => {
            const { step, gathered } = await handOver.next();
            return { step, facts: gathered };
          },
          carryOut: (step, facts: Gathered) => handOver.carryOut(step as StepName, facts),
        };
      }, 'Done');
      expect(steps).toEqual(expect.arrayContaining(['BackUp', 'Pause', 'Hold', 'Delete', 'DeleteSubscription', 'HandOver', 'Subscribe', 'Unpin'])); // prettier-ignore
      expect(writes.size).toBeGreaterThan(20);
      await waitFor(cluster(), LAMP, isReady);
    });

    test('it is handed back although the process is killed after every write', async () => {
      const signal = AbortSignal.timeout(150_000);
      const { writes, steps } = await killedAfterEveryWrite((dying) => {
        const undo = new Undo({ cluster: dying, name: lampKept, now: () => new Date(), signal });
        return {
          next: () => undo.next(),
          carryOut: (step, facts: UndoFacts) => undo.carryOut(step as UndoStep, facts),
        };
      }, 'ForgetBackup');
      expect(steps).toEqual(
        expect.arrayContaining(['KeepList', 'Orphan', 'CreateVersion', 'Mark', 'CreateSubscription']),
      );
      expect(writes.size).toBeGreaterThan(8);
      await hasSucceeded(cluster(), LAMP);
    });

    test('an operator with webhooks is handed over, as the guide says', async () => {
      expect(await type(runOne)).toBe(runOne.printed);
      expect(isShownByLine(await type(look), look.printed ?? '')).toBe(true);
      expect(isShownByLine(await type(showAll), showAll.printed ?? '')).toBe(true);
    });

    test('a Subscription that is deleted when the way back has begun is held, and none of its objects is deleted', async () => {
      const name = { namespace: GADGET.namespace, subscription: GADGET.name, kept: SYSTEM };
      const undo = new Undo({ cluster: client, name, now: () => new Date(), signal: AbortSignal.timeout(150_000) });
      const { step, facts } = await undo.next();
      expect(step).toBe('KeepList');
      await undo.carryOut(step, facts);
      await client.delete({ apiVersion: 'slipway.dev/v1alpha1', ...GADGET });
      const held = await waitFor(cluster(), GADGET, (one) => condition(one, 'Stalled')?.reason === 'DeleteBlocked');
      expect(condition(held, 'Ready')?.message).toContain('slipway adopt undo gadgets/gadget-operator');
    });

    test('it is handed back, as the guide says', async () => {
      expect(await type(goBack)).toBe(goBack.printed);
      await hasSucceeded(cluster(), GADGET);
      const left = await client.list({ apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription' }, {});
      expect(left).toEqual([]);
      expect(await marksOfSlipway(client)).toEqual([]);
    });

    test('all operators are handed over, one after the other', async () => {
      expect(await type(runAll)).toBe(runAll.printed);
      for (const one of [GADGET, LAMP]) await waitFor(cluster(), one, isReady);
    });

    test('OLM marks nothing of them any more', async () => {
      for (const { name, namespace } of [GADGET, LAMP]) {
        expect(await marksOfOlm(client, name, namespace)).toEqual([]);
      }
    });

    test('OLM is removed, as the guide says', async () => {
      expect(await type(listLeft)).toBe('');
      await type(deleteGroups);
      // In a cluster of a person they are Deployments, which the next step deletes.
      for (const name of ['olm-operator', 'catalog-operator'] as const) await cluster().kill(name);
      expect(await type(endOlm)).toBe('');
      await type(deleteKinds);
      const roles = await client.list({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' });
      expect(roles.filter(({ metadata }) => metadata.name.startsWith('olm.og.'))).toEqual([]);
      expect(await type(listInNamespace)).toBe('');
      await type(deleteNamespace);
      const crds = await client.list({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' });
      const ofOlm = crds.map(({ metadata }) => metadata.name).filter((name) => name.endsWith('.operators.coreos.com'));
      expect(ofOlm).toEqual(['operatorconditions.operators.coreos.com']);
    });

    test('the hand-overs are listed without OLM, too, and those of one namespace alone', async () => {
      const stepsIn = async (...flags: readonly string[]): Promise<string> => {
        const shown = await type({ script: ['npm run -s slipway -- adopt status', ...flags].join(' ') });
        return shown.replaceAll(/ +/g, ' ');
      };
      expect(await stepsIn()).toMatch(/gadgets gadget-operator .* Done .*\nlamps lamp .* Done/);
      expect(await stepsIn('-n', LAMP.namespace)).toMatch(/^NAMESPACE .*\nlamps lamp .* Done .*\n$/);
      expect(await stepsIn('-n', 'default')).toBe('No hand-over in the namespace default has a backup\n');
    });

    test('no Pod was replaced, nothing that the operators need was deleted, and no probe failed', async () => {
      for (const one of [GADGET, LAMP]) await waitFor(cluster(), one, isReady);
      await expectUnharmed(harm);
    });

    test('they are upgraded by Slipway', async () => {
      await publish(['1.0.0', '1.1.0']);
      for (const one of [GADGET, LAMP]) await waitFor(cluster(), one, runs('1.1.0'));
    });

    const GADGETS = { namespace: GADGET.namespace, prefix: 'gadget', package: GADGET.name };
    const LAMPS = { namespace: LAMP.namespace, prefix: 'lamp', package: LAMP.name };

    test('an uninstall that leaves the objects leaves the rights that OLM had given, too', async () => {
      const { apiVersion, kind, metadata, spec } = (await client.get({ apiVersion: 'slipway.dev/v1alpha1', ...GADGET }))!; // prettier-ignore
      const names = async (): Promise<readonly string[]> =>
        (await rightsOf(client, GADGETS)).map((object) => describeRef(refOf(object))).filter((name) => !name.includes('slipway-')).sort(); // prettier-ignore
      const before = await names();
      expect(before.filter((name) => name.startsWith('Role.'))).not.toEqual([]);
      const { uid = '' } = metadata;
      const ownerReferences = [{ apiVersion, kind, name: GADGET.name, uid }];
      const witness = { apiVersion: 'v1', kind: 'ConfigMap', namespace: GADGET.namespace, name: 'witness' };
      await client.create({
        ...witness,
        metadata: { namespace: witness.namespace, name: witness.name, ownerReferences },
      });
      await type({ script: 'npm run -s slipway -- uninstall gadgets/gadget-operator --orphan' });
      await until('the collector has deleted an object of the Subscription', async () => (await client.get(witness)) === undefined); // prettier-ignore
      expect(await names()).toEqual(before);
      await apply(cluster(), { apiVersion, kind, metadata: { name: GADGET.name, namespace: GADGET.namespace }, spec: { ...(spec as object), uninstall: {} } }); // prettier-ignore
      await waitFor(cluster(), GADGET, runs('1.1.0'));
    });

    test('the preview of an uninstall names those that go at last', async () => {
      expect(await type(preview)).toContain(preview.printed ?? 'the guide shows a line');
    });

    test('they are uninstalled, and nothing of OLM is left behind', async () => {
      await client.delete({ apiVersion: `${GROUP}/v1`, kind: 'Gadget', namespace: 'default', name: 'stored' });
      for (const one of [GADGET, LAMP]) await remove(cluster(), one);
      for (const one of [GADGETS, LAMPS]) {
        await until(`nothing of ${one.package} is left`, async () => (await leftOf(client, one)).length === 0).catch(() => undefined); // prettier-ignore
        expect(await leftOf(client, one)).toEqual([]);
      }
    });
  },
);
