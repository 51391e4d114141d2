/** `slipway adopt run`: hands one operator over from OLM v0, step by step, and waits for the end. */
import { setTimeout as delay } from 'node:timers/promises';
import { HandOver } from '../../../adoption/olm-v0/hand-over.ts';
import type { Gathered } from '../../../adoption/olm-v0/gather.ts';
import type { StepName } from '../../../adoption/olm-v0/steps.ts';
import { findCondition, type Condition } from '../../../api/conditions.ts';
import { parseDuration } from '../../../api/duration.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import { parseTarget, type ObjectTarget } from '../admin/objects.ts';
import { outcomeOf } from '../admin/print.ts';
import type { Environment } from '../environment.ts';
import type { OutputFlags } from '../flags.ts';
import { withCluster, type KubeFlags } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../output/clean.ts';
import { wantedFor, type WantedFlags } from './wanted.ts';

export interface AdoptRunFlags extends KubeFlags, OutputFlags, WantedFlags {
  readonly timeout: string;
  readonly systemNamespace: string;
}

const TIMEOUT_BOUNDS = { minSeconds: 1, maxSeconds: 24 * 3600 } as const;
const LOOK_AGAIN_MS = 500;

/** A sentence for each step. */
const SENTENCES: Readonly<Record<StepName, string>> = {
  AwaitOlm: 'Wait for OLM to end its work on the operator',
  BackUp: "Keep a backup of OLM's objects in a Secret",
  DeleteSubscription: "Delete OLM's Subscription; its ClusterServiceVersion stays",
  Hold: 'Add a finalizer to the ClusterServiceVersion',
  Delete: "Take OLM's finalizer off the ClusterServiceVersion and delete it, without its objects",
  AwaitCollector: 'Wait for the garbage collector to take the owner references off',
  HandOver: "Take OLM's marks off the objects and hand them over",
  Subscribe: "Create Slipway's Subscription, pinned to the installed version",
  AwaitReady: "Wait until Slipway's Subscription is Ready",
  Forget: 'Take the annotations off the ClusterServiceVersion by which OLM finds its objects',
  Release: 'Remove the finalizer, and the ClusterServiceVersion with it',
  AwaitCondition: 'Wait until the OperatorCondition is deleted with the ClusterServiceVersion',
  RestoreCondition: 'Create the OperatorCondition again',
  CleanUp: 'Delete what only OLM used: rights and webhook configurations under its names, InstallPlans',
  Unpin: "Take the version out of Slipway's Subscription, so that upgrades go on",
  Done: 'The operator is handed over',
};

export async function runAdoption(environment: Environment, text: string, flags: AdoptRunFlags): Promise<Outcome> {
  const seconds = parseDuration(flags.timeout, TIMEOUT_BOUNDS);
  const timeout = AbortSignal.timeout(seconds * 1000);
  const signal = AbortSignal.any([environment.signal, timeout]);
  return withCluster(environment, flags, async ({ client, namespace }) => {
    const target = parseTarget(text, namespace);
    const handOver = new HandOver({
      cluster: client,
      name: { namespace: target.namespace, subscription: target.name, kept: flags.systemNamespace },
      wanted: ({ survey }) => wantedFor(survey, flags).manifest,
      sleep: (ms) => delay(ms, undefined, { signal }),
      signal,
    });
    const seen: { step?: StepName; message?: string } = {};
    try {
      return await follow(handOver, { target, seen, flags, environment, signal });
    } catch (error) {
      if (!timeout.aborted || environment.signal.aborted) throw error;
      const message = `Not within ${flags.timeout}: ${seen.message ?? SENTENCES[seen.step ?? 'BackUp']}. Nothing is lost; run the command again to go on`;
      return outcomeOf({ ...target, step: seen.step, message }, `${cleanLine(message)}\n`, flags.output, 3);
    }
  });
}

interface Following {
  readonly target: ObjectTarget;
  readonly seen: { step?: StepName; message?: string };
  readonly flags: AdoptRunFlags;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

async function follow(handOver: HandOver, { target, seen, flags, environment, signal }: Following): Promise<Outcome> {
  for (;;) {
    const { step, gathered } = await handOver.next();
    const message = describe(step, gathered);
    if (seen.message !== message) environment.progress?.(`${cleanLine(message)}\n`);
    seen.step = step;
    seen.message = message;
    if (step === 'Done') {
      const name = `${target.namespace}/${gathered.backup?.adoptedBy ?? target.name}`;
      const text = `Operator ${target.namespace}/${target.name} of OLM is handed over to Subscription ${name}\n`;
      return outcomeOf({ ...target, step, subscription: name }, text, flags.output);
    }
    await handOver.carryOut(step, gathered);
    if (step.startsWith('Await')) await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/** The step, and the obstacle that Slipway's Subscription reports while it is waited for. */
function describe(step: StepName, { state }: Gathered): string {
  if (step !== 'AwaitReady') return SENTENCES[step];
  const conditions = fieldsOf(state.subscription?.['status'])['conditions'] as readonly Condition[] | undefined;
  const ready = findCondition(conditions, 'Ready');
  return ready === undefined ? SENTENCES[step] : `${SENTENCES[step]}: ${ready.message}`;
}
