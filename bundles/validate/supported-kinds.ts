import { SUPPORTED_KINDS } from '../render/kinds.ts';
import { at, type Check } from './check.ts';

/** The kinds of objects in a bundle are limited; the operator itself makes the rest. */
export const supportedKinds: Check = {
  name: 'supported-kinds',
  suite: 'install',
  reason: 'BundleUnsupported',
  *run({ objects }) {
    for (const manifest of objects) {
      const { kind } = manifest.object;
      if (SUPPORTED_KINDS.has(kind)) continue;
      const message = `a bundle may not hold objects of the kind ${kind}`;
      const advice = `Let the operator create it. Allowed are ${[...SUPPORTED_KINDS.keys()].join(', ')}`;
      yield { level: 'error', ...at(manifest), path: 'kind', message, advice };
    }
  },
};
