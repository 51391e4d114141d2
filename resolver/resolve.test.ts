import { expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import type { CatalogPackage, Property } from '../catalog/model.ts';
import type { Decision } from './decision.ts';
import { explainDecision, explainPath, explainWhyNot } from './explain.ts';
import type { CatalogSource, ResolveInput, Wanted } from './input.ts';
import { resolve } from './resolve.ts';
import { expandPackage, type SmallPackage } from './testing/small-catalogs.ts';

const chain: SmallPackage = {
  bundles: ['1.0.0', '1.1.0', '2.0.0', '3.0.0'],
  defaultChannel: 'stable',
  channels: {
    stable: [{ version: '1.0.0' }, { version: '1.1.0', replaces: '1.0.0' }, { version: '2.0.0', replaces: '1.1.0' }],
    fast: [{ version: '2.0.0' }, { version: '3.0.0', replaces: '2.0.0' }],
  },
};
const older: SmallPackage = { bundles: ['1.0.0'], channels: { stable: [{ version: '1.0.0' }] } };

interface Ask {
  readonly wanted?: Partial<Wanted>;
  readonly installed?: string;
  readonly origin?: string;
  readonly catalogs?: readonly CatalogSource[];
  readonly quarantined?: readonly string[];
  readonly cluster?: ResolveInput['cluster'];
}

function ask({
  wanted,
  installed,
  origin = 'a',
  catalogs = [serving('a', chain)],
  quarantined = [],
  cluster,
}: Ask): Decision {
  return resolve({
    wanted: { package: 'op', edges: 'Follow', dependencies: 'Install', ...wanted },
    ...(installed !== undefined && {
      installed: { bundle: `op.v${installed}`, version: installed, catalog: origin, image: 'x' },
    }),
    catalogs,
    quarantined,
    ...(cluster !== undefined && { cluster }),
  });
}

function serving(name: string, small: SmallPackage | CatalogPackage | undefined, priority = 0): CatalogSource {
  const content = small === undefined || 'name' in small ? small : expandPackage('op', small);
  return { name, priority, state: 'Serving', content: () => content };
}

function unavailable(name: string, priority = 0): CatalogSource {
  return {
    name,
    priority,
    state: 'Unavailable',
    message: 'the registry is down',
    content: () => {
      throw new Error('asked for content');
    },
  };
}

/** A decision at a glance: `upgrade 2.0.0 of 3.0.0 from a/fast`, `no NoUpgradePath: edges`. */
function brief(decision: Decision): string {
  if (decision.kind === 'none') return `no ${decision.reason}: ${decision.because.map(({ kind }) => kind).join()}`;
  const towards = decision.path.length > 1 ? ` of ${decision.bundle.version}` : '';
  return `${decision.kind} ${decision.next.version}${towards} from ${decision.catalog}/${decision.channel}`;
}

const rebuilt: SmallPackage = {
  bundles: ['1.0.1', '1.0.1-1'],
  defaultChannel: 'stable',
  channels: { stable: [{ version: '1.0.1' }, { version: '1.0.1-1', replaces: '1.0.1' }] },
};
const withoutDefault: SmallPackage = { ...chain, defaultChannel: 'gone' };
const movedDefault: SmallPackage = {
  ...chain,
  defaultChannel: 'lts',
  channels: { ...chain.channels, lts: [{ version: '1.0.0' }] },
};
const cases: readonly { title: string; given: Ask; expected: string; because: string }[] = [
  { title: 'no channel', given: {}, expected: 'install 2.0.0 from a/stable', because: 'the default channel counts' },
  {
    title: 'any channel',
    given: { wanted: { channel: '*' } },
    expected: 'install 3.0.0 from a/fast',
    because: 'the highest head counts',
  },
  {
    title: 'a default channel that does not exist',
    given: { catalogs: [serving('a', withoutDefault)] },
    expected: 'no ChannelNotFound: channel',
    because: 'two others are equally good',
  },
  {
    title: 'a missing default channel and only one channel',
    given: { catalogs: [serving('a', { ...older, defaultChannel: '' })] },
    expected: 'install 1.0.0 from a/stable',
    because: 'there is nothing to choose',
  },
  {
    title: 'a head that is lower than the bundle it replaces',
    given: { catalogs: [serving('a', rebuilt)] },
    expected: 'install 1.0.1-1 from a/stable',
    because: 'a publisher numbers a rebuild as if it were a pre-release',
  },
  {
    title: 'the version that a lower head replaces',
    given: { installed: '1.0.1', catalogs: [serving('a', rebuilt)] },
    expected: 'upToDate 1.0.1 from a/stable',
    because: 'no way along the graph leads to a lower version',
  },
  {
    title: 'several hops',
    given: { installed: '1.0.0' },
    expected: 'upgrade 1.1.0 of 2.0.0 from a/stable',
    because: 'every hop is installed',
  },
  {
    title: 'at the head',
    given: { installed: '2.0.0' },
    expected: 'upToDate 2.0.0 from a/stable',
    because: 'fast is not asked for',
  },
  {
    title: 'another channel',
    given: { installed: '2.0.0', wanted: { channel: 'fast' } },
    expected: 'upgrade 3.0.0 from a/fast',
    because: 'fast has an edge from it',
  },
  {
    title: 'a default channel of lower versions only, edges ignored',
    given: { installed: '2.0.0', wanted: { edges: 'Ignore' }, catalogs: [serving('a', movedDefault)] },
    expected: 'no NoUpgradePath: downgrade,channel',
    because: 'the author has moved the default, and the user has asked for nothing',
  },
  {
    title: 'a named channel of lower versions only, edges ignored',
    given: { installed: '2.0.0', wanted: { edges: 'Ignore', channel: 'lts' }, catalogs: [serving('a', movedDefault)] },
    expected: 'upgrade 1.0.0 from a/lts',
    because: 'the user has asked for it',
  },
  {
    title: 'a default channel with a higher version, edges ignored',
    given: {
      installed: '1.0.0',
      wanted: { edges: 'Ignore' },
      catalogs: [serving('a', { ...movedDefault, defaultChannel: 'fast' })],
    },
    expected: 'upgrade 3.0.0 from a/fast',
    because: 'nothing goes down',
  },
  {
    title: 'another channel without an edge',
    given: { installed: '1.0.0', wanted: { channel: 'fast' } },
    expected: 'no NoUpgradePath: edges,channel',
    because: 'fast begins at 2.0.0, and stable leads on',
  },
  {
    title: 'edges over two channels',
    given: { installed: '1.0.0', wanted: { channel: '*' } },
    expected: 'upgrade 1.1.0 of 3.0.0 from a/stable',
    because: 'all channels are one graph then',
  },
  {
    title: 'a pin',
    given: { installed: '1.0.0', wanted: { version: '1.1.0' } },
    expected: 'upgrade 1.1.0 from a/stable',
    because: 'the way ends at the pin',
  },
  {
    title: 'a pin that holds',
    given: { installed: '1.1.0', wanted: { version: '1.1.0' } },
    expected: 'upToDate 1.1.0 from a/stable',
    because: 'it is installed',
  },
  {
    title: 'a lower pin',
    given: { installed: '2.0.0', wanted: { version: '1.1.0' } },
    expected: 'no NoUpgradePath: edges,version',
    because: 'the graph never leads down',
  },
  {
    title: 'a lower pin without edges',
    given: { installed: '2.0.0', wanted: { version: '1.1.0', edges: 'Ignore' } },
    expected: 'upgrade 1.1.0 from a/stable',
    because: 'it is asked for',
  },
  {
    title: 'no edges, and the newest is lower',
    given: { installed: '3.0.0', wanted: { edges: 'Ignore', channel: 'fast' }, catalogs: [serving('a', older)] },
    expected: 'no ChannelNotFound: channel',
    because: 'the channel has gone',
  },
  {
    title: 'a version that vanished',
    given: { installed: '9.0.0', wanted: { edges: 'Ignore' } },
    expected: 'no NoUpgradePath: downgrade',
    because: 'a catalog that went back is no reason to go down',
  },
  {
    title: 'a way through versions out of range',
    given: { installed: '1.0.0', wanted: { version: '>=2.0.0' } },
    expected: 'upgrade 1.1.0 of 2.0.0 from a/stable',
    because: 'there is no other way into the range',
  },
  {
    title: 'a way that would leave the range',
    given: { installed: '1.0.0', wanted: { version: '!=1.1.0' } },
    expected: 'upToDate 1.0.0 from a/stable',
    because: 'it is inside, and 1.1.0 is excluded',
  },
  {
    title: 'a quarantined hop',
    given: { installed: '1.0.0', quarantined: ['op.v1.1.0'] },
    expected: 'upToDate 1.0.0 from a/stable',
    because: 'there is no way around it',
  },
  {
    title: 'a quarantined image',
    given: { quarantined: ['registry.example/op:v2.0.0'] },
    expected: 'install 1.1.0 from a/stable',
    because: 'the next best is taken',
  },
  {
    title: 'everything wanted is quarantined',
    given: { wanted: { version: '2.0.0' }, quarantined: ['op.v2.0.0'] },
    expected: 'no Quarantined: quarantined,version',
    because: 'releasing it or another version would help',
  },
  {
    title: 'an unknown installed version',
    given: { installed: '0.5.0' },
    expected: 'no NoUpgradePath: edges',
    because: 'nothing accepts it',
  },
  {
    title: 'the catalog of origin has the package',
    given: { installed: '1.0.0', origin: 'a', catalogs: [serving('a', older), serving('b', chain, 9)] },
    expected: 'upToDate 1.0.0 from a/stable',
    because: 'an operator stays with its catalog',
  },
  {
    title: 'the catalog of origin lost the package',
    given: { installed: '1.0.0', origin: 'a', catalogs: [serving('a', undefined), serving('b', chain)] },
    expected: 'upgrade 1.1.0 of 2.0.0 from b/stable',
    because: 'another one has it',
  },
  {
    title: 'the catalog of origin is gone',
    given: { installed: '1.0.0', origin: 'gone', catalogs: [serving('b', chain)] },
    expected: 'upgrade 1.1.0 of 2.0.0 from b/stable',
    because: 'another one has it',
  },
  {
    title: 'the catalog of origin is gone, and no other has the package',
    given: { installed: '1.0.0', origin: 'gone', catalogs: [serving('b', undefined)] },
    expected: 'no CatalogNotFound: catalog,package',
    because: 'it is no news that the others lack it',
  },
  {
    title: 'the catalog of origin is gone, and there is no other',
    given: { installed: '1.0.0', origin: 'gone', catalogs: [] },
    expected: 'no CatalogNotFound: catalog,package',
    because: 'it had the package',
  },
  {
    title: 'the catalog of origin has no content yet',
    given: { installed: '1.0.0', origin: 'a', catalogs: [unavailable('a'), serving('b', chain)] },
    expected: 'no CatalogUnavailable: catalog',
    because: 'it is unknown whether the catalog still has it',
  },
  {
    title: 'another catalog is named',
    given: {
      installed: '1.0.0',
      origin: 'a',
      wanted: { catalog: 'b' },
      catalogs: [serving('a', older), serving('b', chain)],
    },
    expected: 'upgrade 1.1.0 of 2.0.0 from b/stable',
    because: 'the user named the catalog',
  },
  {
    title: 'the named catalog does not exist',
    given: { wanted: { catalog: 'b' } },
    expected: 'no CatalogNotFound: catalog',
    because: 'it may be misspelt',
  },
  {
    title: 'the named catalog has no content yet',
    given: { wanted: { catalog: 'b' }, catalogs: [serving('a', chain), unavailable('b')] },
    expected: 'no CatalogUnavailable: catalog',
    because: 'it will have some',
  },
  {
    title: 'a catalog of lower priority has no content yet',
    given: { catalogs: [serving('a', chain, 1), unavailable('b')] },
    expected: 'install 2.0.0 from a/stable',
    because: 'it could not win',
  },
  {
    title: 'a catalog of the same priority has no content yet',
    given: { catalogs: [serving('a', chain), unavailable('b')] },
    expected: 'install 2.0.0 from a/stable',
    because: 'a broken catalog leaves the others alone',
  },
  {
    title: 'a catalog of higher priority has no content yet',
    given: { catalogs: [serving('a', chain), unavailable('b', 1)] },
    expected: 'no CatalogUnavailable: catalog',
    because: 'it takes precedence, and a first choice binds',
  },
  {
    title: 'two catalogs that differ',
    given: { catalogs: [serving('a', chain), serving('b', older)] },
    expected: 'no AmbiguousCatalogs: ambiguous',
    because: 'no catalog is preferred',
  },
  {
    title: 'two catalogs that offer the same',
    given: { catalogs: [serving('b', chain), serving('a', chain)] },
    expected: 'install 2.0.0 from a/stable',
    because: 'the same bundle by the same image is the same',
  },
  {
    title: 'no catalog at all',
    given: { catalogs: [] },
    expected: 'no PackageNotFound: package',
    because: 'there is nothing to search',
  },
  {
    title: 'a cluster that is too old',
    given: {
      catalogs: [serving('a', requiring('2.0.0', { type: 'slipway.minKubeVersion', value: '1.40' }))],
      cluster: { kubernetesVersion: 'v1.36.1-eks.3', providedKinds: [] },
    },
    expected: 'install 1.1.0 from a/stable',
    because: 'the head needs a newer one',
  },
  {
    title: 'an OpenShift beyond the last version that the head supports',
    given: {
      catalogs: [serving('a', requiring('2.0.0', { type: 'olm.maxOpenShiftVersion', value: '4.8' }))],
      cluster: { openShiftVersion: '4.9.3', providedKinds: [] },
    },
    expected: 'install 2.0.0 from a/stable',
    because: 'the property is about upgrades of the cluster, as in OLM',
  },
  {
    title: 'an OpenShift beyond the last version that a step supports',
    given: {
      installed: '1.0.0',
      catalogs: [serving('a', requiring('1.1.0', { type: 'olm.maxOpenShiftVersion', value: '4.8' }))],
      cluster: { openShiftVersion: '4.9.3', providedKinds: [] },
    },
    expected: 'upgrade 1.1.0 of 2.0.0 from a/stable',
    because: 'operators do not stay behind for ever on a newer OpenShift',
  },
  {
    title: 'a misspelt minKubeVersion',
    given: {
      catalogs: [serving('a', requiring('2.0.0', { type: 'slipway.minKubeVersion', value: 'one.two' }))],
      cluster: { kubernetesVersion: '1.30.0', providedKinds: [] },
    },
    expected: 'install 2.0.0 from a/stable',
    because: 'an invalid requirement is ignored',
  },
  {
    title: 'only a version that the cluster cannot have',
    given: {
      wanted: { version: '2.0.0' },
      catalogs: [serving('a', requiring('2.0.0', { type: 'slipway.minKubeVersion', value: '1.40.0' }))],
      cluster: { kubernetesVersion: '1.30.0', providedKinds: [] },
    },
    expected: 'no ResolutionFailed: cluster,version',
    because: 'another version or another cluster would help',
  },
];

test.each(cases)('$title: $expected, because $because', ({ given, expected }) => {
  expect(brief(ask(given))).toBe(expected);
});

function requiring(version: string, property: Property): CatalogPackage {
  const content = expandPackage('op', chain);
  return {
    ...content,
    bundles: content.bundles.map((bundle) =>
      bundle.version === version ? Object.assign({}, bundle, { properties: [property] }) : bundle,
    ),
  };
}

test('a choice from another catalog names both catalogs', () => {
  const decision = ask({ installed: '1.0.0', origin: 'gone', catalogs: [serving('b', chain)] });
  expect(decision).toMatchObject({ catalogChange: { from: 'gone', to: 'b' } });
});

test('a choice has the deprecations of its bundle', () => {
  const content: CatalogPackage = {
    ...expandPackage('op', chain),
    deprecations: [
      { schema: 'olm.package', message: 'use another' },
      { schema: 'olm.channel', name: 'stable', message: 'use fast' },
      { schema: 'olm.bundle', name: 'op.v1.1.0', message: 'it leaks' },
    ],
  };
  expect(ask({ catalogs: [serving('a', content)] })).toMatchObject({
    deprecations: { package: 'use another', channel: 'use fast' },
  });
  expect(ask({ installed: '1.0.0', wanted: { version: '~1.1' }, catalogs: [serving('a', content)] })).toMatchObject({
    deprecations: { bundle: 'it leaks' },
  });
});

test('a defect of a catalog is an error, not a refusal', () => {
  const broken: CatalogSource = {
    ...serving('a', chain),
    content: () => {
      throw new TypeError('a bug');
    },
  };
  expect(() => ask({ catalogs: [broken] })).toThrow(TypeError);
  const damaged: CatalogSource = {
    ...broken,
    content: () => {
      throw new ReasonedError({ reason: 'CatalogUnavailable', retry: 'backoff', message: 'damaged' });
    },
  };
  expect(brief(ask({ catalogs: [damaged, serving('b', chain)] }))).toBe('install 2.0.0 from b/stable');
});

test.each([
  {
    given: { wanted: { version: 'what' } },
    says: 'Package "op": the version range "what" cannot be parsed: "what" is no constraint',
    hint: 'Write a version as 1.2.3, or a range as ~1.2, ^1.2, 1.x, 1.2 - 1.4 or >=1.2.0 <2.0.0, and several of them with ||; there are: 3.0.0, 2.0.0, 1.1.0, 1.0.0',
  },
  {
    given: { wanted: { channel: 'slow' } },
    says: 'Package "op": the package has no channel "slow" (there are: "stable", "fast")',
    hint: 'Set channel to "fast", which gives 3.0.0',
  },
  {
    given: { wanted: { version: '~3' } },
    says: 'Package "op": these cannot hold together: the version must be in "~3"; the channel is "stable", the default',
    hint: 'Set channel to "fast", which gives 3.0.0; or let version include 2.0.0',
  },
  {
    given: { installed: '2.0.0', wanted: { version: '1.1.0' } },
    says: 'Package "op": these cannot hold together: op.v2.0.0 is installed, and following the graph never goes down; the version must be in "1.1.0"',
    hint: 'Set edges to Ignore to go down to 1.1.0; or let version include 2.0.0, which is installed',
  },
  {
    given: { installed: '0.5.0' },
    says: 'Package "op": the installed op.v0.5.0 is not in the catalog, and no edges lead on from it',
    hint: 'Set edges to Ignore to install 2.0.0 without following the graph; or let op.v2.0.0 in channel "stable" of the catalog accept op.v0.5.0 by replaces, skips or skipRange',
  },
  {
    given: { catalogs: [] },
    says: 'Package "op": there is no catalog to search',
    hint: 'Create a Catalog that has the package; if there is one, see whether its allowedNamespaces or catalogSelector leaves it out',
  },
  {
    given: { catalogs: [serving('a', undefined), unavailable('b')] },
    says: 'Package "op": catalog a does not have it; catalog b has no content yet (the registry is down)',
    hint: 'Wait until the catalog b has content',
  },
  {
    given: { catalogs: [serving('a', chain), unavailable('b', 1)] },
    says: 'Package "op": catalog b takes precedence and has no content yet (the registry is down)',
    hint: 'Set catalog to a; or wait until the catalog b has content',
  },
  {
    given: { catalogs: [serving('a', chain), serving('b', older)] },
    says: 'Package "op": a (2.0.0) and b (1.0.0) offer it with the same priority 0',
    hint: 'Set catalog to a or b',
  },
  {
    given: { wanted: { version: '2.0.0' }, quarantined: ['op.v2.0.0'] },
    says: 'Package "op": these cannot hold together: op.v2.0.0 failed before and is quarantined; the version must be in "2.0.0"',
    hint: 'Let version include 1.1.0; or release op.v2.0.0 from quarantine by asking for a reconcile',
  },
  {
    given: {
      installed: 'v1',
      wanted: { version: '1.0.0' },
      catalogs: [serving('a', { bundles: ['v1'], channels: { stable: [{ version: 'v1' }] } })],
    },
    says: 'Package "op": the version must be in "1.0.0"',
    hint: 'Remove version, which keeps op.vv1',
  },
  { given: {}, says: 'op.v2.0.0 from channel "stable" of catalog a', hint: undefined },
  {
    given: { installed: '1.0.0' },
    says: 'op.v1.1.0 from channel "stable" of catalog a, the first of 2 steps to op.v2.0.0',
    hint: undefined,
  },
  {
    given: { installed: '2.0.0' },
    says: 'op.v2.0.0 is the newest that channel "stable" of catalog a allows',
    hint: undefined,
  },
] as readonly { given: Ask; says: string; hint: string | undefined }[])(
  'a remark says $says',
  ({ given, says, hint }) => {
    const { message, hint: said } = explainDecision(ask(given), 'op');
    expect({ message, hint: said }).toEqual({ message: says, hint });
  },
);

test('each hop of a path has its edge, and why it cannot be left out', () => {
  const decision = ask({ installed: '1.0.0', wanted: { channel: '*' } });
  expect(decision.kind === 'none' ? [] : explainPath(decision.path)).toEqual([
    'op.v1.1.0 (1.1.0): it replaces what is before it; it cannot be left out, as op.v2.0.0 does not accept op.v1.0.0',
    'op.v2.0.0 (2.0.0): it replaces what is before it; it cannot be left out, as op.v3.0.0 does not accept op.v1.1.0',
    'op.v3.0.0 (3.0.0): it replaces what is before it',
  ]);
});

test('every bundle that is not chosen has a cause', () => {
  expect(explainWhyNot(ask({}), '3.0.0')).toEqual(['op.v3.0.0 is not chosen: it is only in channel fast']);
  expect(explainWhyNot(ask({}), 'op.v1.0.0')).toEqual(['op.v1.0.0 is not chosen: op.v2.0.0 is preferred']);
  expect(explainWhyNot(ask({ installed: '1.1.0' }), '1.0.0')).toEqual([
    'op.v1.0.0 is not chosen: it is lower than op.v1.1.0, and following the graph never goes down',
  ]);
  expect(explainWhyNot(ask({ installed: '1.0.0', quarantined: ['op.v1.1.0'] }), '2.0.0')).toEqual([
    'op.v2.0.0 is not chosen: the way to it from op.v1.0.0 is barred: op.v1.1.0: it failed before and is quarantined',
  ]);
  expect(ask({ wanted: { channel: '*' } }).refused.map(({ bundle, cause }) => [bundle, cause.kind])).toEqual([
    ['op.v2.0.0', 'lower'],
    ['op.v1.1.0', 'lower'],
    ['op.v1.0.0', 'lower'],
  ]);
});
