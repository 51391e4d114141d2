import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { BundleBlob } from '../../catalog/blob.ts';
import { entriesOf, type FoundEntry } from './entries.ts';

const MILLION = 1_000_000;

/** The image of a version states its size: `large/12=3000000`. */
const versions = (name: string, count: number, size: number): { readonly versions: readonly { image: string }[] } => ({
  versions: Array.from({ length: count }, (_, at) => ({ image: `${name}/${at}=${size}` })),
});

function entryOf(image: string): BundleBlob {
  const properties = [{ type: 'a', value: 'x'.repeat(Number(image.split('=')[1])) }];
  return { schema: 'olm.bundle', name: image, package: 'gadget', image, properties, relatedImages: [] };
}

const named = (found: readonly (readonly FoundEntry[])[]): readonly (readonly string[])[] =>
  found.map((entries) => entries.map((entry) => (entry instanceof ReasonedError ? entry.reason : entry.name)));

describe('the entries of a Catalog of repositories', () => {
  test('entries that have room together are all there, each read once', async () => {
    const repositories = [versions('large', 19, 3 * MILLION), versions('small', 2, 10)];
    const asked: string[] = [];
    const found = await entriesOf(repositories, async (image) => (asked.push(image), entryOf(image)));
    const images = repositories.map((one) => one.versions.map(({ image }) => image));
    expect(named(found)).toEqual(images);
    expect(asked.toSorted()).toEqual(images.flat().toSorted());
  });

  test.each([
    { because: 'it is the first', at: 0 },
    { because: 'it is the last', at: 1 },
  ])(
    'a repository that is too large takes nothing from another one, and keeps its newest: $because',
    async ({ at }) => {
      const [large, small] = [versions('large', 40, 3 * MILLION), versions('small', 9, 10)];
      const found = named(await entriesOf(at === 0 ? [large, small] : [small, large], async (image) => entryOf(image)));
      const imagesOf = (one: typeof large): readonly string[] => one.versions.map(({ image }) => image);
      expect(found[1 - at]).toEqual(imagesOf(small));
      const refused = Array.from({ length: 29 }, () => 'BundleTooLarge');
      expect(found[at]).toEqual([...refused, ...imagesOf(large).slice(29)]);
    },
  );

  test('at most eight bundles are read at the same time, also if they are too large together', async () => {
    let [reading, most] = [0, 0];
    await entriesOf([versions('a', 40, 3 * MILLION), versions('b', 40, 3 * MILLION)], async (image) => {
      most = Math.max(most, (reading += 1));
      await new Promise(setImmediate);
      reading -= 1;
      return entryOf(image);
    });
    expect(most).toBe(8);
  });

  test('a bundle without an entry takes no room, and the error of a registry ends it', async () => {
    const reason = (text: 'BundleInvalid' | 'RegistryUnavailable') =>
      new ReasonedError({ reason: text, retry: 'never', message: 'm' });
    const found = await entriesOf([versions('a', 1, 1)], async () => reason('BundleInvalid'));
    expect(named(found)).toEqual([['BundleInvalid']]);
    const failing = entriesOf([versions('a', 1, 1)], () => Promise.reject(reason('RegistryUnavailable')));
    await expect(failing).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
  });
});
