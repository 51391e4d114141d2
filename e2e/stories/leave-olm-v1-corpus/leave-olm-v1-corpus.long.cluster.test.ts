/**
 * Operators of the corpus go over from a running OLM v1 to Slipway and back, first in the version that OLM has installed, then
 * in the next one, which Slipway has rolled out. A watch of all their objects and calls of their webhooks and rights are the
 * judges: no Pod is replaced, no object that they need is deleted, no call fails.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeExtension } from '../../../adoption/olm-v1/verdict.ts';
import { API_VERSION } from '../../../api/names.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { runs, waitFor, type Judged } from '../../lib/objects.ts';
import { hasShared } from '../../lib/shared.ts';
import { until } from '../../lib/until.ts';
import { makeNamespaces } from '../../lib/writes.ts';
import type { LoadedBundle } from '../leave-olm-corpus/api-bundle.ts';
import { CATALOG, publishForSlipway } from '../leave-olm-corpus/install.ts';
import type { Judgement } from '../leave-olm-corpus/judge.ts';
import { loadLeavers } from '../leave-olm-corpus/load.ts';
import { installCertManager, runCertManager } from '../leave-olm-v1/cert-manager.ts';
import {
  addCatalog,
  extensionRef,
  installByOlmV1,
  isInstalled,
  isOwnedByOlm,
  marksOfOlmV1,
} from '../leave-olm-v1/olm-v1.ts';
import { Judgements } from './judged.ts';
import { leaverOf, REFUSED, TRAVELLERS } from './operators.ts';
import { goBack, goOver, handOverOf, WAY_MS } from './walk.ts';

const obstacle = hasShared ? realNodeObstacle() : 'the corpus is missing';
/** A few with SLIPWAY_OLM_SAMPLE=yes. */
const isSample = process.env['SLIPWAY_OLM_SAMPLE'] === 'yes';
const travellers = TRAVELLERS.filter(({ isSampled }) => !isSample || isSampled);
const refused = REFUSED.filter(({ isSampled }) => !isSample || isSampled);
const returning = travellers.filter(({ staysOnceUpgraded }) => staysOnceUpgraded !== true);
const staying = travellers.filter(({ staysOnceUpgraded }) => staysOnceUpgraded === true);

describe.skipIf(obstacle !== undefined)(
  `operators of the corpus leave OLM v1 and go back${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    const cluster = useCluster({ olmV1: true });
    const operators = obstacle === undefined ? loadLeavers([...travellers, ...refused].map(leaverOf)) : [];
    const over = new AbortController();
    let certManager: Promise<void>;
    let manager: RunningManager;
    let transport: Transport;
    let client: Client;
    let judgements: Judgements;

    beforeAll(async () => {
      const { config } = await loadKubeconfig(cluster().kubeconfig);
      transport = createTransport(config);
      client = createClient(transport);
      judgements = new Judgements(cluster(), client);
      await installCertManager(client);
      certManager = runCertManager(cluster(), client, over.signal);
      await installSlipway(cluster());
      manager = await startManager(cluster());
      await addCatalog(client, CATALOG, await publishForSlipway(cluster(), operators));
      await makeNamespaces(
        cluster(),
        operators.map(({ namespace }) => namespace),
      );
    });
    afterAll(async () => {
      over.abort();
      await certManager;
      await manager?.stop();
      transport?.close();
    });

    const subscriptionOf = (name: string) => ({ kind: 'Subscription', name, namespace: name });

    /** The version that OLM installs, and the next one. */
    function versionsOf(name: string): readonly [LoadedBundle, LoadedBundle] {
      const [first, next] = operators.find((one) => one.package === name)?.bundles ?? [];
      if (first === undefined || next === undefined) throw new Error(`${name} has no two versions`);
      return [first, next];
    }

    async function expectNoHarm(way: Promise<Judgement>): Promise<void> {
      const { harm, failures, calls, events } = await way;
      expect({ harm, failures }).toEqual({ harm: [], failures: [] });
      expect(calls).toBeGreaterThan(20);
      expect(events).toBeGreaterThan(0);
    }

    async function isWithSlipway(name: string, { version }: LoadedBundle): Promise<void> {
      await waitFor(cluster(), subscriptionOf(name), runs(version));
      expect(await client.get(extensionRef(name))).toBeUndefined();
      expect(await marksOfOlmV1(client, name)).toEqual([]);
    }

    async function isWithOlm(name: string, { version }: LoadedBundle): Promise<void> {
      await isInstalled(client, name, version);
      await isOwnedByOlm(client, name);
      expect(await client.get({ apiVersion: API_VERSION, ...subscriptionOf(name) })).toBeUndefined();
    }

    /** Slipway rolls the next version out. */
    async function upgrade(name: string, { version }: LoadedBundle): Promise<void> {
      await client.patch({ apiVersion: API_VERSION, ...subscriptionOf(name) }, { spec: { version: null } });
      const isDone = (one: Judged): boolean => runs(version)(one) && one.status?.['pending'] === undefined;
      await waitFor(cluster(), subscriptionOf(name), isDone);
      await isWithoutFormerCrds(name);
    }

    /** A CRD that the next version lacks goes some time after the roll-out; the way of another operator would be blamed for it. */
    async function isWithoutFormerCrds(name: string): Promise<void> {
      const [before, after] = versionsOf(name).map(crdNames);
      for (const crd of before!.difference(after!)) {
        const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: crd };
        await until(`${crd} is gone`, async () => (await client.get(ref)) === undefined);
      }
    }

    test.each(travellers)(
      '$package goes over and back in the version of OLM: $because',
      async ({ package: name }) => {
        const [first] = versionsOf(name);
        await installByOlmV1(client, { name, namespace: name }, { version: first.version });
        await isInstalled(client, name, first.version);
        const way = judgements.of(name, first, async () => {
          await goOver(client, name);
          await isWithSlipway(name, first);
          await goBack(client, name);
          await isWithOlm(name, first);
        });
        await expectNoHarm(way);
      },
      WAY_MS * 3,
    );

    test.each(travellers)(
      '$package goes over again, and Slipway rolls the next version out',
      async ({ package: name }) => {
        const [first, next] = versionsOf(name);
        await expectNoHarm(judgements.of(name, first, () => goOver(client, name)));
        await upgrade(name, next);
      },
      WAY_MS * 2,
    );

    test.each(returning)(
      '$package goes back in the version that Slipway has rolled out',
      async ({ package: name }) => {
        const [, next] = versionsOf(name);
        const way = judgements.of(name, next, async () => {
          await goBack(client, name);
          await isWithOlm(name, next);
        });
        await expectNoHarm(way);
      },
      WAY_MS * 2,
    );

    test.each(staying)(
      '$package stays with Slipway once it is upgraded: $because',
      async ({ package: name }) => {
        const [, next] = versionsOf(name);
        const before = await client.get({ apiVersion: API_VERSION, ...subscriptionOf(name) });
        await expect(goBack(client, name)).rejects.toMatchObject({ reason: 'Collision' });
        await isWithSlipway(name, next);
        const after = await client.get({ apiVersion: API_VERSION, ...subscriptionOf(name) });
        expect(after?.['spec']).toEqual(before?.['spec']);
      },
      WAY_MS,
    );

    test.each(refused)(
      '$package is not handed over: $because',
      async ({ package: name, reason }) => {
        const [first] = versionsOf(name);
        await installByOlmV1(client, { name, namespace: name }, { version: first.version });
        const before = await isInstalled(client, name, first.version);
        const { gathered } = await handOverOf(client, name).next();
        expect(judgeExtension(gathered.survey)).toMatchObject({ kind: 'refused', reason });
        await expect(goOver(client, name)).rejects.toMatchObject({ reason: 'Collision' });
        expect(await isInstalled(client, name, first.version)).toMatchObject({
          metadata: { generation: before.metadata.generation, finalizers: before.metadata.finalizers },
        });
      },
      WAY_MS,
    );

    test('each sort of call was made', () => {
      process.stdout.write(`leave-olm-v1-corpus: ${travellers.length} operators, ${judgements.describe()}\n`);
      expect(judgements.sorts).toEqual(['admission', 'conversion', 'right']);
    });
  },
);

function crdNames({ files }: LoadedBundle): ReadonlySet<string> {
  return new Set(parseBundle(files).crds.map(({ object }) => object.metadata.name));
}
