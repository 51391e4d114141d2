import { supportedKind } from '../render/kinds.ts';
import { at, type Check } from './check.ts';

/** A budget that allows no disruption keeps nodes from being drained. */
export const disruptionBudgets: Check = {
  name: 'disruption-budgets',
  suite: 'format',
  *run({ objects }) {
    for (const manifest of objects) {
      if (manifest.object.kind !== 'PodDisruptionBudget' || supportedKind(manifest.object) === undefined) continue;
      const { maxUnavailable, minAvailable } = (manifest.object['spec'] ?? {}) as Readonly<Record<string, unknown>>;
      const where = { level: 'error', ...at(manifest) } as const;
      if (maxUnavailable === 0 || maxUnavailable === '0%') {
        const message = 'maxUnavailable may be neither 0 nor 0%: nodes could not be drained';
        yield { ...where, path: 'spec.maxUnavailable', message, advice: 'Allow at least one Pod to be away' };
      }
      if (minAvailable === '100%') {
        const message = 'minAvailable may not be 100%: nodes could not be drained';
        yield { ...where, path: 'spec.minAvailable', message, advice: 'Allow at least one Pod to be away' };
      }
    }
  },
};
