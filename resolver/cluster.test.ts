import { describe, expect, test } from 'vitest';
import type { CatalogBundle } from '../catalog/model.ts';
import { isOlder, misfit, reachedOpenShift } from './cluster.ts';

function asking(type: string, value: unknown): CatalogBundle {
  return { name: 'b', package: 'p', version: '1.0.0', image: 'i', properties: [{ type, value }], relatedImages: [] };
}

describe('whether a cluster has reached the last OpenShift version that a bundle supports', () => {
  test.each([
    { because: 'it has exactly that version', upTo: '4.9', has: '4.9.33', reached: true },
    { because: 'the cluster is newer', upTo: '4.9', has: '4.10.0', reached: true },
    { because: 'the cluster is older', upTo: '4.10', has: '4.9.1', reached: false },
    { because: 'only the minor version counts', upTo: '4.10.40', has: '4.10.2', reached: true },
    { because: 'an unquoted 4.10 lost its zero', upTo: 4.1, has: '4.9.1', reached: false },
    { because: 'an unquoted 4.1 means 4.10, not everything', upTo: 4.1, has: '4.11.0', reached: true },
    { because: 'an unquoted 4.2 means 4.20', upTo: 4.2, has: '4.19.0', reached: false },
    { because: 'an unquoted 4.9 is unambiguous', upTo: 4.9, has: '4.10.0', reached: true },
    { because: 'an unquoted 4.16 is unambiguous', upTo: 4.16, has: '4.15.3', reached: false },
    { because: 'a major version alone ends at its first minor version', upTo: 4, has: '4.1.0', reached: true },
    { because: 'a text that is no version limits nothing', upTo: 'four', has: '4.10.0', reached: false },
    { because: 'an empty text limits nothing', upTo: '', has: '4.10.0', reached: false },
    { because: 'the cluster is no OpenShift', upTo: '4.9', has: undefined, reached: false },
  ])('a bundle for up to $upTo is at its limit with $has: $reached, as $because', ({ upTo, has, reached }) => {
    const cluster = { providedKinds: [], ...(has !== undefined && { openShiftVersion: has }) };
    const bundle = asking('olm.maxOpenShiftVersion', upTo);
    expect(reachedOpenShift(bundle, cluster) !== undefined).toBe(reached);
    expect(misfit(bundle, cluster)).toBeUndefined();
  });
});

test.each([
  { has: 'v1.30.2-eks.7', needs: '1.30.2', older: false },
  { has: 'v1.30.2+k3s1', needs: '1.30.3', older: true },
  { has: '1.9', needs: '1.10', older: true },
  { has: '1.30', needs: '1.30.0', older: false },
  { has: 'unknown', needs: '1.30', older: false },
  { has: '1.30', needs: 'soon', older: false },
])('$has is older than $needs: $older', ({ has, needs, older }) => {
  expect(isOlder(has, needs)).toBe(older);
});
