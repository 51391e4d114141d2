import { at, type Check } from './check.ts';

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

/** Rights that let an operator disturb the cluster beyond its own objects. */
export const rbacRules: Check = {
  name: 'rbac-rules',
  suite: 'format',
  *run({ objects }) {
    for (const manifest of objects) {
      const { kind } = manifest.object;
      const rules = manifest.object['rules'];
      if ((kind !== 'Role' && kind !== 'ClusterRole') || !Array.isArray(rules)) continue;
      for (const [index, rule] of rules.entries()) {
        const where = { ...at(manifest), path: `rules[${index}]` };
        if (allows(rule, 'policy', 'poddisruptionbudgets', ['*', 'create', 'update', 'patch'])) {
          const message = 'the right to create or change PodDisruptionBudgets can keep nodes from being drained';
          yield { level: 'warning', ...where, message, advice: 'Leave it out where the operator does not need it' };
        }
        const constrained = allows(rule, 'security.openshift.io', 'securitycontextconstraints', [
          '*',
          'delete',
          'update',
          'patch',
        ]);
        if (constrained && DEFAULT_CONSTRAINTS.some((name) => has(rule, 'resourceNames', [name]))) {
          const message = 'the right to change the default SecurityContextConstraints endangers the whole cluster';
          yield { level: 'error', ...where, message, advice: 'Bring constraints of your own' };
        }
      }
    }
  },
};

function allows(rule: unknown, group: string, resource: string, verbs: readonly string[]): boolean {
  return has(rule, 'apiGroups', [group]) && has(rule, 'resources', [resource]) && has(rule, 'verbs', verbs);
}

function has(rule: unknown, field: string, wanted: readonly string[]): boolean {
  const values = (rule as Readonly<Record<string, unknown>> | null)?.[field];
  return Array.isArray(values) && wanted.some((value) => values.includes(value));
}
