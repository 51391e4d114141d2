import { supportedKind } from '../render/kinds.ts';
import { at, type Check } from './check.ts';

/** A bundle may not set the priority of Pods that are not its own. */
export const priorityClasses: Check = {
  name: 'priority-classes',
  suite: 'format',
  *run({ objects }) {
    for (const manifest of objects) {
      const { object } = manifest;
      if (object.kind !== 'PriorityClass' || supportedKind(object) === undefined) continue;
      if (object['globalDefault'] !== true) continue;
      const message = 'globalDefault may not be true: it would change the priority of all Pods of the cluster';
      const advice = 'Set it to false, and name the class in the Pods';
      yield { level: 'error', ...at(manifest), path: 'globalDefault', message, advice };
    }
  },
};
