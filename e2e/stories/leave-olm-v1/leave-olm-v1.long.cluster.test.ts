/**
 * Operators are handed over from a running OLM v1 and back, as the guide says: no Pod is replaced, no object is deleted that the
 * operator needs, no call of its webhooks fails, and its rights are never absent. A watch and probes are the judges.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backupRef } from '../../../adoption/olm-v1/backup.ts';
import { HandOver } from '../../../adoption/olm-v1/hand-over.ts';
import { translateExtension } from '../../../adoption/olm-v1/translate.ts';
import { Undo } from '../../../adoption/olm-v1/undo.ts';
import { catalogFilter } from '../../../adoption/olm-v1/extension.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { isShownByLine, stepsOf, typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { serveManager, type ManagerService } from '../../console/manager-service.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, restartCollector, startManager, SYSTEM, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, publishFiles, type PackageVersion } from '../../lib/publish.ts';
import { tinyBundle } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces, remove, requestReconcile } from '../../lib/writes.ts';
import { expectUnharmed, watchHarm, type Harm } from '../leave-olm/harm.ts';
import { dyingAfterEachWrite, Killed, Kills } from '../leave-olm/killed.ts';
import { gadgetBundle, GROUP } from '../webhooks/gadget-operator.ts';
import { installCertManager, runCertManager } from './cert-manager.ts';
import {
  addCatalog,
  extensionRef,
  hasOnePod,
  installByOlmV1,
  isGone,
  isInstalled,
  isOwnedByOlm,
  marksOfOlmV1,
  refreshCatalog,
  reportOf,
  stirOlmV1,
} from './olm-v1.ts';

const obstacle = realNodeObstacle();
const GADGET = { kind: 'Subscription', name: 'gadget-operator', namespace: 'gadgets' };
const LAMP = { kind: 'Subscription', name: 'lamp', namespace: 'lamps' };
const TORCH = { kind: 'Subscription', name: 'torch', namespace: 'torches' };
const ALL = [GADGET, LAMP, TORCH];
/** Of the probes of harm. */
const STORED = { apiVersion: `${GROUP}/v1`, kind: 'Gadget', namespace: 'default', name: 'stored' };
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
      await restartCollector(cluster()); // it has to know the kinds of OLM
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
    });
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

    const statusOf = (flags: string): Promise<string> =>
      type({ script: `npm run -s slipway -- adopt status --from olm-v1 ${flags}` });

    const [listAll, listCatalogs, planOne, runOne, look, showAll, undoOne, stopOne, runAll] = stepsOf(
      'docs/how-to/leave-olm-v1.md',
    ) as [Step, Step, Step, Step, Step, Step, Step, Step, Step];

    test('the plan lists the operators, and writes nothing', async () => {
      const shown = await type(listAll);
      expect(shown).toMatch(/^gadget-operator +gadgets +gadget-operator +gadget-operator\.v1\.0\.0 +ready/m);
      expect(shown).toMatch(/^lamp +lamps +lamp +lamp\.v1\.0\.0 +ready/m);
      const catalogs = await type(listCatalogs);
      for (const catalog of Object.keys(BUNDLES))
        expect(catalogs).toContain(`ref: ${cluster().registry}/${catalog}:latest`);
      const plan = await type(planOne);
      expect(plan).toContain('ClusterExtension gadget-operator can be handed over');
      expect(plan).toContain('Deployment.apps gadgets/gadget-manager');
      expect(plan).toContain('certificates: CertManager');
      expect((await client.get(extensionRef('gadget-operator')))?.metadata.generation).toBe(1);
    });

    function handOverOf(name: string, to: Cluster = client): HandOver {
      return new HandOver({
        cluster: to,
        name: { extension: name, kept: SYSTEM },
        wanted: ({ survey }) => translateExtension(survey, { name }),
        obstacle: async () => undefined,
        signal: AbortSignal.timeout(150_000),
      });
    }

    function undoOf(name: string, to: Cluster = client): Undo {
      return new Undo({ cluster: to, name: { extension: name, kept: SYSTEM }, signal: AbortSignal.timeout(150_000) });
    }

    /** Carries out step after step, each with a process that is killed after its first write; OLM reconciles in between. */
    async function killedAgainAndAgain(
      name: string,
      next: (dying: Cluster) => Promise<{ readonly step: string; readonly carryOut: () => Promise<void> }>,
      isOver: (step: string) => Promise<boolean>,
    ): Promise<Kills> {
      const kills = new Kills();
      for (let last = ''; !(await isOver(last));) {
        const { step, carryOut } = await next(dyingAfterEachWrite(client, kills));
        last = step;
        kills.begin(step);
        await carryOut().catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
        await stirOlmV1(client, name, `${kills.writes.size}`);
        if (step.startsWith('Await')) await delay(200);
      }
      return kills;
    }

    test('a hand-over from which OLM has not gone yet is called off', async () => {
      const before = await client.get(extensionRef(TORCH.name));
      for (let last = ''; last !== 'Hold';) {
        const { step, gathered } = await handOverOf(TORCH.name).next();
        await handOverOf(TORCH.name).carryOut(step, gathered);
        last = step;
        if (step.startsWith('Await')) await delay(200);
      }
      const { step, facts } = await undoOf(TORCH.name).next();
      expect(step).toBe('CallOff');
      await undoOf(TORCH.name).carryOut(step, facts);
      const after = await isInstalled(client, TORCH.name);
      expect(after.metadata.finalizers).toEqual(before?.metadata.finalizers);
      expect(after['spec']).toEqual(before?.['spec']);
      expect(await client.get(backupRef({ extension: TORCH.name, kept: SYSTEM }))).toBeUndefined();
    });

    test('an operator is handed over and back, although the process is killed after every write', async () => {
      harm = await watchHarm(
        cluster(),
        client,
        ALL.map(({ namespace }) => namespace),
      );
      const over = async (dying: Cluster) => {
        const { step, gathered } = await handOverOf(LAMP.name, dying).next();
        return { step, carryOut: () => handOverOf(LAMP.name, dying).carryOut(step, gathered) };
      };
      const back = async (dying: Cluster) => {
        const { step, facts } = await undoOf(LAMP.name, dying).next();
        return { step, carryOut: () => undoOf(LAMP.name, dying).carryOut(step, facts) };
      };
      const isDone = async (step: string): Promise<boolean> => step === 'Done';
      const isForgotten = async (): Promise<boolean> =>
        (await client.get(backupRef({ extension: LAMP.name, kept: SYSTEM }))) === undefined;
      const { writes, steps } = await killedAgainAndAgain(LAMP.name, over, isDone);
      expect(steps).toEqual(expect.arrayContaining(['BackUp', 'Pause', 'Hold', 'Delete', 'HandOver', 'Subscribe', 'Release', 'Unpin'])); // prettier-ignore
      expect(writes.size).toBeGreaterThan(12);
      expect((await waitFor(cluster(), LAMP, isReady)).spec['version']).toBe('>=1.0.0 <2.0.0');
      expect((await killedAgainAndAgain(LAMP.name, back, isForgotten)).writes.size).toBeGreaterThan(10);
      const extension = await isInstalled(client, LAMP.name);
      expect(catalogFilter(extension)['version']).toBe('>=1.0.0 <2.0.0');
      await killedAgainAndAgain(LAMP.name, over, isDone);
      await waitFor(cluster(), LAMP, isReady);
      await client.delete(backupRef({ extension: LAMP.name, kept: SYSTEM }));
    });

    test('an operator with webhooks is handed over and back, as the guide says', async () => {
      expect(await type(runOne)).toBe(runOne.printed);
      expect(isShownByLine(await type(look), look.printed ?? '')).toBe(true);
      expect(isShownByLine(await type(showAll), showAll.printed ?? '')).toBe(true);
      expect(await type(undoOne)).toBe(undoOne.printed);
      await isInstalled(client, GADGET.name);
      await isOwnedByOlm(client, GADGET.name);
      expect(await client.get({ apiVersion: 'slipway.dev/v1alpha1', ...GADGET })).toBeUndefined();
      expect(await type(runAll)).toBe(runAll.printed);
    });

    test('a way back is given up at the last moment, and Slipway has the operator as before', async () => {
      const before = await client.get({ apiVersion: 'slipway.dev/v1alpha1', ...GADGET });
      expect(await type(stopOne)).toBe(stopOne.printed);
      const steps: string[] = [];
      while (!steps.includes('Pin')) {
        const { step, facts } = await undoOf(GADGET.name).next();
        await undoOf(GADGET.name).carryOut(step, facts);
        steps.push(step);
        if (step.startsWith('Await')) await delay(200);
      }
      expect(await type(stopOne)).toContain('gadget-operator is given up: Slipway has the operator as before');
      expect(await client.get(extensionRef(GADGET.name))).toBeUndefined();
      expect((await waitFor(cluster(), GADGET, isReady)).spec).toEqual(before?.['spec']);
      expect(await marksOfOlmV1(client, GADGET.name)).toEqual([]);
    });

    test('a ClusterExtension that is created again gets nothing of the operator', async () => {
      await installByOlmV1(client, TORCH);
      await reportOf(client, TORCH.name, /already exists.* cannot be managed by operator-controller/);
      expect(await marksOfOlmV1(client, TORCH.name)).toEqual([]);
      await client.delete(extensionRef(TORCH.name));
      await isGone(client, TORCH.name);
    });

    test('no Pod was replaced, nothing that the operators need was deleted, and no probe failed', async () => {
      await expectUnharmed(harm);
    });

    test('OLM has and marks nothing of them any more', async () => {
      for (const { name } of ALL) {
        expect(await client.get(extensionRef(name))).toBeUndefined();
        expect(await marksOfOlmV1(client, name)).toEqual([]);
      }
    });

    test('they are upgraded by Slipway', async () => {
      await publish(['1.0.0', '1.1.0']);
      for (const one of ALL) await waitFor(cluster(), one, runs('1.1.0'));
    });

    test('an operator stays with Slipway if OLM does not have its version', async () => {
      await hasOnePod(client, GADGET);
      await client.delete(STORED);
      harm = await watchHarm(cluster(), client, [GADGET.namespace]);
      await expect(type(undoOne)).rejects.toThrow('no bundles found for package');
      await isGone(client, GADGET.name);
      await waitFor(cluster(), GADGET, runs('1.1.0'));
      expect(await marksOfOlmV1(client, GADGET.name)).toEqual([]);
    });

    test('an operator that Slipway has upgraded is handed back in that version, and no Pod is replaced', async () => {
      await refreshCatalog(client, 'gadgets');
      const before = await specsOfDeployments(GADGET);
      expect(await type(undoOne)).toBe(
        'ClusterExtension gadget-operator is handed back to OLM in version 1.1.0; it had come in version 1.0.0\n',
      );
      const { status } = await isInstalled(client, GADGET.name);
      expect(status).toMatchObject({ install: { bundle: { version: '1.1.0' } } });
      await isOwnedByOlm(client, GADGET.name);
      expect(await specsOfDeployments(GADGET)).toEqual(before);
      await expectUnharmed(harm);
    });

    test('OLM upgrades it again, and deletes it with the ClusterExtension', async () => {
      await publish(['1.0.0', '1.1.0', '1.2.0']);
      await refreshCatalog(client, 'gadgets');
      await isInstalled(client, GADGET.name, '1.2.0');
      await client.delete(extensionRef(GADGET.name));
      await isGone(client, GADGET.name);
      await isEmpty(GADGET);
    });

    test('OLM is removed, as the guide says, and the hand-overs are listed all the same', async () => {
      const [listLeft, deleteCatalogs] = stepsOf('docs/how-to/leave-olm-v1.md').slice(-2) as [Step, Step];
      expect(await type(listLeft)).toBe('');
      expect(await type(deleteCatalogs)).toMatch(/^clustercatalog\.olm\.operatorframework\.io "[^"]+" deleted/);
      // A person deletes more by the manifest of OLM; here its programs are processes.
      const kinds = ['clustercatalogs', 'clusterextensions'].map((kind) => `${kind}.olm.operatorframework.io`);
      await cluster().kubectl(['delete', 'crds', ...kinds]);
      // The test has deleted the backup of the lamp.
      for (const flags of ['', `-n ${TORCH.namespace}`])
        expect(await statusOf(flags)).toMatch(/^NAME .*\ntorch .* Done .*\n$/);
      expect(await statusOf(`-n ${LAMP.namespace}`)).toBe(
        `No hand-over in the namespace ${LAMP.namespace} has a backup\n`,
      );
    });

    test('the others are uninstalled by Slipway', async () => {
      for (const one of [LAMP, TORCH]) {
        await remove(cluster(), one);
        await isEmpty(one);
      }
      const backups = { namespace: SYSTEM, labelSelector: 'slipway.dev/adoption' };
      expect(await client.list({ apiVersion: 'v1', kind: 'Secret' }, backups)).toEqual([]);
    });

    async function specsOfDeployments({ namespace }: { readonly namespace: string }): Promise<readonly unknown[]> {
      const deployments = await client.list({ apiVersion: 'apps/v1', kind: 'Deployment' }, { namespace });
      expect(deployments).not.toEqual([]);
      return deployments.map(({ metadata: { name }, spec }) => ({ name, spec }));
    }

    async function isEmpty({ namespace }: { readonly namespace: string }): Promise<void> {
      const ask = async (): Promise<boolean> =>
        (await client.list({ apiVersion: 'apps/v1', kind: 'Deployment' }, { namespace })).length === 0;
      await until(`${namespace} has no Deployment`, ask);
    }
  },
);
