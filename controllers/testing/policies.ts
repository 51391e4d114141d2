/** For tests: RegistryPolicies as a cache holds them. */
import { API_VERSION } from '../../api/names.ts';
import type { RegistryPolicy, RegistryPolicyManifest } from '../../api/registry-policy.ts';
import { createRegistryPolicies, type RegistryPolicies } from '../registry-policies.ts';

/** Policies by their names. */
export type Written = Readonly<Record<string, RegistryPolicyManifest['spec']>>;

export function writtenPolicies(written: Written): readonly RegistryPolicy[] {
  return Object.entries(written).map(
    ([name, spec]) => ({ apiVersion: API_VERSION, kind: 'RegistryPolicy', metadata: { name }, spec }) as RegistryPolicy,
  );
}

export function policiesOf(written: Written): RegistryPolicies {
  const policies = writtenPolicies(written);
  return createRegistryPolicies(() => policies);
}
