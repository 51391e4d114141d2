import { names, rulesOf } from './rbac-rules.ts';
import type { Check } from './check.ts';

/** An operator brings its CRDs in the bundle; who may change CRDs may break the operators of others. */
export const crdPermissions: Check = {
  name: 'crd-permissions',
  suite: 'good-practices',
  *run(bundle) {
    for (const { rule, where } of rulesOf(bundle)) {
      if (!names(rule, 'apiGroups', ['apiextensions.k8s.io', '*'])) continue;
      if (!names(rule, 'resources', ['customresourcedefinitions', '*'])) continue;
      if (!names(rule, 'verbs', ['create', 'update', 'patch', 'delete', 'deletecollection', '*'])) continue;
      const message = 'the right to create, change or delete CRDs reaches those of other operators';
      const advice = 'Bring the CRDs in the bundle, and leave the right out';
      yield { level: 'warning', ...where, message, advice };
    }
  },
};
