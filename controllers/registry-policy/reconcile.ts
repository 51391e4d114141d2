/**
 * Reports in the status of each RegistryPolicy whether it can be used: whether it can be read, shares its prefix with no
 * other, and whether the objects that it names exist and can be read. Images are refused by those who pull and check
 * them; nothing here decides about an image.
 */
import { findCondition, replaceConditions, type NextCondition } from '../../api/conditions.ts';
import type { Cluster } from '../../api/cluster.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { RegistryPolicy, RegistryPolicyStatus } from '../../api/registry-policy.ts';
import type { Reconcile } from '../../kube/controller/controller.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import type { RecordEvent } from '../events.ts';
import { problemOfPolicy } from '../registry-policies.ts';
import { certificateAuthorities, pullSecrets } from '../registry-settings.ts';
import { readTrustedRoot } from '../trusted-roots.ts';
import { writeStatus } from '../status.ts';
import { requestOf } from '../request-of.ts';
import { describePolicy } from './describe.ts';

export interface RegistryPolicyDeps {
  readonly policies: Pick<Informer<RegistryPolicy>, 'get' | 'list'>;
  readonly cluster: Pick<Cluster, 'get' | 'patch'>;
  /** The manager's namespace. */
  readonly namespace: string;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

/** The named objects are not watched. */
const LOOK_AGAIN_SECONDS = { ready: 300, notReady: 15 } as const;

/** The reconcile function of the controller. */
export function createRegistryPolicyReconciler(deps: RegistryPolicyDeps): Reconcile {
  return async ({ name }, { signal }) => {
    const policy = deps.policies.get(name);
    if (policy === undefined || policy.metadata.deletionTimestamp !== undefined) return undefined;
    const trouble = await findTrouble(deps, policy, signal);
    report(deps, policy, trouble);
    await writeStatus(deps.cluster, policy, statusOf(policy, trouble, deps.now()));
    const { pullSecret, certificateAuthority, verify } = policy.spec;
    if (trouble !== undefined) return { requeueAfterSeconds: LOOK_AGAIN_SECONDS.notReady };
    if (pullSecret === undefined && certificateAuthority === undefined && verify?.trustedRoot === undefined) return;
    return { requeueAfterSeconds: LOOK_AGAIN_SECONDS.ready };
  };
}

/** Why images under the prefix are refused or cannot be pulled; undefined if all is well. */
async function findTrouble(
  { policies, cluster, namespace }: RegistryPolicyDeps,
  policy: RegistryPolicy,
  signal: AbortSignal,
): Promise<ReasonedError | undefined> {
  const problem = problemOfPolicy(policy, policies.list());
  if (problem !== undefined) return unusable(problem);
  const { pullSecret, certificateAuthority, verify } = policy.spec;
  const options = { cluster, namespace };
  try {
    if (pullSecret !== undefined) await pullSecrets(options).get(pullSecret.name);
    if (certificateAuthority !== undefined) await certificateAuthorities(options).get(certificateAuthority.name);
    if (verify?.trustedRoot !== undefined) await (await readTrustedRoot(options, verify, signal)).parse();
    return undefined;
  } catch (error) {
    if (error instanceof ReasonedError && OF_OBJECTS.has(error.reason)) return error;
    throw error;
  }
}

/** Reasons about the named objects; others are those of the API server, and are retried. */
const OF_OBJECTS: ReadonlySet<string> = new Set(['PullSecretInvalid', 'RegistryPolicyInvalid', 'InvalidSpec']);

function unusable(problem: string): ReasonedError {
  return new ReasonedError({
    reason: 'RegistryPolicyInvalid',
    retry: 'never',
    message: `Images under the prefix are refused: ${problem}`,
    hint: 'Correct or delete the RegistryPolicy',
  });
}

function report({ record }: RegistryPolicyDeps, policy: RegistryPolicy, trouble: ReasonedError | undefined): void {
  const before = findCondition(policy.status?.conditions, 'Ready');
  if (trouble === undefined || before?.message === trouble.describe()) return;
  record(policy, { type: 'Warning', reason: trouble.reason, action: 'Reconcile', note: trouble.describe() });
}

function statusOf(policy: RegistryPolicy, trouble: ReasonedError | undefined, now: Date): RegistryPolicyStatus {
  const observedGeneration = policy.metadata.generation ?? 0;
  const requested = requestOf(policy);
  const conditions = replaceConditions(policy.status?.conditions, conditionsOf(policy, trouble), {
    observedGeneration,
    now,
  });
  return { observedGeneration, conditions, ...(requested !== undefined && { lastHandledReconcileAt: requested }) };
}

function conditionsOf(policy: RegistryPolicy, trouble: ReasonedError | undefined): readonly NextCondition[] {
  if (trouble === undefined)
    return [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: describePolicy(policy.spec) }];
  const reported = { reason: trouble.reason, message: trouble.describe() };
  return [
    { type: 'Ready', status: 'False', ...reported },
    { type: trouble.reason === 'RegistryPolicyInvalid' ? 'Stalled' : 'Reconciling', status: 'True', ...reported },
  ];
}
