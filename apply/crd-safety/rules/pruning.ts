import type { Change, VersionRule } from '../rule.ts';

/** Old CRDs (`spec.preserveUnknownFields`) keep all fields. */
export const pruningRule: VersionRule = {
  name: 'pruning',
  meaning: 'Fields that no schema names are dropped from all objects.',
  compare({ old, next }): (Change & { readonly path: string })[] {
    if (old.prunes || !next.prunes) return [];
    return [{ path: '^', effect: 'loses', message: 'all fields that the schema does not name are dropped now' }];
  },
};
