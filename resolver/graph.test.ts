import { describe, expect, test } from 'vitest';
import type { CatalogPackage } from '../catalog/model.ts';
import { edgeInto, upgradeGraph, type ChannelGraph } from './graph.ts';
import { originOf } from './selection.ts';
import { expandPackage, type SmallPackage } from './testing/small-catalogs.ts';

type Entries = SmallPackage['channels'][string];

/** A channel of a package that has a bundle for every version that is named, but for those that are to be missing. */
function channelOf(entries: Entries, missing: readonly string[] = []): ChannelGraph {
  const versions = new Set(entries.map(({ version }) => version).filter((version) => !missing.includes(version)));
  const graph = upgradeGraph(expandPackage('op', { bundles: [...versions], channels: { stable: entries } }));
  const channel = graph.channels.get('stable');
  if (channel === undefined) throw new Error('the channel is missing');
  return channel;
}

describe('the head of a channel', () => {
  test.each<{ because: string; entries: Entries; missing?: readonly string[]; head: string | undefined }>([
    {
      because: 'nothing replaces it',
      entries: [{ version: '1.0.0' }, { version: '1.1.0', replaces: '1.0.0' }],
      head: '1.1.0',
    },
    {
      because: 'what is listed first or last is not the question',
      entries: [{ version: '1.1.0', replaces: '1.0.0' }, { version: '1.0.0' }],
      head: '1.1.0',
    },
    {
      because: 'what is skipped is superseded, though it has the higher number',
      entries: [{ version: '2.1.0', replaces: '1.0.0' }, { version: '2.0.0', skips: ['2.1.0'] }, { version: '1.0.0' }],
      head: '2.0.0',
    },
    {
      because: 'a skipRange supersedes nothing',
      entries: [{ version: '1.0.0', skipRange: '<3.0.0' }, { version: '2.0.0' }],
      head: '2.0.0',
    },
    {
      because: 'of two the highest counts',
      entries: [{ version: '1.0.0' }, { version: '2.0.0', replaces: '1.0.0' }, { version: '1.9.0', replaces: '1.0.0' }],
      head: '2.0.0',
    },
    {
      because: 'in a circle without a head, the highest bundle of all counts',
      entries: [
        { version: '1.0.0', replaces: '2.0.0' },
        { version: '2.0.0', replaces: '1.5.0' },
        { version: '1.5.0', replaces: '1.0.0' },
      ],
      head: '2.0.0',
    },
    {
      because: 'a circle beside it has no say',
      entries: [{ version: '3.0.0', replaces: '2.0.0' }, { version: '2.0.0', replaces: '3.0.0' }, { version: '1.0.0' }],
      head: '1.0.0',
    },
    {
      because: 'an entry that replaces itself is not superseded by that',
      entries: [{ version: '1.0.0', replaces: '1.0.0' }],
      head: '1.0.0',
    },
    {
      because: 'a gap leaves two ends, of which the highest counts',
      entries: [{ version: '1.0.0' }, { version: '3.0.0', replaces: '2.0.0' }],
      head: '3.0.0',
    },
    {
      because: 'an entry whose bundle is missing is none, and supersedes nothing',
      entries: [{ version: '1.0.0' }, { version: '2.0.0', replaces: '1.0.0' }],
      missing: ['2.0.0'],
      head: '1.0.0',
    },
    {
      because: 'a release comes after the version without one',
      entries: [{ version: '1.0.0+2' }, { version: '1.0.0' }, { version: '1.0.0+1' }],
      head: '1.0.0+2',
    },
    {
      because: 'an invalid version comes last',
      entries: [{ version: 'latest' }, { version: '0.1.0' }],
      head: '0.1.0',
    },
    { because: 'a channel without entries has no head', entries: [], head: undefined },
    {
      because: 'a channel without bundles has no head',
      entries: [{ version: '1.0.0' }],
      missing: ['1.0.0'],
      head: undefined,
    },
  ])('the head of a channel is $head, as $because', ({ entries, missing, head }) => {
    expect(channelOf(entries, missing).head?.bundle.version).toBe(head);
  });
});

test('entries whose bundle the catalog lacks are named', () => {
  const { entries, missing } = channelOf([{ version: '1.0.0' }, { version: '2.0.0' }], ['2.0.0']);
  expect([entries.map(({ bundle }) => bundle.name), missing]).toEqual([['op.v1.0.0'], ['op.v2.0.0']]);
});

describe('an edge into an entry', () => {
  test.each([
    { because: 'it replaces it', entry: { replaces: '1.0.0' }, from: '1.0.0', edge: 'replaces' },
    { because: 'it skips it', entry: { skips: ['0.9.0', '1.0.0'] }, from: '1.0.0', edge: 'skips' },
    { because: 'its range has it', entry: { skipRange: '<1.1.0' }, from: '1.0.0', edge: 'skipRange' },
    { because: 'replaces is reported before the other edges', entry: { replaces: '1.0.0', skips: ['1.0.0'], skipRange: '<2.0.0' }, from: '1.0.0', edge: 'replaces' }, // prettier-ignore
    { because: 'its range ends before', entry: { skipRange: '<1.0.0' }, from: '1.0.0', edge: undefined },
    { because: 'a range that cannot be read accepts nothing', entry: { skipRange: '<v2.0.0' }, from: '1.0.0', edge: undefined }, // prettier-ignore
    { because: 'an empty range is none', entry: { skipRange: '' }, from: '1.0.0', edge: undefined },
    { because: 'the entry has no edges', entry: {}, from: '1.0.0', edge: undefined },
    { because: 'an invalid version is in no range', entry: { skipRange: '>=0.0.0' }, from: 'latest', edge: undefined },
    {
      because: 'an invalid version still has a name',
      entry: { replaces: 'latest' },
      from: 'latest',
      edge: 'replaces',
    },
  ])('the edge into an entry is $edge, as $because', ({ entry, from, edge }) => {
    const [into] = channelOf([{ version: '2.0.0', ...entry }]).entries;
    if (into === undefined) throw new Error('the entry is missing');
    expect(edgeInto(into, originOf(`op.v${from}`, from))?.kind).toBe(edge);
  });
});

describe('a package that repeats itself', () => {
  const content = expandPackage('op', { bundles: ['1.0.0'], channels: { stable: [{ version: '1.0.0' }] } });
  const [channel] = content.channels;
  const [bundle] = content.bundles;
  if (channel === undefined || bundle === undefined) throw new Error('the package is empty');
  const twice: CatalogPackage = {
    ...content,
    channels: [channel, { ...channel, entries: [] }],
    bundles: [bundle, { ...bundle, version: '9.0.0' }],
  };

  test('of several channels or bundles with one name, the first counts', () => {
    const graph = upgradeGraph(twice);
    expect([...graph.channels.values()].map(({ entries }) => entries.length)).toEqual([1]);
    expect([...graph.bundles.values()].map((one) => one.bundle.version)).toEqual(['1.0.0']);
  });

  test('a bundle lists each of its channels once', () => {
    const both = {
      ...content,
      channels: [channel, { name: 'fast', entries: [...channel.entries, ...channel.entries] }],
    };
    expect(upgradeGraph(both).bundles.get('op.v1.0.0')?.channels).toEqual(['stable', 'fast']);
  });
});
