import { describe, expect, it } from 'vitest';
import { makeFiles, type BundleParts } from '../bundles/testing/bundle.ts';
import { buildBundleBlob, parseBundleDirectory } from './blob.ts';
import { buildStatedPackage, statedGraph, statesGraph, type StatingVersion } from './stated-graph.ts';
import { versionRules } from './testing/version-rules.ts';

interface Stated {
  readonly channels?: string | number;
  readonly defaultChannel?: string | number;
  readonly replaces?: string;
  readonly skips?: unknown;
  readonly skipRange?: string;
  readonly substitutesFor?: string;
}

const PREFIX = 'operators.operatorframework.io.bundle';

function version(
  text: string,
  { channels, defaultChannel, skipRange, substitutesFor, ...spec }: Stated,
): StatingVersion {
  const annotations = [
    `${PREFIX}.package.v1: gadget`,
    ...(channels === undefined ? [] : [`${PREFIX}.channels.v1: ${JSON.stringify(channels)}`]),
    ...(defaultChannel === undefined ? [] : [`${PREFIX}.channel.default.v1: ${JSON.stringify(defaultChannel)}`]),
  ].map((line) => `  ${line}\n`);
  const parts: BundleParts = {
    metadata: {
      name: `gadget.v${text}`,
      annotations: {
        ...(skipRange !== undefined && { 'olm.skipRange': skipRange }),
        ...(substitutesFor !== undefined && { 'olm.substitutesFor': substitutesFor }),
      },
    },
    spec: { version: text, ...spec },
    files: { 'metadata/annotations.yaml': `annotations:\n${annotations.join('')}` },
  };
  const directory = parseBundleDirectory(makeFiles(parts));
  const bundle = buildBundleBlob(directory, { image: `registry.example/gadget:v${text}`, manifests: 'excerpt' });
  const read = versionRules.parseBundleVersion(text);
  if (!read.ok) throw new Error(read.problem);
  return { tag: text, version: read.value, bundle, stated: statedGraph(directory) };
}

function graph(...stated: readonly (readonly [string, Stated])[]) {
  const versions = stated.map(([text, facts]) => version(text, facts));
  const documents = buildStatedPackage('gadget', versions, versionRules);
  const channels = documents.filter(({ schema }) => schema === 'olm.channel');
  return {
    states: statesGraph(versions),
    defaultChannel: documents[0]?.['defaultChannel'],
    channels: Object.fromEntries(channels.map(({ name, entries }) => [name as string, entries])),
  };
}

describe('the graph that bundles state', () => {
  it('a stated graph has the channels and edges of its bundles, unchanged', () => {
    expect(
      graph(
        ['1.1.0', { channels: 'stable, fast', replaces: 'gadget.v1.0.0', skips: ['gadget.v1.0.1', ''], skipRange: '' }],
        ['1.0.0', { channels: 'stable' }],
        ['1.2.0', { channels: 'stable,fast', skipRange: '>=1.0.0 <1.2.0', replaces: 'gadget.v1.1.0', skips: '' }],
      ),
    ).toEqual({
      states: true,
      defaultChannel: 'stable',
      channels: {
        stable: [
          { name: 'gadget.v1.0.0' },
          { name: 'gadget.v1.1.0', replaces: 'gadget.v1.0.0', skips: ['gadget.v1.0.1'] },
          { name: 'gadget.v1.2.0', replaces: 'gadget.v1.1.0', skipRange: '>=1.0.0 <1.2.0' },
        ],
        ' fast': [{ name: 'gadget.v1.1.0', replaces: 'gadget.v1.0.0', skips: ['gadget.v1.0.1'] }],
        fast: [{ name: 'gadget.v1.2.0', replaces: 'gadget.v1.1.0', skipRange: '>=1.0.0 <1.2.0' }],
      },
    });
  });

  it('the graph is by version within each channel, if no bundle states an edge', () => {
    expect(graph(['1.0.0', { channels: 'a' }], ['1.1.0', { channels: 'a,b' }])).toMatchObject({
      states: true,
      channels: {
        a: [
          { name: 'gadget.v1.0.0', skipRange: '<1.0.0' },
          { name: 'gadget.v1.1.0', replaces: 'gadget.v1.0.0', skipRange: '<1.1.0' },
        ],
        b: [{ name: 'gadget.v1.1.0', skipRange: '<1.1.0' }],
      },
    });
  });

  it('channels may be numbers without quotes, which are read as texts', () => {
    expect(graph(['1.0.0', { channels: 4.8, defaultChannel: 4.8 }])).toMatchObject({
      states: true,
      defaultChannel: '4.8',
      channels: { '4.8': [{ name: 'gadget.v1.0.0' }] },
    });
  });

  it('bundles that name no channel are in stable', () => {
    expect(graph(['1.0.0', {}], ['1.1.0', { replaces: 'gadget.v1.0.0' }])).toMatchObject({
      states: true,
      defaultChannel: 'stable',
      channels: { stable: [{ name: 'gadget.v1.0.0' }, { replaces: 'gadget.v1.0.0' }] },
    });
  });

  it('bundles that state nothing have no stated graph', () => {
    expect(graph(['1.0.0', {}], ['1.1.0', { channels: '', skips: [], skipRange: '' }]).states).toBe(false);
  });

  it.each([
    {
      because: 'the highest version that names a default channel decides',
      stated: [{ channels: 'a,b', defaultChannel: 'a' }, { channels: 'a,b', defaultChannel: 'b' }, { channels: 'c' }],
      defaultChannel: 'b',
    },
    {
      because: 'else the first channel of the highest version',
      stated: [{ channels: 'a' }, { channels: 'c,b' }],
      defaultChannel: 'c',
    },
  ])('the default channel is $defaultChannel: $because', ({ stated, defaultChannel }) => {
    const facts = stated.map((one, index) => [`1.${index}.0`, one] as const);
    expect(graph(...facts).defaultChannel).toBe(defaultChannel);
  });
});

describe('a rebuild takes the place of its original in the graph', () => {
  const A = ['1.0.0', {}] as const;
  const rebuilt = (text: string, of: string, more: Stated = {}) =>
    [text, { substitutesFor: `gadget.v${of}`, skips: [`gadget.v${of}`], ...more }] as const;
  const entry = (text: string, ...[replaces, ...skips]: readonly string[]) => ({
    name: `gadget.v${text}`,
    ...(replaces !== undefined && replaces !== '' && { replaces: `gadget.v${replaces}` }),
    ...(skips.length > 0 && { skips: skips.map((one) => `gadget.v${one}`) }),
  });

  it.each<{ because: string; given: readonly (readonly [string, Stated])[]; entries: readonly unknown[] }>([
    {
      because: 'the next version replaces the original',
      given: [A, rebuilt('1.0.0+1', '1.0.0'), ['1.1.0', { replaces: 'gadget.v1.0.0' }]],
      entries: [entry('1.0.0'), entry('1.0.0+1', '', '1.0.0'), entry('1.1.0', '1.0.0+1', '1.0.0')],
    },
    {
      because: 'the next version skips the original',
      given: [A, rebuilt('1.0.0+1', '1.0.0'), ['1.1.0', { skips: ['gadget.v1.0.0'] }]],
      entries: [entry('1.0.0'), entry('1.0.0+1', '', '1.0.0'), entry('1.1.0', '', '1.0.0', '1.0.0+1')],
    },
    {
      because: 'the rebuild was rebuilt',
      given: [A, rebuilt('1.0.0+1', '1.0.0'), rebuilt('1.0.0+2', '1.0.0+1'), ['1.1.0', { replaces: 'gadget.v1.0.0' }]],
      entries: [
        entry('1.0.0'),
        entry('1.0.0+1', '', '1.0.0'),
        entry('1.0.0+2', '', '1.0.0+1', '1.0.0'),
        entry('1.1.0', '1.0.0+2', '1.0.0', '1.0.0+1'),
      ],
    },
    {
      because: 'the original was rebuilt twice',
      given: [A, rebuilt('1.0.0+1', '1.0.0'), rebuilt('1.0.0+2', '1.0.0'), ['1.1.0', { replaces: 'gadget.v1.0.0+1' }]],
      entries: [
        entry('1.0.0'),
        entry('1.0.0+1', '', '1.0.0'),
        entry('1.0.0+2', '', '1.0.0', '1.0.0+1'),
        entry('1.1.0', '1.0.0+2', '1.0.0', '1.0.0+1'),
      ],
    },
    {
      because: 'the rebuild replaces its original, which the catalog does not have',
      given: [rebuilt('1.0.0+1', '1.0.0', { replaces: 'gadget.v1.0.0', skips: [] }), ['1.1.0', { replaces: 'gadget.v1.0.0' }]], // prettier-ignore
      entries: [entry('1.0.0+1', '1.0.0'), entry('1.1.0', '1.0.0+1', '1.0.0')],
    },
    {
      because: 'rebuilds that go round in a circle change nothing',
      given: [rebuilt('1.0.0+1', '1.0.0+2'), rebuilt('1.0.0+2', '1.0.0+1')],
      entries: [entry('1.0.0+1', '', '1.0.0+2'), entry('1.0.0+2', '', '1.0.0+1')],
    },
  ])('$because', ({ given, entries }) => {
    expect(graph(...given).channels['stable']).toEqual(entries);
  });
});
