/**
 * Operators leave a running OLM v0 by `spec.adopt`: the manager carries out the steps, with rights that are granted for it.
 * No Pod is replaced, no object is deleted that the operator needs, and no call of its webhooks fails.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../../api/untyped.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { stepsFrom, typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { startApiProxy, type ApiProxy } from '../../lib/api-proxy.ts';
import { useCluster } from '../../lib/cluster.ts';
import { dyingManager, type Dying } from '../../lib/dying-manager.ts';
import {
  installSlipway,
  restartCollector,
  ROOT,
  startManager,
  SYSTEM,
  type RunningManager,
} from '../../lib/manager.ts';
import { catalogOf, condition, isReady, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { writeOlmCatalog } from '../../lib/olm-catalog.ts';
import { packageDocuments, publishCatalog, publishFiles, type PackageVersion } from '../../lib/publish.ts';
import { tinyBundle } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces, remove, requestReconcile } from '../../lib/writes.ts';
import { expectUnharmed, watchHarm, type Harm } from '../leave-olm/harm.ts';
import { leftOf } from '../leave-olm/left.ts';
import { hasSucceeded, installByOlm, marksOfOlm } from '../leave-olm/olm.ts';
import { gadgetBundle, GROUP } from '../webhooks/gadget-operator.ts';

const obstacle = realNodeObstacle();
const GADGET = { kind: 'Subscription', name: 'gadget-operator', namespace: 'gadgets' };
const LAMP = { kind: 'Subscription', name: 'lamp', namespace: 'lamps' };
const ADOPT = { from: 'OLMv0', subscription: 'lamp' };
const FILES = {
  'gadget-operator': (version: string) => gadgetBundle({ version }),
  lamp: (version: string) => tinyBundle({ name: 'lamp', version, kind: 'Lamp' }),
};

const isAdopted = (object: Judged): boolean => isReady(object) && condition(object, 'Adopted')?.status === 'True';

describe.skipIf(obstacle !== undefined)(
  `operators are adopted by the manager${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    const cluster = useCluster({ olm: true });
    let manager: RunningManager;
    let proxy: ApiProxy;
    let dying: Dying | undefined;
    let transport: Transport;
    let client: Client;
    let harm: Harm;

    beforeAll(async () => {
      const { config } = await loadKubeconfig(cluster().kubeconfig);
      transport = createTransport(config);
      client = createClient(transport);
      writeOlmCatalog(
        cluster(),
        Object.entries(FILES).map(([name, files]) => ({
          name,
          bundles: [{ version: '1.0.0', files: files('1.0.0') }],
        })),
      );
      await installSlipway(cluster());
      await restartCollector(cluster()); // it has to know the kinds of OLM
      proxy = await startApiProxy(cluster());
      await start();
      await makeNamespaces(cluster(), [GADGET.namespace, LAMP.namespace]);
      await publish('gadgets', 'gadget-operator');
      await publish('lamps', 'lamp');
      await installByOlm(cluster(), GADGET, {});
      await installByOlm(cluster(), LAMP, { targetNamespaces: [LAMP.namespace] });
      await hasSucceeded(cluster(), GADGET);
      await hasSucceeded(cluster(), LAMP);
      harm = await watchHarm(cluster(), client, [GADGET.namespace, LAMP.namespace]);
    });
    afterAll(async () => {
      await harm?.end();
      await dying?.restarted().catch(() => undefined);
      await manager?.stop();
      await proxy?.[Symbol.asyncDispose]();
      transport?.close();
    });

    async function publish(catalog: string, name: keyof typeof FILES, versions = ['1.0.0']): Promise<void> {
      const { registry } = cluster();
      const published: PackageVersion[] = [];
      for (const [at, version] of versions.entries()) {
        const image = await publishFiles(FILES[name](version), `${registry}/${name}:v${version}`);
        published.push({ version, image, ...(at > 0 && { replaces: versions[at - 1]! }) });
      }
      await publishCatalog(packageDocuments(name, published), `${registry}/${catalog}:latest`);
      await apply(cluster(), catalogOf(catalog, `${registry}/${catalog}:latest`));
      await requestReconcile(cluster(), { kind: 'Catalog', name: catalog });
    }

    function events(): Promise<readonly KubeObject[]> {
      return client.list({ apiVersion: 'events.k8s.io/v1', kind: 'Event' }, { namespace: GADGET.namespace });
    }

    async function type(step: Step): Promise<string> {
      const { tools, kubeconfig } = cluster();
      const [printed = ''] = await typeSteps([step], { tools, variables: { KUBECONFIG: kubeconfig } });
      return printed;
    }

    const [subscribe, wait] = stepsFrom('docs/how-to/leave-olm-v0.md', 'adopt: {from: OLMv0') as [Step, Step];
    const spec = { package: 'lamp', catalog: 'lamps', watchNamespaces: [LAMP.namespace], adopt: ADOPT };

    test('without the rights nothing is changed, and the condition names them', async () => {
      await apply(cluster(), subscriptionTo(LAMP.name, LAMP.namespace, spec));
      const refused = await waitFor(cluster(), LAMP, (one) => condition(one, 'Adopted') !== undefined);
      expect(condition(refused, 'Adopted')).toMatchObject({ status: 'False', reason: 'Forbidden' });
      expect(condition(refused, 'Adopted')?.message).toContain('deploy/rights/adoption-olm-v0');
      expect(condition(refused, 'Ready')).toMatchObject({ status: 'False', reason: 'Forbidden' });
      await hasSucceeded(cluster(), LAMP);
      expect(await marksOfOlm(client, LAMP.name, LAMP.namespace)).not.toEqual([]);
    });

    async function start(): Promise<void> {
      manager = await startManager(cluster(), { ...proxy.environment, SLIPWAY_LEADER_ELECT: 'false' });
    }

    test('an operator is adopted although the manager is killed after one write after the other', async () => {
      await cluster().kubectl(['apply', '-f', join(ROOT, 'deploy/rights/adoption-olm-v0/rights.yaml')]);
      const killed = new Set<string>();
      dying = dyingManager(
        LAMP.name,
        { killed, every: 1 },
        {
          kill: () => manager.kill('SIGKILL'),
          start,
        },
      );
      proxy.meddle(dying.faultFor);
      await requestReconcile(cluster(), LAMP);
      const done = await waitFor(cluster(), { ...LAMP, timeoutSeconds: 400 }, isAdopted);
      proxy.meddle();
      await dying.restarted();
      expect(killed.size).toBeGreaterThan(20);
      expect(done.spec).toMatchObject(spec);
      expect(await marksOfOlm(client, LAMP.name, LAMP.namespace)).toEqual([]);
    });

    test('an operator with webhooks is adopted by the manager, as the guide says', async () => {
      await type(subscribe);
      expect(await type(wait)).toContain('condition met');
      const done = await waitFor(cluster(), GADGET, isAdopted);
      expect(done.status?.['adoption']).toEqual({
        subscription: 'gadget-operator',
        stage: 'HandedOver',
        step: 'Done',
        version: '1.0.0',
        backup: { namespace: SYSTEM, name: 'slipway-adoption.gadgets.gadget-operator' },
      });
      expect(await marksOfOlm(client, GADGET.name, GADGET.namespace)).toEqual([]);
      const ofAdoption = async (): Promise<ReadonlySet<string>> =>
        new Set((await events()).map(({ reason }) => textOf(reason)).filter((reason) => reason.startsWith('Adopt')));
      await until('an event reports the end', async () => (await ofAdoption()).has('Adopted'));
      expect(await ofAdoption()).toEqual(new Set(['Adopting', 'Adopted']));
    });

    test('no Pod was replaced, nothing that the operators need was deleted, and no probe failed', async () => {
      await expectUnharmed(harm);
    });

    /** The fields that OLM adds to the Pods, and the field managers of the Deployment. */
    async function leftOnDeployment(): Promise<{
      readonly fields: readonly string[];
      readonly managers: readonly string[];
    }> {
      const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'gadgets', name: 'gadget-manager' };
      const deployment = await client.get(ref);
      const { metadata, spec } = fieldsOf(fieldsOf(deployment?.['spec'])['template']);
      const annotations = Object.keys(fieldsOf(fieldsOf(metadata)['annotations']));
      const env = listOf(fieldsOf(spec)['containers']).flatMap((one) =>
        listOf(one['env']).map(({ name }) => textOf(name)),
      );
      const entries = listOf((deployment?.metadata as { managedFields?: unknown } | undefined)?.managedFields);
      const isOlms = (name: string): boolean =>
        /^olm\.operatorGroup$|^olmcahash$|^operatorframework|^OPERATOR_COND/.test(name);
      const managers = entries
        .filter(({ subresource }) => subresource === undefined)
        .map(({ manager }) => textOf(manager));
      return {
        fields: [...annotations, ...env].filter(isOlms),
        managers: managers.filter((name) => /olm|catalog/.test(name)),
      };
    }

    const patch = (spec: object): Promise<KubeObject> =>
      client.patch({ apiVersion: 'slipway.dev/v1alpha1', ...GADGET }, { spec });

    test('the plan of the next upgrade names the fields of OLM that go, and they are there until then', async () => {
      expect((await leftOnDeployment()).fields).toEqual(
        expect.arrayContaining(['olm.operatorGroup', 'OPERATOR_CONDITION_NAME']),
      );
      await patch({ approval: 'Manual', onFailure: { bakeTime: '0s' } });
      await publish('gadgets', 'gadget-operator', ['1.0.0', '1.1.0']);
      const waits = (one: Judged): boolean => condition(one, 'UpgradeAvailable')?.reason === 'ApprovalRequired';
      await waitFor(cluster(), GADGET, waits);
      const plan = await type({ script: 'npm run -s slipway -- plan gadgets/gadget-operator || true' });
      expect(plan).toContain('env[OPERATOR_CONDITION_NAME]: dropped: OLM had added it');
      expect(plan).toContain('annotations.olm.operatorGroup: dropped: OLM had added it');
      expect((await leftOnDeployment()).managers).not.toEqual([]);
    });

    test('the upgrade drops them, and a rollback does not bring them back', async () => {
      await patch({ approval: 'Automatic' });
      await waitFor(cluster(), GADGET, runs('1.1.0'));
      expect(await leftOnDeployment()).toEqual({ fields: [], managers: [] });
      await patch({ version: '1.0.0', edges: 'Ignore' });
      await waitFor(cluster(), GADGET, runs('1.0.0'));
      expect(await leftOnDeployment()).toEqual({ fields: [], managers: [] });
    });

    test('an uninstall leaves nothing that OLM had made for it', async () => {
      await client.delete({ apiVersion: `${GROUP}/v1`, kind: 'Gadget', namespace: 'default', name: 'stored' });
      await remove(cluster(), GADGET);
      const gadgets = { namespace: GADGET.namespace, prefix: 'gadget', package: GADGET.name };
      const isClean = async (): Promise<boolean> => (await leftOf(client, gadgets)).length === 0;
      await until('the collector has deleted the rest', isClean).catch(() => undefined);
      expect(await leftOf(client, gadgets)).toEqual([]);
      const notes = await until('an event names the objects', async () => {
        const all = (await events()).map(({ note }) => textOf(note));
        const found = all.filter((note) => note.startsWith('Objects that OLM had made'));
        return found.length > 0 ? found : undefined;
      });
      expect(notes).toEqual([expect.stringContaining('gadget-manager-service-system:auth-delegator')]);
    });

    test('a Subscription with spec.adopt is handed back as any other', async () => {
      const { tools, kubeconfig } = cluster();
      const script = 'npm run -s slipway -- adopt undo lamps/lamp';
      const [printed] = await typeSteps([{ script }], { tools, variables: { KUBECONFIG: kubeconfig } });
      expect(printed).toContain('Operator lamps/lamp is handed back to OLM');
      await hasSucceeded(cluster(), LAMP);
      const left: readonly KubeObject[] = await client.list({ apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription' }, { namespace: 'lamps' }); // prettier-ignore
      expect(left).toEqual([]);
    });
  },
);
