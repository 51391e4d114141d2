/** `affinity` of a Pod. @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/ */
import type * as z from 'zod';
import { list } from '../fields.ts';
import { entry, int32, line, lines, part, podLabelSelector, requirements } from './parts.ts';

/** Terms of one kind; the scheduler compares each with every node. */
const MOST_TERMS = 128;

const nodeTerm = (): z.ZodType => part({ matchExpressions: requirements(), matchFields: requirements() });

const ofPods = {
  labelSelector: podLabelSelector(),
  namespaceSelector: podLabelSelector(),
  namespaces: lines(),
  matchLabelKeys: lines(),
  mismatchLabelKeys: lines(),
};

const betweenPods = (): z.ZodType =>
  part({
    requiredDuringSchedulingIgnoredDuringExecution: list(entry({ topologyKey: line() }, ofPods), MOST_TERMS),
    preferredDuringSchedulingIgnoredDuringExecution: list(
      entry({ weight: int32() }, { podAffinityTerm: part({ topologyKey: line(), ...ofPods }) }),
      MOST_TERMS,
    ),
  });

/** Its three parts. */
export const AffinityPart = part({
  nodeAffinity: part({
    requiredDuringSchedulingIgnoredDuringExecution: part({ nodeSelectorTerms: list(nodeTerm(), MOST_TERMS) }),
    preferredDuringSchedulingIgnoredDuringExecution: list(
      entry({ weight: int32() }, { preference: nodeTerm() }),
      MOST_TERMS,
    ),
  }),
  podAffinity: betweenPods(),
  podAntiAffinity: betweenPods(),
});
