/**
 * Operators are handed over from a running OLM v1, as the guide says: no Pod is replaced, no object is deleted that the
 * operator needs, no call of its webhooks fails, and its rights are never absent. A watch and probes are the judges.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backupRef } from '../../../adoption/olm-v1/backup.ts';
import { HandOver } from '../../../adoption/olm-v1/hand-over.ts';
import { translateExtension } from '../../../adoption/olm-v1/translate.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { isShownByLine, stepsOf, typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { serveManager, type ManagerService } from '../../console/manager-service.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, SYSTEM, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, publishFiles, type PackageVersion } from '../../lib/publish.ts';
import { tinyBundle } from '../../lib/tiny-operator.ts';
import { apply, makeNamespaces, remove, requestReconcile } from '../../lib/writes.ts';
import { watchHarm, type Harm } from '../leave-olm/harm.ts';
import { dyingAfterEachWrite, Killed } from '../leave-olm/killed.ts';
import { gadgetBundle } from '../webhooks/gadget-operator.ts';
import { installCertManager, runCertManager } from './cert-manager.ts';
import {
  addCatalog,
  extensionRef,
  installByOlmV1,
  isGone,
  isInstalled,
  marksOfOlmV1,
  reportOf,
  stirOlmV1,
} from './olm-v1.ts';

const obstacle = realNodeObstacle();
const GADGET = { kind: 'Subscription', name: 'gadget-operator', namespace: 'gadgets' };
const LAMP = { kind: 'Subscription', name: 'lamp', namespace: 'lamps' };
const TORCH = { kind: 'Subscription', name: 'torch', namespace: 'torches' };
const ALL = [GADGET, LAMP, TORCH];
const BUNDLES = {
  gadgets: { package: 'gadget-operator', bundle: (version: string) => gadgetBundle({ version }) },
  lamps: { package: 'lamp', bundle: (version: string) => tinyBundle({ name: 'lamp', version, kind: 'Lamp' }) },
  torches: { package: 'torch', bundle: (version: string) => tinyBundle({ name: 'torch', version, kind: 'Torch' }) },
};

describe.skipIf(obstacle !== undefined)(
  `operators leave OLM v1${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    const cluster = useCluster({ olmV1: true });
    const over = new AbortController();
    let certManager: Promise<void>;
    let manager: RunningManager;
    let service: ManagerService;
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
      manager = await startManager(cluster());
      service = await serveManager(cluster(), manager);
      await makeNamespaces(
        cluster(),
        ALL.map(({ namespace }) => namespace),
      );
      await publish(['1.0.0']);
      for (const catalog of Object.keys(BUNDLES))
        await addCatalog(client, catalog, `${cluster().registry}/${catalog}:latest`);
      for (const one of [GADGET, TORCH]) await installByOlmV1(client, one);
      await installByOlmV1(client, LAMP, { version: '>=1.0.0 <2.0.0' });
      for (const { name } of ALL) await isInstalled(client, name);
    }, 600_000);
    afterAll(async () => {
      await harm?.end();
      over.abort();
      await certManager;
      await service?.[Symbol.asyncDispose]();
      await manager?.stop();
      transport?.close();
    });

    /** Catalogs of both packages, the versions one after the other. */
    async function publish(versions: readonly string[]): Promise<void> {
      const { registry } = cluster();
      for (const [catalog, { package: name, bundle }] of Object.entries(BUNDLES)) {
        const published: PackageVersion[] = [];
        for (const [at, version] of versions.entries()) {
          const image = await publishFiles(bundle(version), `${registry}/${name}:v${version}`);
          published.push({ version, image, ...(at > 0 && { replaces: versions[at - 1]! }) });
        }
        await publishCatalog(packageDocuments(name, published), `${registry}/${catalog}:latest`);
        await apply(cluster(), catalogOf(catalog, `${registry}/${catalog}:latest`));
        await requestReconcile(cluster(), { kind: 'Catalog', name: catalog });
      }
    }

    async function type(step: Step): Promise<string> {
      const { tools } = cluster();
      const [printed = ''] = await typeSteps([step], { tools, variables: { KUBECONFIG: service.kubeconfig } });
      return printed;
    }

    const [listAll, listCatalogs, planOne, runOne, look, showAll, runAll] = stepsOf('docs/how-to/leave-olm-v1.md') as [
      Step,
      Step,
      Step,
      Step,
      Step,
      Step,
      Step,
    ];

    test('the plan lists the operators, and writes nothing', async () => {
      const shown = await type(listAll);
      expect(shown).toMatch(/^gadget-operator +gadgets +gadget-operator +gadget-operator\.v1\.0\.0 +ready/m);
      expect(shown).toMatch(/^lamp +lamps +lamp +lamp\.v1\.0\.0 +ready/m);
      for (const catalog of Object.keys(BUNDLES))
        expect(await type(listCatalogs)).toContain(`ref: ${cluster().registry}/${catalog}:latest`);
      const plan = await type(planOne);
      expect(plan).toContain('ClusterExtension gadget-operator can be handed over');
      expect(plan).toContain('Deployment.apps gadgets/gadget-manager');
      expect(plan).toContain('certificates: CertManager');
      expect((await client.get(extensionRef('gadget-operator')))?.metadata.generation).toBe(1);
    });

    test('an operator is handed over although the process is killed after every write', async () => {
      harm = await watchHarm(
        cluster(),
        client,
        ALL.map(({ namespace }) => namespace),
      );
      const signal = AbortSignal.timeout(150_000);
      const killed = new Set<string>();
      for (let isDone = false; !isDone;) {
        const handOver = new HandOver({
          cluster: dyingAfterEachWrite(client, killed),
          name: { extension: LAMP.name, kept: SYSTEM },
          wanted: ({ survey }) => translateExtension(survey, { name: LAMP.name, catalog: 'lamps' }),
          obstacle: async () => undefined,
          signal,
        });
        const { step, gathered } = await handOver.next();
        isDone = step === 'Done';
        await handOver.carryOut(step, gathered).catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
        await stirOlmV1(client, LAMP.name, `${killed.size}`);
        if (step.startsWith('Await')) await delay(200);
      }
      expect(killed.size).toBeGreaterThan(12);
      const { spec } = await waitFor(cluster(), LAMP, isReady);
      expect(spec['version']).toBe('>=1.0.0 <2.0.0');
      await client.delete(backupRef({ extension: LAMP.name, kept: SYSTEM }));
    }, 180_000);

    test('an operator with webhooks is handed over, as the guide says', async () => {
      expect(await type(runOne)).toBe(runOne.printed);
      expect(isShownByLine(await type(look), look.printed ?? '')).toBe(true);
      expect(isShownByLine(await type(showAll), showAll.printed ?? '')).toBe(true);
      expect(await type(runAll)).toBe(runAll.printed);
    }, 180_000);

    test('a ClusterExtension that is created again gets nothing of the operator', async () => {
      await installByOlmV1(client, TORCH);
      await reportOf(client, TORCH.name, /already exists.* cannot be managed by operator-controller/);
      expect(await marksOfOlmV1(client, TORCH.name)).toEqual([]);
      await client.delete(extensionRef(TORCH.name));
      await isGone(client, TORCH.name);
    }, 90_000);

    test('no Pod was replaced, nothing that the operators need was deleted, and no probe failed', async () => {
      const { deleted, created, turnedOff, crdWrites, failures, probes } = await harm.end();
      expect({ deleted, created, turnedOff, failures }).toEqual({
        deleted: [],
        created: [],
        turnedOff: [],
        failures: [],
      });
      expect(crdWrites).toBeGreaterThan(0);
      expect(probes).toBeGreaterThan(20);
    });

    test('OLM has and marks nothing of them any more', async () => {
      for (const { name } of ALL) {
        expect(await client.get(extensionRef(name))).toBeUndefined();
        expect(await marksOfOlmV1(client, name)).toEqual([]);
      }
    });

    test('they are upgraded by Slipway, and uninstalled', async () => {
      await publish(['1.0.0', '1.1.0']);
      for (const one of ALL) await waitFor(cluster(), one, runs('1.1.0'));
      for (const one of ALL) await remove(cluster(), one);
      for (const { namespace } of ALL) {
        const left = await client.list({ apiVersion: 'apps/v1', kind: 'Deployment' }, { namespace });
        expect(left).toEqual([]);
      }
    }, 120_000);
  },
);
