import { isRecord } from '../../api/untyped.ts';
import type { Bundle } from '../bundle.ts';
import { at, inCsv, type Check, type BundleFinding } from './check.ts';

const DEFAULT_CONSTRAINTS = [
  'privileged',
  'restricted',
  'anyuid',
  'hostaccess',
  'hostmount-anyuid',
  'hostnetwork',
  'node-exporter',
  'nonroot',
];

/** Words of a rule, each of which will do. */
export interface Right {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const BUDGETS: Right = {
  groups: ['policy'],
  resources: ['poddisruptionbudgets'],
  verbs: ['*', 'create', 'update', 'patch'],
};

const CONSTRAINTS: Right = {
  groups: ['security.openshift.io'],
  resources: ['securitycontextconstraints'],
  verbs: ['*', 'delete', 'update', 'patch'],
};

/** Rights that let an operator disturb the cluster beyond its own objects. */
export const rbacRules: Check = {
  name: 'rbac-rules',
  suite: 'format',
  *run(bundle) {
    for (const { rule, where } of rulesOf(bundle)) {
      if (allows(rule, BUDGETS)) {
        const message = 'the right to create or change PodDisruptionBudgets can keep nodes from being drained';
        yield { level: 'warning', ...where, message, advice: 'Remove it if the operator does not need it' };
      }
      const constrained = allows(rule, CONSTRAINTS);
      if (constrained && names(rule, 'resourceNames', DEFAULT_CONSTRAINTS)) {
        const message = 'the right to change the default SecurityContextConstraints endangers the whole cluster';
        yield { level: 'error', ...where, message, advice: 'Bring constraints of your own' };
      }
    }
  },
};

type Rule = Readonly<Record<string, unknown>>;

interface PlacedRule {
  readonly rule: Rule;
  readonly where: Pick<BundleFinding, 'file' | 'object' | 'path'>;
}

/** The rules of all roles: those of the bundle, and those that are made of the permissions of the CSV. */
export function* rulesOf(bundle: Bundle): Iterable<PlacedRule> {
  for (const manifest of bundle.objects) {
    const { kind } = manifest.object;
    const rules = manifest.object['rules'];
    if ((kind !== 'Role' && kind !== 'ClusterRole') || !Array.isArray(rules)) continue;
    for (const [index, rule] of rules.entries()) {
      if (isRecord(rule)) yield { rule, where: { ...at(manifest), path: `rules[${index}]` } };
    }
  }
  const { permissions = [], clusterPermissions = [] } = bundle.csv.spec.install.spec ?? {};
  for (const [list, found] of Object.entries({ permissions, clusterPermissions })) {
    for (const [index, { rules }] of found.entries()) {
      for (const [at, rule] of (rules ?? []).entries()) {
        const path = `spec.install.spec.${list}[${index}].rules[${at}]`;
        yield { rule: { ...rule }, where: inCsv(bundle, path) };
      }
    }
  }
}

/** Whether a rule gives one of the verbs on one of the resources. */
export function allows(rule: Rule, { groups, resources, verbs }: Right): boolean {
  return names(rule, 'apiGroups', groups) && names(rule, 'resources', resources) && names(rule, 'verbs', verbs);
}

/** Whether a list of the rule has one of these. */
function names(rule: Rule, field: string, wanted: readonly string[]): boolean {
  const values = rule[field];
  return Array.isArray(values) && wanted.some((value) => values.includes(value));
}
