import { allows, rulesOf, type Right } from './rbac-rules.ts';
import type { Check } from './check.ts';

const CHANGING_CRDS: Right = {
  groups: ['apiextensions.k8s.io', '*'],
  resources: ['customresourcedefinitions', '*'],
  verbs: ['create', 'update', 'patch', 'delete', 'deletecollection', '*'],
};

/** An operator brings its CRDs in the bundle; a right to change CRDs can break other operators. */
export const crdPermissions: Check = {
  name: 'crd-permissions',
  suite: 'good-practices',
  *run(bundle) {
    for (const { rule, where } of rulesOf(bundle)) {
      if (!allows(rule, CHANGING_CRDS)) continue;
      const message = 'the right to create, change or delete CRDs reaches those of other operators';
      const advice = 'Bring the CRDs in the bundle, and leave the right out';
      yield { level: 'warning', ...where, message, advice };
    }
  },
};
