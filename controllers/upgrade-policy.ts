/**
 * The upgrade policy that is in force for a Subscription: its own, else that of its namespace, else that of the manager.
 * A policy that cannot be read is in force as one that permits no upgrade: it is never ignored. Pure.
 */
import { parseJson } from '../api/json.ts';
import { ANNOTATION } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import type { Subscription } from '../api/subscription.ts';
import { fieldsOf, listOf } from '../api/untyped.ts';
import { UpgradePolicy } from '../api/upgrade-policy.ts';

/** The policy, or why it cannot be read. */
export type PolicyInForce = { readonly policy: UpgradePolicy } | { readonly problem: string };

/** Undefined if there is none. @param byDefault The policy of the manager. */
export function policyInForce(
  { spec }: Pick<Subscription, 'spec'>,
  namespace: Pick<KubeObject, 'metadata'> | undefined,
  byDefault: UpgradePolicy | undefined,
): PolicyInForce | undefined {
  if (spec.upgradePolicy !== undefined) return { policy: spec.upgradePolicy };
  const text = namespace?.metadata.annotations?.[ANNOTATION.upgradePolicy];
  if (text !== undefined) return readPolicy(text, `the annotation ${ANNOTATION.upgradePolicy} of the namespace`);
  return byDefault === undefined ? undefined : { policy: byDefault };
}

/** A policy as JSON; a field that does not exist is a fault, as a misspelt rule would restrict nothing. */
export function readPolicy(text: string, place: string): PolicyInForce {
  const value = parsed(text);
  if (value === undefined) return { problem: `${place} is no JSON` };
  const result = UpgradePolicy.strict().safeParse(value);
  if (result.success) {
    const misspelt = misspeltIn(value, result.data as UpgradePolicy);
    return misspelt === undefined
      ? { policy: result.data as UpgradePolicy }
      : {
          problem: `${place} is no upgrade policy: allowedRights has no field ${JSON.stringify(misspelt.slice(0, 64))}`,
        };
  }
  const faults = result.error.issues.slice(0, 3).map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { problem: `${place} is no upgrade policy: ${faults.join('; ')}` };
}

/** A field of an allowed right that does not exist: left out, it would widen the right. */
function misspeltIn(value: unknown, { allowedRights = [] }: UpgradePolicy): string | undefined {
  const given = listOf(fieldsOf(value)['allowedRights']);
  return given.flatMap((right, at) => Object.keys(right).filter((key) => !(key in (allowedRights[at] ?? {}))))[0];
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
