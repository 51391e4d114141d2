/** A package with as many versions as a publisher likes costs a view little time, and the same question nothing. */
import { expect, test } from 'vitest';
import type { Catalog } from '../../api/catalog.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogPackage, ChannelEntry } from '../../catalog/model.ts';
import { sampleOf } from '../../e2e/lib/sample.ts';
import type { PackageContent } from './content.ts';
import { graph } from './graph.ts';
import { isProblem, type Asked, type Visible } from './view.ts';
import type { GraphModel } from './models.ts';

type EntryOf = (at: number) => Partial<ChannelEntry>;

function contentOf(count: number, channels: number, entryOf: EntryOf): PackageContent {
  const names = Array.from({ length: count }, (_, at) => `p.v1.0.${at}`);
  const bundles = names.map((name, at) => ({ name, package: 'p', version: `1.0.${at}`, image: '', properties: [], relatedImages: [] })); // prettier-ignore
  const entries = names.map((name, at) => ({ name, skips: [], ...entryOf(at) }));
  const content: CatalogPackage = {
    name: 'p',
    defaultChannel: 'c0',
    channels: Array.from({ length: channels }, (_, at) => ({ name: `c${at}`, entries })),
    bundles,
    deprecations: [],
  };
  return { content, hasIcon: false, about: new Map() };
}

function show(content: PackageContent, version: string, installed?: string): GraphModel {
  const status = installed === undefined ? {} : { installed: { bundle: `p.v${installed}`, version: installed, catalog: 'team', channel: 'c0', image: '' } }; // prettier-ignore
  const found = { apiVersion: 'v1', kind: 'Subscription', metadata: { namespace: 'ops', name: 'p' }, spec: { package: 'p', edges: 'Follow', approval: 'Automatic' }, status } as unknown as Subscription; // prettier-ignore
  const catalog = { apiVersion: 'v1', kind: 'Catalog', metadata: { name: 'team' }, spec: { priority: 0 } } as unknown as Catalog; // prettier-ignore
  const visible: Visible = {
    subscriptions: [found],
    revisions: [],
    catalogs: [catalog],
    registryPolicies: [],
    events: [],
    leases: [],
    reach: { subscriptions: 'all', revisions: 'all', catalogs: 'all', registryPolicies: 'all', events: 'all', leases: 'all' }, // prettier-ignore
    readOnly: false,
    systemNamespace: 'slipway-system',
    now: new Date(0),
  };
  const asked: Asked = { packages: new Map([['team', { value: content }]]) };
  const model = graph.show(visible, { namespace: 'ops', name: 'p', version }, asked);
  if (isProblem(model)) throw new Error(model.message);
  return model;
}

/** Processor time of this thread and not the clock: other programs, and other tests of this process, run beside the test. */
function secondsOf(act: () => void): number {
  const before = process.threadCpuUsage();
  act();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e6;
}

const EDGES: readonly { readonly because: string; readonly entryOf: EntryOf }[] = [
  { because: 'a skipRange over all versions before each', entryOf: (at) => ({ skipRange: `<1.0.${at}` }) },
  { because: 'a skipRange that includes no version', entryOf: () => ({ skipRange: '>9.0.0' }) },
  { because: 'a skipRange that is only on the newest', entryOf: (at) => (at === 4999 ? { skipRange: '<2.0.0' } : {}) },
  { because: 'a chain', entryOf: (at) => (at === 0 ? {} : { replaces: `p.v1.0.${at - 1}` }) },
];

const CASES = EDGES.flatMap((edges) =>
  [1, 20].flatMap((channels) => ['9.9.9', '1.0.4990', '1.0.3'].map((version) => ({ ...edges, channels, version }))),
);

// one of five has each kind of edges, each number of channels and each version
test.each(sampleOf(CASES, { every: 5 }))(
  '5,000 versions with $because, in $channels channels: $version',
  ({ entryOf, channels, version }) => {
    const content = contentOf(5000, channels, entryOf);
    let model: GraphModel | undefined;
    // Parsing 100,000 ranges once is most of it.
    expect(secondsOf(() => (model = show(content, version, '1.0.0')))).toBeLessThan(channels === 1 ? 1.5 : 6);
    expect(model?.opened).toMatchObject({ note: expect.stringContaining('slipway why-not') as string });
    const [lane] = model?.lanes ?? [];
    const shown = lane?.nodes.map((node) => node.version) ?? [];
    expect(shown).toEqual(expect.arrayContaining(['1.0.4999', '1.0.0', ...(version === '9.9.9' ? [] : [version])]));
    expect(shown.length + (lane?.cut?.omitted ?? 0)).toBe(5000);
  },
);

test('the remedies of a package of usual size are tried, once for the same question', () => {
  const content = contentOf(200, 1, (at) => ({ skipRange: `<1.0.${at}` }));
  const first = show(content, '9.9.9', '1.0.0');
  expect(first.opened).toMatchObject({ standing: 'NotOffered' });
  expect(first.opened).not.toHaveProperty('note', expect.stringContaining('too many'));
  const again = secondsOf(() => {
    for (let time = 0; time < 50; time++) expect(show(content, '9.9.9', '1.0.0')).toEqual(first);
  });
  expect(again).toBeLessThan(0.5);
  expect(show(content, '1.0.199', '1.0.0').opened).not.toEqual(first.opened);
  expect(
    show(
      contentOf(200, 1, () => ({})),
      '1.0.199',
      '1.0.0',
    ).lanes,
  ).not.toEqual(first.lanes);
});
