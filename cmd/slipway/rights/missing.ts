/** `slipway rights --missing`: the roles that the account of a Subscription lacks for the Revision that comes next. */
import { ReasonedError } from '../../../api/errors.ts';
import { findMissingRights } from '../../../controllers/plan/missing-rights.ts';
import type { Environment } from '../environment.ts';
import { withCluster } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import { formatYaml } from '../../../report/data.ts';
import { findChange } from '../plan/cluster.ts';
import type { RightsFlags } from './flags.ts';

/** @throws ReasonedError InputInvalid, Forbidden if the rights of the account cannot be asked for, and errors of the API server */
export async function missing(
  environment: Environment,
  source: string | undefined,
  flags: RightsFlags,
): Promise<Outcome> {
  if (source !== undefined || flags.minimal === true || flags.from !== undefined)
    throw invalidInput('--missing is about a Subscription, not about a bundle', 'Leave the bundle and its options out');
  const { missing: subject = '', kubeconfig, context } = flags;
  const connect = { ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) };
  return withCluster(environment, connect, async (connection) => {
    const { signal } = environment;
    const { subscription, input } = await findChange(connection, subject, signal);
    const name = subscription.spec.serviceAccountName;
    if (name === undefined) throw invalidInput(`Subscription ${subject} names no account: it acts as the manager`);
    const account = { namespace: subscription.metadata.namespace ?? '', name };
    const acting = connection.client.as({ user: `system:serviceaccount:${account.namespace}:${name}` });
    const found = await findMissingRights(acting, input, { account, signal });
    if (found === undefined) throw unknownRights(account);
    const text = found.rules.length === 0 ? '# The account has every right that it needs\n' : formatYaml(found.roles);
    return { data: { subscription: subject, roles: found.roles }, text };
  });
}

function unknownRights({ namespace, name }: { readonly namespace: string; readonly name: string }): ReasonedError {
  return new ReasonedError({
    reason: 'Forbidden',
    retry: 'never',
    message: `the rights of ServiceAccount ${namespace}/${name} cannot be asked for`,
    hint: 'It needs the right to create selfsubjectaccessreviews, which every account has by default',
  });
}
