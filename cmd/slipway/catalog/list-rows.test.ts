import { expect, test } from 'vitest';
import type { CatalogPackage, ChannelEntry, Deprecation } from '../../../catalog/model.ts';
import { collectRows } from './list-rows.ts';

/** A package with one channel of so many versions and a deprecation of each, of a channel or a bundle; counts how often names of entries and deprecations are read. */
function counting(
  versions: number,
  schema: Deprecation['schema'] = 'olm.bundle',
): { readonly one: CatalogPackage; readonly reads: () => number } {
  let reads = 0;
  const counted = <Value extends object>(value: Value, name: string): Value & { readonly name: string } =>
    Object.defineProperty({ ...value, name }, 'name', { get: () => ((reads += 1), name), enumerable: true });
  const names = Array.from({ length: versions }, (_, index) => `gadget.v1.0.${index}`);
  const entries: ChannelEntry[] = names.map((name, index) =>
    counted({ skips: [], ...(index > 0 && { replaces: names[index - 1] }) }, name),
  );
  const deprecations: Deprecation[] = names.map((name) => counted({ schema, message: '' }, name));
  const bundles = names.map((name) => ({
    name,
    package: 'gadget',
    version: name.slice('gadget.v'.length),
    image: `registry.example/${name}`,
    properties: [],
    relatedImages: [],
  }));
  const one = {
    name: 'gadget',
    defaultChannel: 'stable',
    channels: [{ name: 'stable', entries }],
    bundles,
    deprecations,
  };
  return { one, reads: () => reads };
}

test('a bundle names its channels, and whether it is deprecated', () => {
  const { one } = counting(2);
  const fast = { name: 'fast', entries: [{ name: 'gadget.v1.0.1', skips: [] }] };
  const only = { ...one, channels: [...one.channels, fast], deprecations: one.deprecations.slice(0, 1) };
  expect(collectRows([only], 'bundles', undefined)).toMatchObject([
    { name: 'gadget.v1.0.0', channels: ['stable'], deprecated: true },
    { name: 'gadget.v1.0.1', channels: ['stable', 'fast'], deprecated: false },
  ]);
});

test('the list of channels reads each deprecation once, however many channels a package has', () => {
  const { one, reads } = counting(2000, 'olm.channel');
  const channels = Array.from({ length: 2000 }, (_, index) => ({ name: `c${index}`, entries: [] }));
  collectRows([{ ...one, channels }], 'channels', undefined);
  expect(reads()).toBeLessThanOrEqual(2 * 2000);
});

test.each(['packages', 'channels', 'bundles'] as const)(
  'the list of %s reads each entry and each deprecation a few times, however many versions a package has',
  (what) => {
    const { one, reads } = counting(2000);
    collectRows([one], what, undefined);
    expect(reads()).toBeLessThanOrEqual(4 * 2 * 2000);
  },
);
