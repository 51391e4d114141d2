/**
 * A hand-over that stops after any step, for as long as a person needs: OLM, which reconciles everything meanwhile, does no
 * harm. The same for the way back.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BackupName } from '../../../adoption/olm-v0/backup.ts';
import type { Gathered } from '../../../adoption/olm-v0/gather.ts';
import { HandOver } from '../../../adoption/olm-v0/hand-over.ts';
import { STEPS, type StepName } from '../../../adoption/olm-v0/steps.ts';
import { translateSubscription } from '../../../adoption/olm-v0/translate.ts';
import { UNDO_STEPS, type UndoStep } from '../../../adoption/olm-v0/undo-steps.ts';
import { Undo } from '../../../adoption/olm-v0/undo.ts';
import type { UndoFacts } from '../../../adoption/olm-v0/undo-gather.ts';
import type { KubeObject } from '../../../api/object.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, SYSTEM, type RunningManager } from '../../lib/manager.ts';
import { hasShared } from '../../lib/shared.ts';
import { installAllByOlm, isInstalled, publishAll } from '../leave-olm-corpus/install.ts';
import { Judge } from '../leave-olm-corpus/judge.ts';
import { loadLeavers, type Loaded } from '../leave-olm-corpus/load.ts';
import { LEAVERS } from '../leave-olm-corpus/operators.ts';
import type { Probe } from '../leave-olm-corpus/probe.ts';
import { probesOf } from '../leave-olm-corpus/probes.ts';
import { stirOlm } from './olm.ts';

const obstacle = hasShared ? realNodeObstacle() : 'the corpus is missing';
/** One with webhooks, conversion and an API; one whose Pods have a configuration, which OLM has from its Subscription. */
const STOPPED: ReadonlySet<string> = new Set(['gadget-operator', 'clickhouse']);
/** How long a process is away after each step. OLM resynchronizes everything every 45 seconds. */
const AWAY_MS = Number(process.env['SLIPWAY_OLM_AWAY_SECONDS'] ?? 60) * 1000;
const AT_MOST_MS = AWAY_MS * STEPS.length + 180_000;

describe.skipIf(obstacle !== undefined)(
  `a hand-over stops after each step${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    const cluster = useCluster({ olm: true });
    const operators = obstacle === undefined ? loadLeavers(LEAVERS.filter((one) => STOPPED.has(one.package))) : [];
    const namespaces = operators.map(({ namespace }) => namespace);
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

    interface Walk<Step extends string, Facts> {
      next(): Promise<{ readonly step: Step; readonly facts: Facts }>;
      carryOut(step: Step, facts: Facts): Promise<void>;
    }

    /** Takes each step of one operator, with a stop after its first time. Resolves to the steps. */
    async function stopAfterEach<Step extends string, Facts>(
      { namespace, installed }: Loaded,
      walk: Walk<Step, Facts>,
      last: Step,
    ): Promise<ReadonlySet<Step>> {
      const taken = new Set<Step>();
      for (let isDone = false; !isDone;) {
        const { step, facts } = await walk.next();
        isDone = step === last;
        await walk.carryOut(step, facts);
        if (!taken.has(step)) {
          await stirOlm(cluster(), { namespace, group: 'group', csv: installed.name }, step.toLowerCase());
          await delay(AWAY_MS);
        } else if (step.startsWith('Await')) await delay(200);
        taken.add(step);
      }
      return taken;
    }

    /** All of them side by side. No harm is done, and each step is taken. */
    async function expectNoHarm<Step extends string, Facts>(
      steps: readonly Step[],
      walkOf: (operator: Loaded) => Walk<Step, Facts>,
      last: Step,
    ): Promise<void> {
      const judge = new Judge(client, probes, namespaces);
      await judge.begin();
      const taken = await Promise.all(operators.map((one) => stopAfterEach(one, walkOf(one), last)));
      const { harm, failures, calls } = await judge.end();
      expect({ harm, failures }).toEqual({ harm: [], failures: [] });
      expect(calls).toBeGreaterThan(probes.length);
      for (const own of taken)
        expect(steps.filter((step) => step !== 'CallOff' && !step.startsWith('Await') && !own.has(step))).toEqual([]);
    }

    const keptOf = ({ namespace, package: subscription }: Loaded): BackupName => ({
      namespace,
      subscription,
      kept: SYSTEM,
    });

    test(
      'on the way to Slipway, OLM does no harm',
      async () => {
        const signal = AbortSignal.timeout(AT_MOST_MS);
        const walkOf = (one: Loaded): Walk<StepName, Gathered> => {
          const wanted = ({ survey }: Gathered): KubeObject =>
            translateSubscription(survey, { name: one.package, version: one.installed.version }).manifest;
          const name = keptOf(one);
          const handOver = new HandOver({ cluster: client, name, wanted, sleep: (ms) => delay(ms), signal });
          return {
            next: async () => {
              const { step, gathered } = await handOver.next();
              return { step, facts: gathered };
            },
            carryOut: (step, gathered) => handOver.carryOut(step, gathered),
          };
        };
        await expectNoHarm(STEPS, walkOf, 'Done');
      },
      AT_MOST_MS,
    );

    test(
      'on the way back, OLM does no harm',
      async () => {
        const signal = AbortSignal.timeout(AT_MOST_MS);
        const walkOf = (one: Loaded): Walk<UndoStep, UndoFacts> => {
          const undo = new Undo({ cluster: client, name: keptOf(one), now: () => new Date(), signal });
          return { next: () => undo.next(), carryOut: (step, facts) => undo.carryOut(step, facts) };
        };
        await expectNoHarm(UNDO_STEPS, walkOf, 'ForgetBackup');
        for (const one of operators) await isInstalled(cluster(), one);
      },
      AT_MOST_MS,
    );
  },
);
