import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import type { Property } from '../catalog/model.ts';
import type { ResolveInput, Wanted } from './input.ts';
import { resolve } from './resolve.ts';
import { chainOf, packageOf, serving } from './testing/ask.ts';
import { catalogOf } from './testing/random-catalogs.ts';
import { anyPackage, anyVersion, CHANNELS, nameOf, OLD_CLUSTER, RANGES } from './testing/random-packages.ts';
import { expandPackage, type SmallPackage } from './testing/small-catalogs.ts';
import { explainVersion, type VersionExplanation } from './why-not.ts';

const chain = chainOf('1.0.0', '1.1.0', '2.0.0');
const fast: SmallPackage = {
  bundles: ['1.0.0', '1.1.0', '2.0.0'],
  channels: {
    stable: [{ version: '1.0.0' }, { version: '1.1.0', replaces: '1.0.0' }],
    fast: [{ version: '2.0.0', skipRange: '<2.0.0' }],
  },
};
const loose: SmallPackage = {
  bundles: ['1.0.0', '2.0.0', '3.0.0'],
  channels: { stable: [{ version: '1.0.0' }, { version: '3.0.0' }, { version: '2.0.0', replaces: '1.0.0' }] },
};
const needs = (packageName: string): Property => ({
  type: 'olm.package.required',
  value: { packageName, versionRange: '>=1.0.0' },
});
const needsKubernetes: Property = { type: 'slipway.minKubeVersion', value: '1.40' };

type Given = Partial<Omit<ResolveInput, 'wanted' | 'installed'>> & {
  readonly wanted?: Partial<Wanted>;
  readonly installed?: string;
};

function questionOf({ wanted, installed, ...rest }: Given): ResolveInput {
  return {
    wanted: { package: 'op', edges: 'Follow', dependencies: 'Install', ...wanted },
    ...(installed !== undefined && {
      installed: { bundle: `op.v${installed}`, version: installed, catalog: 'a', image: 'x' },
    }),
    catalogs: [serving('a', chain)],
    quarantined: [],
    cluster: { providedKinds: [] },
    ...rest,
  };
}

function explain(given: Given, asked: string): VersionExplanation {
  const input = questionOf(given);
  return explainVersion(input, resolve(input), asked);
}

describe('the standing of a version', () => {
  test.each<{ because: string; given: Given; asked: string; standing: VersionExplanation['standing'] }>([
    { because: 'the path ends there', given: {}, asked: '2.0.0', standing: 'Chosen' },
    { because: 'the question names its bundle', given: {}, asked: 'op.v2.0.0', standing: 'Chosen' },
    { because: 'it is installed and stays', given: { installed: '2.0.0' }, asked: '2.0.0', standing: 'Chosen' },
    { because: 'it comes before the end', given: { installed: '1.0.0' }, asked: '1.1.0', standing: 'OnTheWay' },
    { because: 'it is upgraded away', given: { installed: '1.0.0' }, asked: '1.0.0', standing: 'Installed' },
    { because: 'a catalog has it', given: {}, asked: '1.0.0', standing: 'Refused' },
    { because: 'no catalog has it', given: {}, asked: '1.0.5', standing: 'NotOffered' },
    {
      because: 'no catalog has the package',
      given: { wanted: { package: 'no' } },
      asked: '1.0.0',
      standing: 'NotOffered',
    },
  ])('a version stands as $standing, where $because', ({ given, asked, standing }) => {
    expect(explain(given, asked).standing).toBe(standing);
  });

  test('a chosen version stands as Chosen without any sentence', () => {
    expect(explain({}, '2.0.0')).toEqual({ standing: 'Chosen', causes: [], changes: [] });
  });
});

interface Case {
  readonly because: string;
  readonly given: Given;
  readonly asked: string;
  readonly causes: readonly string[];
  readonly changes: readonly string[];
}

describe('explanations of a version that is not chosen, with changes that help', () => {
  test.each<Case>([
    {
      because: 'a higher version exists',
      given: {},
      asked: '1.1.0',
      causes: ['op.v1.1.0 is not chosen: op.v2.0.0 is preferred'],
      changes: ['Set version to 1.1.0'],
    },
    {
      because: 'it is installed, and stays',
      given: { installed: '1.1.0' },
      asked: '1.1.0',
      causes: ['op.v1.1.0 is installed, and op.v2.0.0 follows it'],
      changes: ['Set version to 1.1.0'],
    },
    {
      because: 'the range is too narrow',
      given: { wanted: { version: '~1.0' } },
      asked: '2.0.0',
      causes: ['op.v2.0.0 is not chosen: it is not in the range "~1.0"'],
      changes: ['Set version to 2.0.0'],
    },
    {
      because: 'it is in another channel, whose head it is',
      given: { catalogs: [serving('a', fast)] },
      asked: '2.0.0',
      causes: ['op.v2.0.0 is not chosen: it is only in channel fast'],
      changes: ['Set channel to "fast", which gives 2.0.0'],
    },
    {
      because: 'a channel does not help while a range excludes it',
      given: { catalogs: [serving('a', fast)], wanted: { version: '<2.0.0' } },
      asked: '2.0.0',
      causes: ['op.v2.0.0 is not chosen: it is only in channel fast'],
      changes: ['Set version to 2.0.0, and set channel to "fast", which gives 2.0.0'],
    },
    {
      because: 'it is lower, and leaving the graph aside alone would stay where it is',
      given: { installed: '2.0.0' },
      asked: '1.0.0',
      causes: ['op.v1.0.0 is not chosen: it is lower than op.v2.0.0, and following the graph never goes down'],
      changes: ['Set version to 1.0.0, and set edges to Ignore to go down to 1.0.0'],
    },
    {
      because: 'it is in another channel, and lower',
      given: { installed: '2.0.0', wanted: { channel: 'fast' }, catalogs: [serving('a', fast)] },
      asked: '1.0.0',
      causes: ['op.v1.0.0 is not chosen: it is only in channel stable'],
      changes: [
        'Set version to 1.0.0, and set channel to "stable", which gives 1.0.0, and set edges to Ignore to go down to 1.0.0',
      ],
    },
    {
      because: 'it is in another channel, and lower, while another change would be simpler',
      given: {
        installed: '2.0.0',
        catalogs: [
          serving('a', {
            bundles: ['1.0.0', '2.0.0', '3.0.0'],
            channels: { stable: [{ version: '2.0.0' }, { version: '3.0.0' }], old: [{ version: '1.0.0' }] },
          }),
        ],
      },
      asked: '1.0.0',
      causes: ['op.v1.0.0 is not chosen: it is only in channel old'],
      changes: [
        'Set channel to "old", which gives 1.0.0, and set edges to Ignore to install 1.0.0 without following the graph',
      ],
    },
    {
      because: 'no edge leads to it',
      given: { installed: '1.0.0', catalogs: [serving('a', loose)] },
      asked: '3.0.0',
      causes: ['op.v3.0.0 is not chosen: no edges lead to it from op.v1.0.0'],
      changes: [
        'Set edges to Ignore to install 3.0.0 without following the graph',
        'Let op.v3.0.0 in channel "stable" of the catalog accept op.v1.0.0 by replaces, skips or skipRange',
      ],
    },
    {
      because: 'it failed',
      given: { quarantined: ['op.v2.0.0'] },
      asked: '2.0.0',
      causes: ['op.v2.0.0 is not chosen: it failed before and is quarantined'],
      changes: ['Release op.v2.0.0 from quarantine by asking for a reconcile'],
    },
    {
      because: 'the cluster is too old',
      given: {
        cluster: { kubernetesVersion: '1.30.0', providedKinds: [] },
        catalogs: [serving('a', packageOf('op', chain, { properties: { '2.0.0': [needsKubernetes] } }))],
      },
      asked: '2.0.0',
      causes: ['op.v2.0.0 is not chosen: it needs Kubernetes 1.40 and the cluster has 1.30.0'],
      changes: ['Upgrade the cluster to Kubernetes 1.40'],
    },
    {
      because: 'it lacks a dependency',
      given: { catalogs: [serving('a', packageOf('op', chain, { properties: { '2.0.0': [needs('gone')] } }))] },
      asked: '2.0.0',
      causes: [
        'op.v2.0.0 is not chosen: its dependencies cannot be satisfied: op.v2.0.0 needs gone in ">=1.0.0", which no catalog has',
      ],
      changes: ['Add a catalog that has gone in ">=1.0.0"'],
    },
    {
      because: 'a dependency may not be installed',
      given: {
        wanted: { dependencies: 'Require' },
        catalogs: [
          serving(
            'a',
            packageOf('op', chain, { properties: { '2.0.0': [needs('lib')] } }),
            expandPackage('lib', chainOf('1.0.0')),
          ),
        ],
      },
      asked: '2.0.0',
      causes: [
        'op.v2.0.0 is not chosen: its dependencies cannot be satisfied: op.v2.0.0 needs lib in ">=1.0.0" (there is: 1.0.0); dependencies must be there already',
      ],
      changes: ['Set dependencies to Install'],
    },
    {
      because: 'no catalog has it',
      given: {},
      asked: '9.0.0',
      causes: ['no catalog has "9.0.0" of package "op" (there are: 2.0.0, 1.1.0, 1.0.0)'],
      changes: [],
    },
    {
      because: 'no catalog has the package, which is the answer for every version',
      given: { wanted: { package: 'no' } },
      asked: '9.0.0',
      causes: ['Package "no": catalog a does not have it'],
      changes: [],
    },
    {
      because: 'nothing is chosen at all, and its way is barred by the same fact',
      given: { installed: '1.0.0', quarantined: ['op.v1.1.0'], wanted: { version: '2.0.0' } },
      asked: '2.0.0',
      causes: [
        'op.v2.0.0 is not chosen: the way to it from op.v1.0.0 is barred: op.v1.1.0: it failed before and is quarantined',
      ],
      changes: [
        'Release op.v1.1.0 from quarantine by asking for a reconcile',
        'Set edges to Ignore to install 2.0.0 without following the graph',
        'Let op.v2.0.0 in channel "stable" of the catalog accept op.v1.0.0 by replaces, skips or skipRange',
      ],
    },
    {
      because: 'the installed bundle stays with its catalog',
      given: { installed: '1.0.0', catalogs: [serving('a', chainOf('1.0.0')), serving('b', chain)] },
      asked: '2.0.0',
      causes: ['op.v2.0.0 is not chosen: only catalog b has it, and the installed version stays with catalog a'],
      changes: ['Set catalog to b, which gives 2.0.0'],
    },
    {
      because: 'another catalog goes before the one that has it',
      given: { catalogs: [{ ...serving('a', chainOf('1.0.0')), priority: 1 }, serving('b', loose)] },
      asked: '2.0.0',
      causes: ['op.v2.0.0 is not chosen: only catalog b has it, and catalog a goes before it'],
      changes: ['Set version to 2.0.0'],
    },
  ])('$because', ({ given, asked, causes, changes }) => {
    const told = explain(given, asked);
    expect(told.causes).toEqual(causes);
    expect(told.changes).toEqual(changes);
  });
});

const question: fc.Arbitrary<ResolveInput> = fc
  .record({
    wanted: fc.record(
      {
        package: fc.constant('thing'),
        channel: fc.constantFrom(...CHANNELS),
        version: fc.constantFrom(...RANGES),
        edges: fc.constantFrom('Follow' as const, 'Ignore' as const),
        dependencies: fc.constantFrom('Install' as const, 'Require' as const, 'Ignore' as const),
      },
      { requiredKeys: ['package', 'edges', 'dependencies'] },
    ),
    content: anyPackage,
    installed: fc.option(anyVersion),
    quarantined: fc.array(anyVersion.map(nameOf), { maxLength: 2 }),
    cluster: fc.constantFrom(OLD_CLUSTER, { providedKinds: [] }),
  })
  .map(({ content, installed, ...rest }) => ({
    ...rest,
    ...(installed !== null && {
      installed: { bundle: nameOf(installed), version: installed, catalog: 'a', image: 'x' },
    }),
    catalogs: [catalogOf('a', [content, expandPackage('lib', chainOf('1.0.0'))])],
  }));

/** The question after following an instruction; undefined if others have to act. */
function obey(instruction: string, input: ResolveInput): ResolveInput | undefined {
  let changed: ResolveInput | undefined = input;
  for (const part of instruction.split(', and ')) changed = changed && obeyPart(part, changed);
  return changed;
}

function obeyPart(part: string, input: ResolveInput): ResolveInput | undefined {
  const [, field, value = ''] = /^set (version|channel|edges|dependencies) to ("[^"]*"|[^ ,]+)/i.exec(part) ?? [];
  if (field !== undefined) return { ...input, wanted: { ...input.wanted, [field]: value.replaceAll('"', '') } };
  const [, released] = /^release (.*) from quarantine/i.exec(part) ?? [];
  if (released === undefined) return undefined;
  return { ...input, quarantined: input.quarantined.filter((one) => !released.includes(one)) };
}

test('every change that why-not suggests leads to the version, and every version that is not chosen has a cause', () => {
  const seen = { Chosen: 0, OnTheWay: 0, Installed: 0, Refused: 0, NotOffered: 0, obeyed: 0 };
  const check = (input: ResolveInput, asked: string): void => {
    const { standing, causes, changes } = explainVersion(input, resolve(input), asked);
    seen[standing]++;
    expect(causes.length > 0).toBe(standing !== 'Chosen' && standing !== 'OnTheWay');
    for (const change of changes) {
      const changed = obey(change, input);
      if (changed === undefined) continue;
      const decision = resolve(changed);
      expect(decision.kind === 'none' ? 'nothing' : decision.bundle.version, change).toBe(asked);
      seen.obeyed++;
    }
  };
  fc.assert(
    fc.property(question, (input) => {
      const bundles = input.catalogs[0]?.content('thing')?.bundles ?? [];
      for (const { version } of bundles) check(input, version);
    }),
    { numRuns: runsOf(150) },
  );
  expect(Math.min(seen.Chosen, seen.Refused, seen.obeyed), JSON.stringify(seen)).toBeGreaterThan(runsOf(20));
});
