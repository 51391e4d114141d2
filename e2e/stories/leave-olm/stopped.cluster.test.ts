/**
 * A hand-over that stops after any step, for as long as a person needs: OLM, which reconciles everything meanwhile, does no
 * harm. The same for the way back.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Gathered } from '../../../adoption/olm-v0/gather.ts';
import { HandOver } from '../../../adoption/olm-v0/hand-over.ts';
import { STEPS } from '../../../adoption/olm-v0/steps.ts';
import { translateSubscription } from '../../../adoption/olm-v0/translate.ts';
import { UNDO_STEPS } from '../../../adoption/olm-v0/undo-steps.ts';
import { Undo } from '../../../adoption/olm-v0/undo.ts';
import type { KubeObject } from '../../../api/object.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, SYSTEM, type RunningManager } from '../../lib/manager.ts';
import { byExtent } from '../../lib/sample.ts';
import { installAllByOlm, isInstalled, publishAll } from '../leave-olm-corpus/install.ts';
import { Judge } from '../leave-olm-corpus/judge.ts';
import { loadLeavers } from '../leave-olm-corpus/load.ts';
import { LEAVERS } from '../leave-olm-corpus/operators.ts';
import { probesOf, type Probe } from '../leave-olm-corpus/probes.ts';

const obstacle = byExtent({ all: undefined, sample: '`make leave-olm` runs it' }) ?? realNodeObstacle();
/** How long a process is away after each step. OLM resynchronizes everything every 45 seconds. */
const AWAY_MS = Number(process.env['SLIPWAY_OLM_AWAY_SECONDS'] ?? 60) * 1000;
const AT_MOST_MS = AWAY_MS * STEPS.length + 180_000;

describe.skipIf(obstacle !== undefined)(
  `a hand-over stops after each step${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    const cluster = useCluster({ olm: true });
    const [operator] = loadLeavers(LEAVERS.filter(({ source }) => source === 'made'));
    const { namespace, package: name } = operator!;
    const kept = { namespace, subscription: name, kept: SYSTEM };
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
      await publishAll(cluster(), [operator!]);
      await installAllByOlm(cluster(), [operator!]);
      probes = await probesOf({ cluster: cluster(), client }, operator!);
    }, 1_200_000);
    afterAll(async () => {
      await manager?.stop();
      transport?.close();
    });

    /** OLM writes its annotations again, and judges everything of the namespace. */
    async function stirOlm(step: string): Promise<void> {
      const path = `/apis/operators.coreos.com/v1/namespaces/${namespace}/operatorgroups/group`;
      await cluster().request('PATCH', path, { metadata: { labels: { 'example.com/stirred': step.toLowerCase() } } });
    }

    interface Walk<Step extends string, Facts> {
      next(): Promise<{ readonly step: Step; readonly facts: Facts }>;
      carryOut(step: Step, facts: Facts): Promise<void>;
    }

    /** The steps that were taken, each with a stop after its first time, without harm. */
    async function stoppingAfterEach<Step extends string, Facts>(
      walk: Walk<Step, Facts>,
      last: Step,
    ): Promise<ReadonlySet<Step>> {
      const judge = new Judge(client, probes, [namespace]);
      await judge.begin();
      const taken = new Set<Step>();
      for (let isDone = false; !isDone;) {
        const { step, facts } = await walk.next();
        isDone = step === last;
        await walk.carryOut(step, facts);
        if (!taken.has(step)) {
          await stirOlm(step);
          await delay(AWAY_MS);
        } else if (step.startsWith('Await')) await delay(200);
        taken.add(step);
      }
      const { harm, failures, calls } = await judge.end();
      expect({ harm, failures }).toEqual({ harm: [], failures: [] });
      expect(calls).toBeGreaterThan(probes.length);
      return taken;
    }

    test(
      'on the way to Slipway, OLM does no harm',
      async () => {
        const signal = AbortSignal.timeout(AT_MOST_MS);
        const wanted = ({ survey }: Gathered): KubeObject =>
          translateSubscription(survey, { name, version: operator!.installed.version }).manifest;
        const handOver = new HandOver({ cluster: client, name: kept, wanted, sleep: (ms) => delay(ms), signal });
        const taken = await stoppingAfterEach(
          {
            next: async () => {
              const { step, gathered } = await handOver.next();
              return { step, facts: gathered };
            },
            carryOut: (step, gathered: Gathered) => handOver.carryOut(step, gathered),
          },
          'Done',
        );
        expect(STEPS.filter((step) => !step.startsWith('Await') && !taken.has(step))).toEqual([]);
      },
      AT_MOST_MS,
    );

    test(
      'on the way back, OLM does no harm',
      async () => {
        const signal = AbortSignal.timeout(AT_MOST_MS);
        const undo = new Undo({ cluster: client, name: kept, now: () => new Date(), signal });
        const taken = await stoppingAfterEach(
          { next: () => undo.next(), carryOut: (step, facts) => undo.carryOut(step, facts) },
          'ForgetBackup',
        );
        expect(UNDO_STEPS.filter((step) => !step.startsWith('Await') && !taken.has(step))).toEqual([]);
        await isInstalled(cluster(), operator!);
      },
      AT_MOST_MS,
    );
  },
);
