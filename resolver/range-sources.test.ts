import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CatalogPackage, ChannelEntry } from '../catalog/model.ts';
import { runsOf } from '../e2e/lib/sample.ts';
import { compareHighestFirst, edgeInto, upgradeGraph, type GraphBundle, type GraphEntry } from './graph.ts';
import { RangeSources } from './range-sources.ts';

/** The entries of a channel whose bundles are named by their versions, the highest first. */
function entriesOf(entries: readonly ChannelEntry[]): readonly GraphEntry[] {
  const content: CatalogPackage = {
    name: 'gadget',
    defaultChannel: 'stable',
    channels: [{ name: 'stable', entries }],
    bundles: entries.map(({ name }) => ({
      name,
      package: 'gadget',
      version: name,
      image: '',
      properties: [],
      relatedImages: [],
    })),
    deprecations: [],
  };
  const graph = upgradeGraph(content).channels.get('stable')?.entries ?? [];
  return graph.toSorted((a, b) => compareHighestFirst(a.bundle, b.bundle));
}

const NAMES = ['0.9.0', '1.0.0-rc.1', '1.0.0', '1.0.0+1', '1.0.0+2', '1.1.0', '2.0.0', 'no version'];
const RANGES = [
  '<1.0.0',
  '>=1.0.0 <2.0.0',
  '<2.0.0 || >=1.0.0',
  '1.0.0 || >1.1.0',
  '!=1.0.0',
  '<9.0.0',
  '>9.0.0',
  'no range',
];

const channels = fc
  .uniqueArray(
    fc.record(
      {
        name: fc.constantFrom(...NAMES),
        replaces: fc.constantFrom(...NAMES, 'gone'),
        skips: fc.array(fc.constantFrom(...NAMES), { maxLength: 3 }),
        skipRange: fc.constantFrom(...RANGES),
      },
      { requiredKeys: ['name', 'skips'] },
    ),
    { selector: ({ name }) => name },
  )
  .map(entriesOf);

describe('the highest bundle from which only a skipRange leads into an entry', () => {
  const plainly = (entry: GraphEntry, entries: readonly GraphEntry[]): GraphBundle | undefined =>
    entries
      .map(({ bundle }) => bundle)
      .filter(({ name }) => name !== entry.bundle.name)
      .find(({ name, version }) => {
        const from = { name, version: version.ok ? version.value : undefined };
        return edgeInto(entry, from)?.kind === 'skipRange';
      });

  test('is the first one that is found if each bundle is asked for its edge, the highest first', () => {
    fc.assert(
      fc.property(channels, (entries) => {
        const sources = new RangeSources(entries.map(({ bundle }) => bundle));
        for (const entry of entries) expect(sources.highestInto(entry)).toBe(plainly(entry, entries));
      }),
      { numRuns: runsOf(1000) },
    );
  });
});
