/** Makes the plan of a Revision that waits: reads the manifests of both sides and the facts, and judges the policy. */
import { ReasonedError } from '../../api/errors.ts';
import type { PolicyHit } from '../../api/revision-plan.ts';
import type { Client } from '../../kube/client/client.ts';
import type { PlanInput } from '../../plan/input.ts';
import type { Plan } from '../../plan/model.ts';
import { planChange } from '../../plan/plan.ts';
import { judgePolicy } from '../../plan/policy.ts';
import type { PolicyInForce } from '../upgrade-policy.ts';
import { gatherFacts } from './facts.ts';
import { inputOf, sideOfRevision } from './input.ts';
import type { WaitingChange } from './observe.ts';

/** A plan with the rules of the policy that it hits, or the reason why there is none. */
export type MadePlan =
  | { readonly kind: 'made'; readonly plan: Plan; readonly input: PlanInput; readonly heldBy: readonly PolicyHit[] }
  | { readonly kind: 'failed'; readonly problem: string };

/** Throws if it is aborted, or if a defect shows; a plan that cannot be made is a result. */
export async function makePlan(client: Client, facts: WaitingChange, signal: AbortSignal): Promise<MadePlan> {
  try {
    const input = await gatherInput(client, facts, signal);
    const plan = planChange(input);
    return { kind: 'made', plan, input, heldBy: judge(facts.policy, { input, plan }) };
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason === 'LeaderLost') throw error;
    return { kind: 'failed', problem: error.describe() };
  }
}

async function gatherInput(client: Client, facts: WaitingChange, signal: AbortSignal): Promise<PlanInput> {
  const { subscription, active, next } = facts;
  const [from, to] = await Promise.all([
    active === undefined ? undefined : sideOfRevision(client, active),
    sideOfRevision(client, next),
  ]);
  const input = { ...inputOf(subscription), ...(from !== undefined && { from }), to };
  const account = subscription.spec.serviceAccountName;
  const { namespace = '' } = subscription.metadata;
  const acting = account === undefined ? client : client.as({ user: `system:serviceaccount:${namespace}:${account}` });
  const gathered = await gatherFacts(
    { acting, cluster: client },
    {
      input,
      subscription,
      inventory: active?.status?.inventory ?? [],
      ...(account !== undefined && { namedIn: namespace }),
      signal,
    },
  );
  return { ...input, facts: gathered };
}

/** A first installation was asked for by its Subscription: the policy is about upgrades. */
function judge(
  policy: PolicyInForce | undefined,
  { input, plan }: { readonly input: PlanInput; readonly plan: Plan },
): readonly PolicyHit[] {
  if (policy === undefined || input.from === undefined) return [];
  if ('problem' in policy) return [{ rule: 'upgradePolicy', message: policy.problem }];
  return judgePolicy({ policy: policy.policy, input, plan });
}
