/** Reads the rules of RBAC without trusting their shape. Pure. */
import { fieldsOf, listOf } from '../../api/untyped.ts';

/** A rule of a Role or ClusterRole. */
export interface RightsRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The rules of a role; values that are no texts are left out, as no request matches them. */
export function rulesOf(role: unknown): readonly RightsRule[] {
  return listOf(fieldsOf(role)['rules']).map((rule) => ({
    verbs: textsOf(rule['verbs']),
    apiGroups: textsOf(rule['apiGroups']),
    resources: textsOf(rule['resources']),
    resourceNames: textsOf(rule['resourceNames']),
    nonResourceURLs: textsOf(rule['nonResourceURLs']),
  }));
}

/** The texts of a list. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}
