import { describe, expect, it } from 'vitest';
import type { BundleBlob } from '../blob.ts';
import { checkEntrySize, hasRoom, roomForEntries, takeEntry } from './entry-size.ts';

function entry(name: string, characters: number): BundleBlob {
  const properties = [{ type: 'a', value: 'x'.repeat(characters) }];
  return { schema: 'olm.bundle', name, package: 'gadget', image: `r.example/${name}`, properties, relatedImages: [] };
}

const SIZES = [...Array.from({ length: 20 }, () => 3_000_000), 6_000_000, 2_000_000];

describe('the size of entries', () => {
  it('an entry eight times as large as the largest published one is taken, and a larger one refused', () => {
    expect(() => checkEntrySize(entry('a', 8 * 490_971))).not.toThrow();
    expect(() => checkEntrySize(entry('a', 5_000_000))).toThrow(expect.objectContaining({ reason: 'BundleTooLarge' }));
  });

  it.each([
    { because: 'small ones come first', sizes: SIZES },
    { because: 'large ones come first', sizes: SIZES.toReversed() },
  ])('entries that are too large together are refused if $because', ({ sizes }) => {
    const room = roomForEntries();
    const taken = sizes.map((size, at) => takeEntry(room, entry(`e${at}`, size)));
    expect([taken.includes(false), hasRoom(room), takeEntry(room, entry('small', 1))]).toEqual([true, false, false]);
  });

  it('entries of 60 MB are taken', () => {
    const room = roomForEntries();
    for (let at = 0; at < 20; at += 1) takeEntry(room, entry(`e${at}`, 3_000_000));
    expect(hasRoom(room)).toBe(true);
  });
});
