/**
 * Operators of the corpus that OLM v0 has installed are handed over while OLM runs. A watch of all their objects and calls
 * of their webhooks, APIs and rights are the judges: no Pod is replaced, nothing that they need is deleted, no call fails.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { isReady, waitFor } from '../../lib/objects.ts';
import { hasShared } from '../../lib/shared.ts';
import { runSlipway, type SlipwayRun } from '../../lib/slipway.ts';
import { marksOfOlm } from '../leave-olm/olm.ts';
import { installAllByOlm, isInstalled, publishAll, subscriptionName } from './install.ts';
import { Judge } from './judge.ts';
import { loadLeavers } from './load.ts';
import { LEAVERS, targetsOf, type Leaver } from './operators.ts';
import type { Probe } from './probe.ts';
import { probesOf } from './probes.ts';

const obstacle = hasShared ? realNodeObstacle() : 'the corpus is missing';
/** A few of each class with SLIPWAY_OLM_SAMPLE=yes. */
const chosen: readonly Leaver[] =
  process.env['SLIPWAY_OLM_SAMPLE'] === 'yes' ? LEAVERS.filter(({ isSampled }) => isSampled) : LEAVERS;
/** Those that go back to OLM. */
const BACK = ['gadget-operator', 'netobserv-operator', 'clickhouse', 'grafana-operator'];
const EVERY_OPERATOR_MS = 60_000;

describe.skipIf(obstacle !== undefined)(
  `operators of the corpus leave OLM v0${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    const cluster = useCluster({ olm: true });
    const operators = obstacle === undefined ? loadLeavers(chosen) : [];
    const namespaces = [...new Set(operators.flatMap((one) => [one.namespace, ...targetsOf(one)]))];
    let manager: RunningManager;
    let transport: Transport;
    let client: Client;
    let probes: readonly Probe[];

    beforeAll(async () => {
      const { config } = await loadKubeconfig(cluster().kubeconfig);
      transport = createTransport(config);
      client = createClient(transport);
      await installSlipway(cluster());
      manager = await startManager(cluster());
      await publishAll(cluster(), operators);
      await installAllByOlm(cluster(), operators);
      const found: Probe[] = [];
      for (const one of operators) found.push(...(await probesOf({ cluster: cluster(), client }, one)));
      probes = found;
    }, 1_200_000);
    afterAll(async () => {
      await manager?.stop();
      transport?.close();
    });

    async function slipway(...args: readonly string[]): Promise<SlipwayRun> {
      return runSlipway(cluster().folder, args, { KUBECONFIG: cluster().kubeconfig });
    }

    test('each sort of call is made, and each operator has some', () => {
      const sorts = Object.groupBy(probes, ({ sort }) => sort);
      const counts = Object.entries(sorts).map(([sort, list]) => `${sort}: ${list.length}`);
      process.stdout.write(`leave-olm-corpus: ${counts.join(', ')}\n`);
      expect(Object.keys(sorts).toSorted()).toEqual(['admission', 'aggregated API', 'conversion', 'right']);
      expect(new Set(probes.map(({ operator }) => operator)).size).toBe(operators.length);
    });

    test(
      'all are handed over, and no Pod is replaced, nothing is deleted that they need, and no call fails',
      async () => {
        const judge = new Judge(client, probes, namespaces);
        await judge.begin();
        const { code, text } = await slipway(
          'adopt',
          'run',
          '--all',
          '--all-namespaces',
          '--allow-overwrites',
          '--timeout',
          '90s',
        );
        const { harm, failures, calls, events } = await judge.end();
        process.stdout.write(`leave-olm-corpus: ${calls} calls, ${events} events\n${text}`);
        expect({ harm, failures }).toEqual({ harm: [], failures: [] });
        expect(text).toContain(`${operators.length} operators handed over`);
        expect(code).toBe(0);
        expect(calls).toBeGreaterThan(operators.length * 20);
      },
      EVERY_OPERATOR_MS * chosen.length,
    );

    test.each(operators)('$package is healthy under Slipway, and OLM marks nothing of it', async (one) => {
      const name = subscriptionName(one);
      await waitFor(cluster(), { kind: 'Subscription', name, namespace: one.namespace }, isReady);
      expect(await marksOfOlm(client, one.package, one.namespace)).toEqual([]);
    });

    test(
      'some go back, OLM counts them as Succeeded, and again no harm is done',
      async () => {
        const back = operators.filter((one) => BACK.includes(one.package));
        const names = new Set(back.map(({ installed }) => installed.name));
        const judge = new Judge(client, probes.filter(({ operator }) => names.has(operator)), namespaces); // prettier-ignore
        await judge.begin();
        for (const one of back) {
          const { code, text } = await slipway('adopt', 'undo', `${one.namespace}/${subscriptionName(one)}`);
          expect(`${code} ${text}`).toMatch(/^0 /);
          await isInstalled(cluster(), one);
        }
        const { harm, failures } = await judge.end();
        expect({ harm, failures }).toEqual({ harm: [], failures: [] });
      },
      EVERY_OPERATOR_MS * BACK.length,
    );
  },
);
