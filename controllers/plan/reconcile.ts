/**
 * Makes the plan of a Revision that waits, before anything of it is written, and stores it: a summary in the status of the
 * Revision, and the whole in a Secret beside its manifests. It decides nothing: the controller of Subscriptions reads the
 * summary. The keys are those of Subscriptions.
 */
import { formatJson } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import type { PlanRecord } from '../../api/revision-plan.ts';
import type { UpgradePolicy } from '../../api/upgrade-policy.ts';
import type { Client } from '../../kube/client/client.ts';
import { systemClock, type Clock } from '../../kube/clock.ts';
import { formatKey, type Reconcile } from '../../kube/controller/controller.ts';
import { limitTime, type TimeLimit } from '../../kube/transport/time-limit.ts';
import { digestOf } from '../../oci/digest.ts';
import { shorten, summaryOfPlan } from '../../plan/summary.ts';
import { LOADS } from '../loads.ts';
import { writeStatus } from '../status.ts';
import { makePlan, type MadePlan } from './make.ts';
import { observePlan, type PlanCaches, type WaitingChange } from './observe.ts';
import { packPlan } from './pack.ts';
import { planSecretName, storePlan } from './secret.ts';

export interface PlanDeps {
  readonly caches: PlanCaches;
  readonly client: Client;
  /** The policy of the manager, for Subscriptions and namespaces without one. */
  readonly upgradePolicy?: UpgradePolicy | undefined;
  readonly now: () => Date;
  /** Measures the time for one plan; that of the process by default. */
  readonly clock?: Clock;
}

/** Time for one plan: the plans of all namespaces are made one after the other. */
const MOST_SECONDS = 30;
/** The cluster is asked again for facts that no watch reports. */
const REFRESH_SECONDS = 300;
/** A plan that failed or lacks facts is made again sooner, unless it took all of its time. */
const RETRY_SECONDS = 30;

/** The reconcile function of the controller. */
export function createPlanReconciler(deps: PlanDeps): Reconcile {
  const made = new Map<string, PlanTime>();
  return async (key, { signal }) => {
    const name = formatKey(key);
    const facts = observePlan(deps.caches, key, deps.upgradePolicy);
    if (facts === undefined) return void made.delete(name);
    const seconds = secondsLeft(facts, made.get(name), deps.now());
    if (seconds > 0) return { requeueAfterSeconds: seconds };
    const { result, isLate } = await makeInTime(deps, facts, signal);
    await report(deps.client, facts, result);
    const isWhole = result.kind === 'made' && result.plan.unknown.length === 0;
    const lasts = isWhole || isLate ? REFRESH_SECONDS : RETRY_SECONDS;
    made.set(name, { inputs: facts.inputs, at: deps.now().getTime(), lasts });
    return { requeueAfterSeconds: lasts };
  };
}

async function makeInTime(
  { client, clock = systemClock }: PlanDeps,
  facts: WaitingChange,
  signal: AbortSignal,
): Promise<{ readonly result: MadePlan; readonly isLate: boolean }> {
  const late = (): Error => new Error(`the plan was not made within ${MOST_SECONDS} s`);
  const slot = LOADS();
  let limit: TimeLimit | undefined;
  const beginLimit = (): AbortSignal => (limit = limitTime(MOST_SECONDS, { clock, late })).signal;
  try {
    const result = await makePlan(client, facts, { slot, signal, beginLimit });
    return { result, isLate: limit?.signal.aborted ?? false };
  } finally {
    limit?.end();
    slot.free();
  }
}

/** When the last plan of a Subscription was made by this process, for which inputs, and how long it counts. */
interface PlanTime {
  readonly inputs: string;
  readonly at: number;
  readonly lasts: number;
}

function secondsLeft({ inputs, next }: WaitingChange, last: PlanTime | undefined, now: Date): number {
  if (last?.inputs !== inputs || next.status?.plan?.inputs !== inputs) return 0;
  return last.lasts - (now.getTime() - last.at) / 1000;
}

async function report(client: Client, { next, inputs }: WaitingChange, result: MadePlan): Promise<void> {
  const plan: PlanRecord =
    result.kind === 'failed'
      ? { inputs, problem: shorten(result.problem) }
      : { inputs, ...summaryOfPlan(result.plan, result.heldBy), ...(await store(client, next, result)) };
  await writeStatus(client, next, { ...next.status, plan });
}

/** A plan that cannot be stored is summarized nevertheless. */
async function store(
  client: Client,
  next: WaitingChange['next'],
  { plan, heldBy, missing }: Extract<MadePlan, { kind: 'made' }>,
): Promise<Pick<PlanRecord, 'secret' | 'digest' | 'omitted' | 'missingRights'>> {
  const { bytes, omitted } = await packPlan({ plan, heldBy });
  const name = planSecretName(next);
  const lacks = missing !== undefined && missing.rules.length > 0 ? missing : undefined;
  const files = { plan: bytes, ...(lacks !== undefined && { [MISSING]: describeRoles(lacks.roles) }) };
  const counted = missing === undefined ? {} : { missingRights: missing.rules.length };
  if (!(await storePlan(client, next, files)))
    return { ...counted, omitted: `the whole plan: Secret ${name} exists, and the manager did not write it` };
  // Readers compare the digest, as others may write Secrets.
  return { ...counted, secret: name, digest: digestOf(bytes), ...(omitted !== undefined && { omitted }) };
}

/** The key of the Secret whose content `kubectl apply -f -` takes. */
const MISSING = 'missing-rights.yaml';

/** As JSON, which is YAML as well. */
function describeRoles(roles: readonly KubeObject[]): Buffer {
  return Buffer.from(`${formatJson({ apiVersion: 'v1', kind: 'List', items: roles }, 2)}\n`);
}
