/**
 * Operators leave a running OLM v1 by `spec.adopt`: the manager carries out the steps, with its own rights or with those of a
 * tenant's account. No Pod is replaced, no object is deleted that the operators need, and no call of their webhooks fails.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { stepsFrom, typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { startApiProxy, type ApiProxy } from '../../lib/api-proxy.ts';
import { useCluster } from '../../lib/cluster.ts';
import { dyingManager, type Dying } from '../../lib/dying-manager.ts';
import { installSlipway, restartCollector, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import { condition, isReady, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { tinyBundle } from '../../lib/tiny-operator.ts';
import { apply, makeNamespaces, remove, requestReconcile } from '../../lib/writes.ts';
import { expectUnharmed, watchHarm, type Harm } from '../leave-olm/harm.ts';
import { gadgetBundle } from '../webhooks/gadget-operator.ts';
import { accountFor } from './account.ts';
import { installCertManager, runCertManager } from './cert-manager.ts';
import { addCatalog, extensionRef, installByOlmV1, isInstalled, marksOfOlmV1 } from './olm-v1.ts';
import { publishPackage } from './publish.ts';

const obstacle = realNodeObstacle();
const GADGET = { kind: 'Subscription', name: 'gadget-operator', namespace: 'gadgets' };
const LAMP = { kind: 'Subscription', name: 'lamp', namespace: 'lamps' };
const TENANT = { kind: 'Subscription', name: 'tenant', namespace: 'tenants' };
const ALL = [GADGET, LAMP, TENANT];
const BUNDLES = {
  'gadget-operator': (version: string) => gadgetBundle({ version }),
  lamp: (version: string) => tinyBundle({ name: 'lamp', version, kind: 'Lamp' }),
  tenant: (version: string) => tinyBundle({ name: 'tenant', version, kind: 'Tenant' }),
} as const;

const adopting = (name: string): object => ({
  package: name,
  channel: '*',
  adopt: { from: 'OLMv1', clusterExtension: name },
});
const isAdopted = (one: Judged): boolean => isReady(one) && condition(one, 'Adopted')?.status === 'True';
const hasReason =
  (reason: string) =>
  (one: Judged): boolean =>
    condition(one, 'Adopted')?.reason === reason;

describe.skipIf(obstacle !== undefined)(
  `operators of OLM v1 are adopted by the manager${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    const cluster = useCluster({ olmV1: true });
    const over = new AbortController();
    let certManager: Promise<void>;
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
      await installCertManager(client);
      certManager = runCertManager(cluster(), client, over.signal);
      await installSlipway(cluster());
      await restartCollector(cluster()); // it has to know the kinds of OLM
      proxy = await startApiProxy(cluster());
      await start();
      await makeNamespaces(
        cluster(),
        ALL.map(({ namespace }) => namespace),
      );
      await publish(['1.0.0']);
      for (const { namespace } of ALL) await addCatalog(client, namespace, `${cluster().registry}/${namespace}:latest`);
      for (const one of ALL) await installByOlmV1(client, one);
      for (const { name } of ALL) await isInstalled(client, name);
      harm = await watchHarm(
        cluster(),
        client,
        ALL.map(({ namespace }) => namespace),
      );
    });
    afterAll(async () => {
      await harm?.end();
      over.abort();
      await certManager;
      await dying?.restarted().catch(() => undefined);
      await manager?.stop();
      await proxy?.[Symbol.asyncDispose]();
      transport?.close();
    });

    async function start(): Promise<void> {
      manager = await startManager(cluster(), { ...proxy.environment, SLIPWAY_LEADER_ELECT: 'false' });
    }

    /** Each package in a Catalog that has the name of its namespace. */
    async function publish(versions: readonly string[]): Promise<void> {
      for (const { name, namespace } of ALL)
        await publishPackage(cluster(), {
          catalog: namespace,
          name,
          versions,
          bundle: BUNDLES[name as keyof typeof BUNDLES],
        });
    }

    async function type(step: Step): Promise<string> {
      const { tools, kubeconfig } = cluster();
      const [printed = ''] = await typeSteps([step], { tools, variables: { KUBECONFIG: kubeconfig } });
      return printed;
    }

    const [subscribe, wait] = stepsFrom('docs/how-to/leave-olm-v1.md', 'adopt: {from: OLMv1') as [Step, Step];

    test('without the rights nothing is changed, and the condition names them', async () => {
      await apply(cluster(), subscriptionTo(LAMP.name, LAMP.namespace, adopting('lamp')));
      const refused = await waitFor(cluster(), LAMP, hasReason('Forbidden'));
      expect(condition(refused, 'Adopted')?.message).toContain('deploy/rights/adoption-olm-v1');
      expect(condition(refused, 'Ready')).toMatchObject({ status: 'False', reason: 'Forbidden' });
      expect((await client.get(extensionRef('lamp')))?.metadata.generation).toBe(1);
      expect(await marksOfOlmV1(client, 'lamp')).not.toEqual([]);
    });

    test('an account adopts with its rights on the ClusterExtension and its objects, and the manager needs none', async () => {
      const account = await accountFor(client, { extension: TENANT.name, namespace: TENANT.namespace });
      await apply(cluster(), subscriptionTo(TENANT.name, TENANT.namespace, { ...adopting('tenant'), serviceAccountName: account.name })); // prettier-ignore
      const refused = await waitFor(cluster(), TENANT, hasReason('Forbidden'));
      expect(condition(refused, 'Adopted')?.message).toContain(`ServiceAccount ${account.name}`);
      await account.grant();
      await requestReconcile(cluster(), TENANT);
      await waitFor(cluster(), TENANT, isAdopted);
    });

    test('one that installs in another namespace is refused, and nothing is changed', async () => {
      await cluster().kubectl(['apply', '-f', join(ROOT, 'deploy/rights/adoption-olm-v1/rights.yaml')]);
      const elsewhere = { kind: 'Subscription', name: 'taken', namespace: TENANT.namespace };
      await apply(cluster(), subscriptionTo(elsewhere.name, elsewhere.namespace, adopting('gadget-operator')));
      const refused = await waitFor(cluster(), elsewhere, hasReason('AdoptionRefused'));
      expect(condition(refused, 'Adopted')?.message).toContain('installs in namespace gadgets');
      expect((await client.get(extensionRef('gadget-operator')))?.metadata.generation).toBe(1);
      await remove(cluster(), elsewhere);
    });

    test('an operator is adopted although the manager is killed after one write after the other', async () => {
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
      expect(killed.size).toBeGreaterThan(16);
      expect(done.spec).toMatchObject(adopting('lamp'));
      expect(done.status?.['adoption']).toMatchObject({ clusterExtension: 'lamp', stage: 'HandedOver', version: '1.0.0' }); // prettier-ignore
      expect(await client.get(extensionRef('lamp'))).toBeUndefined();
      expect(await marksOfOlmV1(client, 'lamp')).toEqual([]);
    });

    test('an operator with webhooks is adopted by the manager, as the guide says', async () => {
      await type(subscribe);
      expect(await type(wait)).toContain('condition met');
      await waitFor(cluster(), GADGET, isAdopted);
    });

    test('a Subscription with spec.adopt is handed back as any other', async () => {
      const script = 'npm run -s slipway -- adopt undo lamp --from olm-v1';
      expect(await type({ script })).toContain('ClusterExtension lamp is handed back to OLM');
      await isInstalled(client, LAMP.name);
      expect(await client.get({ apiVersion: 'slipway.dev/v1alpha1', ...LAMP })).toBeUndefined();
    });

    test('no Pod was replaced, nothing that the operators need was deleted, and no probe failed', async () => {
      await expectUnharmed(harm);
    });

    test('OLM has and marks nothing of the others any more, and Slipway upgrades and uninstalls them', async () => {
      const others = [GADGET, TENANT];
      for (const { name } of others) {
        expect(await client.get(extensionRef(name))).toBeUndefined();
        expect(await marksOfOlmV1(client, name)).toEqual([]);
      }
      await publish(['1.0.0', '1.1.0']);
      await waitFor(cluster(), GADGET, runs('1.1.0'));
      for (const one of others) await remove(cluster(), one);
      for (const { namespace } of others)
        expect(await client.list({ apiVersion: 'apps/v1', kind: 'Deployment' }, { namespace })).toEqual([]);
    });
  },
);
