/**
 * Operators are handed over from a running OLM v0, as the guide says: no Pod is replaced, no object is deleted that the
 * operator needs, no call of its webhooks fails, and its rights are never absent. A watch and probes are the judges.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Gathered } from '../../../adoption/olm-v0/gather.ts';
import { HandOver } from '../../../adoption/olm-v0/hand-over.ts';
import type { StepName } from '../../../adoption/olm-v0/steps.ts';
import { translateSubscription } from '../../../adoption/olm-v0/translate.ts';
import type { UndoStep } from '../../../adoption/olm-v0/undo-steps.ts';
import { Undo, type UndoFacts } from '../../../adoption/olm-v0/undo.ts';
import type { Cluster } from '../../../api/cluster.ts';
import type { KubeObject } from '../../../api/object.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { isShownByLine, stepsOf, typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, SYSTEM, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, waitFor } from '../../lib/objects.ts';
import { writeOlmCatalog } from '../../lib/olm-catalog.ts';
import { packageDocuments, publishCatalog, publishFiles, type PackageVersion } from '../../lib/publish.ts';
import { tinyBundle } from '../../lib/tiny-operator.ts';
import { apply, makeNamespaces, remove, requestReconcile } from '../../lib/writes.ts';
import { gadgetBundle } from '../webhooks/gadget-operator.ts';
import { watchHarm, type Harm } from './harm.ts';
import { dyingAfterEachWrite, Killed } from './killed.ts';
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
      manager = await startManager(cluster());
      await makeNamespaces(cluster(), [GADGET.namespace, LAMP.namespace]);
      await publish(['1.0.0']);
      await installByOlm(cluster(), GADGET, {});
      await installByOlm(cluster(), LAMP, { targetNamespaces: [LAMP.namespace] }, { isConfigured: true });
      await hasSucceeded(cluster(), GADGET);
      await hasSucceeded(cluster(), LAMP);
    }, 600_000);
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

    const [listAll, listCatalogs, planOne, runOne, look, showAll, goBack, runAll, forgetBackup] = stepsOf(
      'docs/how-to/leave-olm-v0.md',
    ) as [Step, Step, Step, Step, Step, Step, Step, Step, Step];

    interface Walk<Facts> {
      next(): Promise<{ readonly step: string; readonly facts: Facts }>;
      carryOut(step: string, facts: Facts): Promise<void>;
    }

    /** Every process of it is killed after its next write, and OLM has reason to judge everything. */
    async function killedAfterEveryWrite<Facts>(
      begin: (cluster: Cluster) => Walk<Facts>,
      last: string,
    ): Promise<ReadonlySet<string>> {
      const killed = new Set<string>();
      for (let isDone = false; !isDone;) {
        const walk = begin(dyingAfterEachWrite(client, killed));
        const { step, facts } = await walk.next();
        isDone = step === last;
        await walk.carryOut(step, facts).catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        });
        await stirOlm(cluster(), { namespace: LAMP.namespace, group: 'all', csv: 'lamp.v1.0.0' }, `${killed.size}`);
        if (step.startsWith('Await')) await delay(200);
      }
      return killed;
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

    test('an operator of one namespace is handed over although the process is killed after every write', async () => {
      harm = await watchHarm(cluster(), client, [GADGET.namespace, LAMP.namespace]);
      const signal = AbortSignal.timeout(150_000);
      const wanted = ({ survey }: Gathered): KubeObject =>
        translateSubscription(survey, { name: 'lamp', version: '1.0.0' }).manifest;
      const killed = await killedAfterEveryWrite((dying) => {
        const handOver = new HandOver({ cluster: dying, name: lampKept, wanted, sleep: (ms) => delay(ms), signal });
        return {
          next: async () => {
            const { step, gathered } = await handOver.next();
            return { step, facts: gathered };
          },
          carryOut: (step, facts: Gathered) => handOver.carryOut(step as StepName, facts),
        };
      }, 'Done');
      expect(killed.size).toBeGreaterThan(20);
      await waitFor(cluster(), LAMP, isReady);
    }, 180_000);

    test('it is handed back although the process is killed after every write', async () => {
      const signal = AbortSignal.timeout(150_000);
      const killed = await killedAfterEveryWrite((dying) => {
        const undo = new Undo({ cluster: dying, name: lampKept, now: () => new Date(), signal });
        return {
          next: () => undo.next(),
          carryOut: (step, facts: UndoFacts) => undo.carryOut(step as UndoStep, facts),
        };
      }, 'ForgetBackup');
      expect(killed.size).toBeGreaterThan(8);
      await hasSucceeded(cluster(), LAMP);
    }, 180_000);

    test('an operator with webhooks is handed over, as the guide says', async () => {
      expect(await type(runOne)).toBe(runOne.printed);
      expect(isShownByLine(await type(look), look.printed ?? '')).toBe(true);
      expect(isShownByLine(await type(showAll), showAll.printed ?? '')).toBe(true);
    }, 180_000);

    test('it is handed back, as the guide says', async () => {
      expect(await type(goBack)).toBe(goBack.printed);
      await hasSucceeded(cluster(), GADGET);
      const left = await client.list({ apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription' }, {});
      expect(left).toEqual([]);
      expect(await marksOfSlipway(client)).toEqual([]);
    }, 180_000);

    test('all operators are handed over, one after the other', async () => {
      expect(await type(runAll)).toBe(runAll.printed);
      for (const one of [GADGET, LAMP]) await waitFor(cluster(), one, isReady);
      await type(forgetBackup);
    }, 240_000);

    test('no Pod was replaced, nothing that the operators need was deleted, and no probe failed', async () => {
      const { deleted, created, conversions, failures, probes } = await harm.end();
      expect({ deleted, created, failures }).toEqual({ deleted: [], created: [], failures: [] });
      expect(conversions).not.toContain('None');
      expect(probes).toBeGreaterThan(20);
    });

    test('OLM marks nothing of them any more', async () => {
      for (const { name, namespace } of [GADGET, LAMP]) {
        expect(await marksOfOlm(client, name, namespace)).toEqual([]);
      }
    });

    test('they are upgraded by Slipway, and uninstalled', async () => {
      await publish(['1.0.0', '1.1.0']);
      for (const one of [GADGET, LAMP]) await waitFor(cluster(), one, runs('1.1.0'));
      for (const one of [GADGET, LAMP]) await remove(cluster(), one);
      for (const { namespace } of [GADGET, LAMP]) {
        const left = await client.list({ apiVersion: 'apps/v1', kind: 'Deployment' }, { namespace });
        expect(left).toEqual([]);
      }
    }, 120_000);
  },
);
