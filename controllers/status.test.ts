import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffMerge, writeStatus } from './status.ts';

describe('the patch of a status', () => {
  it.each([
    { because: 'equal data needs no request', before: { a: [1] }, after: { a: [1] }, patch: undefined },
    { because: 'a field that is gone is set to null', before: { a: 1, b: 2 }, after: { a: 1 }, patch: { b: null } },
    {
      because: 'only the inner difference is sent',
      before: { a: { b: 1, c: 2 } },
      after: { a: { b: 1, c: 3 } },
      patch: { a: { c: 3 } },
    },
    { because: 'lists are replaced whole', before: { a: [1, 2] }, after: { a: [2] }, patch: { a: [2] } },
    { because: 'a new record is sent whole', before: {}, after: { a: { b: 1 } }, patch: { a: { b: 1 } } },
  ])('$because', ({ before, after, patch }) => {
    expect(diffMerge(before, after)).toEqual(patch);
  });

  it('the patch turns the one value into the other when it is applied', () => {
    const value = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof(fc.integer(), fc.array(fc.integer()), fc.dictionary(fc.constantFrom('x', 'y'), fc.integer())),
    );
    fc.assert(
      fc.property(value, value, (before, after) => {
        expect(applyMerge(before, diffMerge(before, after) ?? {})).toEqual(after);
      }),
    );
  });

  it('the patch is bound to the version of the object that was observed', async () => {
    const patches: unknown[] = [];
    const cluster = { patch: async (...args: readonly unknown[]) => (patches.push(args), observed) };
    const observed = {
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Catalog',
      metadata: { name: 'c', resourceVersion: '7' },
      status: { packages: 1 },
    };
    await writeStatus(cluster, observed, { packages: 1 });
    await writeStatus(cluster, observed, { packages: 2 });
    expect(patches).toEqual([
      [
        { apiVersion: 'slipway.dev/v1alpha1', kind: 'Catalog', name: 'c' },
        { metadata: { resourceVersion: '7' }, status: { packages: 2 } },
        { subresource: 'status' },
      ],
    ]);
  });
});

/** RFC 7386, section 2, in its shortest form. */
function applyMerge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = applyMerge(result[key], value);
  }
  return result;
}
