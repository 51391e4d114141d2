import { expect, test } from 'vitest';
import type { CatalogPackage, Property } from '../../catalog/model.ts';
import { explainDecision } from '../explain.ts';
import type { InstalledPackage, Wanted } from '../input.ts';
import { resolve } from '../resolve.ts';
import { catalogOf } from '../testing/random-catalogs.ts';
import { readCases } from '../testing/small-catalogs.ts';

interface SmallBundle {
  readonly provides?: readonly string[];
  readonly needs?: readonly Readonly<Record<string, unknown>>[];
  readonly minKube?: string;
}

interface Case {
  readonly title: string;
  readonly because: string;
  readonly package?: string;
  readonly from?: string;
  readonly catalogs: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, SmallBundle>>>>>>;
  readonly priorities?: Readonly<Record<string, number>>;
  readonly served?: readonly string[];
  readonly installed?: readonly (SmallBundle &
    Pick<InstalledPackage, 'package' | 'version'> &
    Partial<InstalledPackage>)[];
  readonly dependencies?: Wanted['dependencies'];
  readonly expect: {
    readonly next?: string;
    readonly steps?: readonly string[];
    readonly reason?: string;
    readonly says?: string;
    readonly hint?: string;
  };
}

const { cases } = readCases('dependencies.yaml') as { readonly cases: readonly Case[] };

test.each(cases)('$title, because $because', (one) => {
  const name = one.package ?? 'web';
  const decision = resolve({
    wanted: { package: name, edges: 'Follow', dependencies: one.dependencies ?? 'Install' },
    ...(one.from !== undefined && {
      installed: { bundle: `${name}.v${one.from}`, version: one.from, catalog: 'a', image: '' },
    }),
    catalogs: Object.entries(one.catalogs).map(([catalog, packages]) =>
      catalogOf(
        catalog,
        Object.entries(packages).map(([each, versions]) => packageOf(each, versions)),
        one.priorities?.[catalog],
      ),
    ),
    quarantined: [],
    cluster: {
      kubernetesVersion: 'v1.36.0',
      providedKinds: (one.served ?? []).map(kindOf),
      packages: (one.installed ?? []).map((each) => ({
        bundle: `${each.package}.v${each.version}`,
        catalog: 'a',
        image: '',
        dependency: false,
        ...each,
        properties: propertiesOf(each.package, each.version, each),
      })),
    },
  });
  const said = explainDecision(decision, name);
  const found =
    decision.kind === 'none'
      ? { reason: said.reason, says: said.message, hint: said.hint }
      : {
          next: decision.next.version,
          steps: decision.dependencies.map(
            (step) =>
              `${step.kind} ${step.package} ${step.bundle.version} from ${step.catalog} for ${step.neededBy.join(' and ')}`,
          ),
        };
  expect(found).toMatchObject(one.expect);
});

function packageOf(name: string, versions: Readonly<Record<string, SmallBundle>>): CatalogPackage {
  const bundles = Object.entries(versions).map(([version, small]) => ({
    name: `${name}.v${version}`,
    package: name,
    version,
    image: `registry.example/${name}:v${version}`,
    properties: propertiesOf(name, version, small),
    relatedImages: [],
  }));
  const entries = bundles.map((bundle, at) => ({
    name: bundle.name,
    skips: [],
    ...(at > 0 && { replaces: bundles[at - 1]?.name ?? '' }),
  }));
  return { name, defaultChannel: 'main', channels: [{ name: 'main', entries }], bundles, deprecations: [] };
}

function propertiesOf(
  packageName: string,
  version: string,
  { provides = [], needs = [], minKube }: SmallBundle,
): readonly Property[] {
  return [
    { type: 'olm.package', value: { packageName, version } },
    ...provides.map((kind) => ({ type: 'olm.gvk', value: kindOf(kind) })),
    ...needs.map((need): Property => {
      if ('kind' in need) return { type: 'olm.gvk.required', value: kindOf(String(need['kind'])) };
      if ('range' in need)
        return { type: 'olm.package.required', value: { packageName: need['package'], versionRange: need['range'] } };
      return { type: 'olm.constraint', value: 'cel' in need ? { cel: { rule: need['cel'] } } : need };
    }),
    ...(minKube === undefined ? [] : [{ type: 'slipway.minKubeVersion', value: minKube }]),
  ];
}

function kindOf(kind: string): { readonly group: string; readonly version: string; readonly kind: string } {
  return { group: 'example.com', version: 'v1', kind };
}
