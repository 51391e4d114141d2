/** Makes the plan of a Revision that waits: reads the manifests of both sides and the facts, and judges the policy. */
import { ReasonedError } from '../../api/errors.ts';
import type { PolicyHit } from '../../api/revision-plan.ts';
import type { Client } from '../../kube/client/client.ts';
import type { PlanInput } from '../../plan/input.ts';
import type { Plan } from '../../plan/model.ts';
import { planChange } from '../../plan/plan.ts';
import { judgePolicy } from '../../plan/policy.ts';
import type { Account } from '../service-account.ts';
import type { PolicyInForce } from '../upgrade-policy.ts';
import { loadWithin, type LoadRoom } from '../loads.ts';
import { gatherFacts, isLate } from './facts.ts';
import { inputOf, sideOf } from './input.ts';
import { findMissingRights, type MissingRights } from './missing-rights.ts';
import type { WaitingChange } from './observe.ts';

/** A plan with the rules of the policy that it hits, or the reason why there is none. */
export type MadePlan =
  | {
      readonly kind: 'made';
      readonly plan: Plan;
      readonly heldBy: readonly PolicyHit[];
      /** Those of the account; absent if none is named, or if they cannot be known. */
      readonly missing?: MissingRights;
    }
  | { readonly kind: 'failed'; readonly problem: string };

/** When a plan ends: all that the cluster has not answered within the limit is not known. */
interface PlanTimes {
  readonly signal: AbortSignal;
  readonly limit: AbortSignal;
}

export interface Planning extends LoadRoom {
  /** Called once the manifests are loaded: roll-outs may need their room for longer than a plan may take. */
  readonly beginLimit: () => AbortSignal;
}

/** Throws if `signal` aborts, or if a defect shows; a plan that cannot be made is a result. */
export async function makePlan(client: Client, facts: WaitingChange, planning: Planning): Promise<MadePlan> {
  try {
    const sides = await loadSides(client, facts, planning);
    const times = { signal: planning.signal, limit: planning.beginLimit() };
    const input = await gatherInput(client, facts, { sides, ...times });
    const plan = planChange(input);
    const missing = await missingOf(client, facts, { input, ...times });
    return {
      kind: 'made',
      plan,
      heldBy: judge(facts.policy, { input, plan }),
      ...(missing !== undefined && { missing }),
    };
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason === 'LeaderLost') throw error;
    return { kind: 'failed', problem: describeProblem(error) };
  }
}

/** A Revision that is not being rolled out does not miss its manifests, so nothing renders them again. */
function describeProblem(error: ReasonedError): string {
  return error.reason === 'ManifestsMissing'
    ? `${error.message}. Delete that Revision: the manager makes its own, and the operator stays`
    : error.describe();
}

type Sides = Pick<PlanInput, 'from' | 'to'>;

/** Both sides of the change, which have room in the same slot. */
async function loadSides(client: Client, { active, next }: WaitingChange, loading: LoadRoom): Promise<Sides> {
  const revisions = active === undefined ? [next] : [next, active];
  const [to = [], from = []] = await loadWithin(client, revisions, loading);
  return { to: sideOf(next, to), ...(active !== undefined && { from: sideOf(active, from) }) };
}

async function gatherInput(
  client: Client,
  { subscription, active }: WaitingChange,
  { sides, ...times }: PlanTimes & { readonly sides: Sides },
): Promise<PlanInput> {
  const input = { ...inputOf(subscription), ...sides };
  const account = accountOf(subscription);
  const acting = account === undefined ? client : actAs(client, account);
  const gathered = await gatherFacts(
    { acting, cluster: client },
    {
      input,
      subscription,
      inventory: active?.status?.inventory ?? [],
      ...(account !== undefined && { namedIn: account.namespace }),
      ...times,
    },
  );
  return { ...input, facts: gathered };
}

function accountOf({ metadata: { namespace = '' }, spec }: WaitingChange['subscription']): Account | undefined {
  return spec.serviceAccountName === undefined ? undefined : { namespace, name: spec.serviceAccountName };
}

function actAs(client: Client, { namespace, name }: Account): Client {
  return client.as({ user: `system:serviceaccount:${namespace}:${name}` });
}

async function missingOf(
  client: Client,
  { subscription }: WaitingChange,
  { input, signal, limit }: PlanTimes & { readonly input: PlanInput },
): Promise<MissingRights | undefined> {
  const account = accountOf(subscription);
  if (account === undefined) return undefined;
  const either = AbortSignal.any([signal, limit]);
  try {
    return await findMissingRights(actAs(client, account), input, { account, signal: either });
  } catch (error) {
    if (isLate(error, limit)) return undefined;
    throw error;
  }
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
