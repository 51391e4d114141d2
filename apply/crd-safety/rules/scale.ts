import { canonicalJson } from '../../../api/json.ts';
import type { Change, VersionRule } from '../rule.ts';

/** With the subresource, replica counts must be whole, not negative and not too large. */
export const scaleRule: VersionRule = {
  name: 'scale',
  meaning: 'The fields that count replicas for the scale subresource change.',
  compare({ old, next }): (Change & { readonly path: string })[] {
    const [before, after] = [old.scale, next.scale].map((scale) => canonicalJson(scale ?? {}));
    if (before === after) return [];
    return [
      { path: '^', effect: next.scale === undefined ? 'none' : 'rejects', message: 'the scale subresource changes' },
    ];
  },
};
