import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CatalogPackage, ChannelEntry } from '../catalog/model.ts';
import { runsOf } from '../e2e/lib/sample.ts';
import { EdgeSources } from './edge-sources.ts';
import { edgeInto, upgradeGraph, type ChannelGraph } from './graph.ts';

/** A channel whose bundles are named by their versions. */
function channelOf(entries: readonly ChannelEntry[]): ChannelGraph {
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
  return upgradeGraph(content).channels.get('stable')!;
}

const NAMES = ['0.9.0', '1.0.0-rc.1', '1.0.0', '1.0.0+2', '1.1.0', '2.0.0', 'no version'];
const RANGES = ['<1.0.0', '>=1.0.0 <2.0.0', '1.0.0 || >1.1.0', '!=1.0.0', '<9.0.0', 'no range'];

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
  .map((entries) => channelOf(entries));

describe('the bundles from which edges lead into an entry', () => {
  test('they are those that are found if each bundle is asked for its edge', () => {
    fc.assert(
      fc.property(channels, ({ entries }) => {
        const bundles = entries.map(({ bundle }) => bundle);
        const sources = new EdgeSources(bundles);
        for (const entry of entries) {
          const found = new Set<string>();
          sources.visit(entry, ({ name }) => {
            found.add(name);
            return false;
          });
          const expected = bundles.filter((source) => {
            const version = source.version.ok ? source.version.value : undefined;
            return source !== entry.bundle && edgeInto(entry, { name: source.name, version }) !== undefined;
          });
          expect(found).toEqual(new Set(expected.map(({ name }) => name)));
        }
      }),
      { numRuns: runsOf(500) },
    );
  });

  test('a bundle that is settled is visited no more, whichever entry it leads into', () => {
    const count = 2000;
    const { entries } = channelOf(
      Array.from({ length: count }, (_, at) => ({ name: `1.0.${at}`, skips: [`1.0.${at - 1}`], skipRange: '<9.0.0' })),
    );
    const sources = new EdgeSources(entries.map(({ bundle }) => bundle));
    const visited: string[] = [];
    for (const entry of entries) sources.visit(entry, ({ name }) => visited.push(name) > 0);
    expect(visited).toHaveLength(count);
    expect(new Set(visited).size).toBe(count);
  });
});
