/** An operator with webhooks is handed over from a running OLM v0: no Pod is replaced, and no call of a webhook fails. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nextStep } from '../../../adoption/olm-v0/steps.ts';
import { HandOver } from '../../../adoption/olm-v0/hand-over.ts';
import { translateSubscription } from '../../../adoption/olm-v0/translate.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, list, waitFor } from '../../lib/objects.ts';
import { writeOlmCatalog } from '../../lib/olm-catalog.ts';
import { packageDocuments, publishCatalog, publishFiles } from '../../lib/publish.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces } from '../../lib/writes.ts';
import { gadgetBundle } from '../webhooks/gadget-operator.ts';

const obstacle = realNodeObstacle();
const NAMESPACE = 'gadgets';
const OLM = '/apis/operators.coreos.com/v1alpha1';

describe.skipIf(obstacle !== undefined)(
  `OLM v0 hands an operator over${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    const cluster = useCluster({ olm: true });
    let manager: RunningManager;
    let transport: Transport;
    let client: Client;

    beforeAll(async () => {
      const { config } = await loadKubeconfig(cluster().kubeconfig);
      transport = createTransport(config);
      client = createClient(transport);
      await installSlipway(cluster());
      manager = await startManager(cluster());
      await publish();
      await installByOlm();
    }, 600_000);
    afterAll(async () => {
      await manager?.stop();
      transport?.close();
    });

    async function publish(): Promise<void> {
      const files = gadgetBundle({ version: '1.0.0' });
      const image = await publishFiles(files, `${cluster().registry}/gadget-operator:v1.0.0`);
      const catalog = `${cluster().registry}/gadgets:latest`;
      await publishCatalog(packageDocuments('gadget-operator', [{ version: '1.0.0', image }]), catalog);
      await apply(cluster(), catalogOf('gadgets', catalog));
      writeOlmCatalog(cluster(), [{ name: 'gadget-operator', bundles: [{ version: '1.0.0', files }] }]);
    }

    async function installByOlm(): Promise<void> {
      await makeNamespaces(cluster(), [NAMESPACE]);
      await cluster().request('POST', `/apis/operators.coreos.com/v1/namespaces/${NAMESPACE}/operatorgroups`, {
        apiVersion: 'operators.coreos.com/v1',
        kind: 'OperatorGroup',
        metadata: { name: 'all' },
        spec: {},
      });
      await cluster().request('POST', `${OLM}/namespaces/${NAMESPACE}/subscriptions`, {
        apiVersion: 'operators.coreos.com/v1alpha1',
        kind: 'Subscription',
        metadata: { name: 'gadget-operator' },
        spec: { name: 'gadget-operator', channel: 'stable', source: 'tested', sourceNamespace: 'olm' },
      });
      await until(
        'OLM has installed the operator',
        async () => {
          const csv = await cluster()
            .read(`${OLM}/namespaces/${NAMESPACE}/clusterserviceversions/gadget-operator.v1.0.0`)
            .catch(() => undefined);
          return (csv?.['status'] as { readonly phase?: string } | undefined)?.phase === 'Succeeded';
        },
        {
          timeoutSeconds: 240,
          explain: () =>
            `${cluster()
              .log('catalog-operator' as never)
              .slice(-3000)}\n${cluster()
              .log('olm-operator' as never)
              .slice(-3000)}`,
        },
      );
    }

    test('no Pod is replaced', async () => {
      const before = await list<{ metadata: { uid: string } }>(cluster(), 'Pod', { namespace: NAMESPACE });
      const handOver = new HandOver({
        cluster: client,
        name: { namespace: NAMESPACE, subscription: 'gadget-operator' },
        wanted: ({ survey }) => translateSubscription(survey, { name: 'gadget-operator', version: '1.0.0' }).manifest,
        sleep: (ms) => delay(ms),
        signal: AbortSignal.timeout(120_000),
      });
      const steps: string[] = [];
      for (;;) {
        const { step, gathered } = await handOver.next();
        if (steps.at(-1) !== step) {
          steps.push(step);
          console.log(
            new Date().toISOString(),
            step,
            gathered.state.marked.length,
            gathered.state.leftovers.map((r) => `${r.kind} ${r.name}`),
          );
        }
        if (step === 'Done') break;
        await handOver.carryOut(step, gathered);
        if (step.startsWith('Await')) await delay(200);
        if (steps.length > 40) throw new Error('too many steps');
      }
      const after = await list<{ metadata: { uid: string } }>(cluster(), 'Pod', { namespace: NAMESPACE });
      expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
      await waitFor(cluster(), { kind: 'Subscription', name: 'gadget-operator', namespace: NAMESPACE }, isReady);
      expect(nextStep).toBeDefined();
    }, 180_000);
  },
);
