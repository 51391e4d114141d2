/** An API server treats objects as our verdict predicts. */
import { describe, expect, test } from 'vitest';
import { CASES, crdOf, kindOf } from '../../../apply/crd-safety/testing/cases.ts';
import { useCluster } from '../../lib/cluster.ts';
import { sampleOf } from '../../lib/sample.ts';
import { judge, seeOutcome } from './experiment.ts';

const cluster = useCluster();

const NAMED = CASES.map((each, index) => ({ ...each, plural: `things${index}` }));
/** `make crd-safety` plays each case. */
const PLAYED = sampleOf(NAMED, { every: 3 });

describe('the named cases', () => {
  test.concurrent.each(PLAYED)(
    '$outcome, because $because',
    async ({ plural, old, next, spec, name = 'a', version = 'v1', outcome }) => {
      const object = {
        apiVersion: `example.com/${version}`,
        kind: kindOf(plural),
        metadata: { name, namespace: 'default' },
        spec,
      };
      const pair = { name: plural, old: crdOf(plural, old), next: crdOf(plural, next), objects: [object] };
      const seen = await seeOutcome(cluster(), pair);
      if (seen.kind === 'refused') throw new Error(seen.because);
      const [fate] = seen.fates;
      if (fate === undefined) throw new Error('the object was not taken');
      expect(fate.harm === undefined, fate.harm).toBe(outcome === 'unhurt');
      expect((await judge(pair, [fate.object])).length > 0).toBe(outcome !== 'unhurt');
    },
  );
});
