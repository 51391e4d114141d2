import type { Change, NodePair, NodeRule } from '../rule.ts';
import { isEmbedded, isOpen } from '../server/node.ts';

/** An embedded object has an apiVersion, a kind and metadata, whether its schema names them or not. */
export const embeddedResourceRule: NodeRule = {
  name: 'embeddedResource',
  meaning: 'Whether a value is an object of Kubernetes changes.',
  keywords: ['x-kubernetes-embedded-resource'],
  compare({ old, next }: NodePair): Change[] {
    const [before, after] = [isEmbedded(old), isEmbedded(next)];
    if (before === after) return [];
    if (after) return [{ effect: 'rejects', message: 'the value has to be an object of Kubernetes now' }];
    const isKept = isOpen(next);
    return [{ effect: isKept ? 'none' : 'loses', message: 'the value need not be an object of Kubernetes any more' }];
  },
};
