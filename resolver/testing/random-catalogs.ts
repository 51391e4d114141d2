/** Random catalogs with dependencies, the same for the same seed, to compare the planner with other searches. */
import type { CatalogBundle, CatalogPackage, ChannelEntry, Property } from '../../catalog/model.ts';
import type { DependencyQuestion } from '../dependencies/model.ts';
import type { CatalogSource, InstalledPackage } from '../input.ts';
import { kindKey, providedKinds } from '../dependencies/requirements.ts';

/** How large the catalogs are at most. */
export interface Size {
  readonly packages: number;
  readonly versions: number;
  readonly kinds: number;
  readonly installed: number;
}

type Random = (below: number) => number;

/** Numbers that look random; @see https://doi.org/10.18637/jss.v008.i14 "Xorshift RNGs" */
function randomNumbers(seed: number): Random {
  let state = (seed * 2654435761 + 88675123) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

/** One question: the dependencies of version 1 of package p0 of catalog a. */
export function randomQuestion(seed: number, size: Size): DependencyQuestion {
  const random = randomNumbers(seed);
  const names = Array.from({ length: 2 + random(size.packages - 1) }, (_, index) => `p${index}`);
  const catalogs = ['a', 'b'].slice(0, 1 + random(2)).map((name, index) => {
    const offered = names.filter((one) => (one === 'p0' ? index === 0 : random(4) > 0));
    return catalogOf(
      name,
      offered.map((one) => randomPackage(one, names, { random, size })),
      random(2),
    );
  });
  const root = catalogs[0]?.content('p0')?.bundles[0];
  if (root === undefined) throw new Error('the root is missing');
  const installed = names.slice(1).filter(() => random(names.length) < size.installed);
  return {
    root: { package: 'p0', catalog: 'a', bundle: root },
    catalogs,
    cluster: {
      providedKinds: random(4) === 0 ? [kindOf(random(size.kinds))] : [],
      kubernetesVersion: '1.30.0',
      packages: installed.flatMap((name) => installedOf(name, catalogs, random)),
    },
    quarantined: new Set(),
  };
}

/** A catalog that has these packages. */
export function catalogOf(name: string, packages: readonly CatalogPackage[], priority = 0): CatalogSource {
  const contents = new Map(packages.map((one) => [one.name, one]));
  return {
    name,
    priority,
    state: 'Serving',
    content: (one) => contents.get(one),
    packages: () => [...contents.keys()],
    providersOf: (kind) =>
      packages
        .filter(({ bundles }) =>
          bundles.some(({ properties }) => providedKinds(properties).some((one) => kindKey(one) === kindKey(kind))),
        )
        .map((one) => one.name),
  };
}

interface Scope {
  readonly random: Random;
  readonly size: Size;
}

function randomPackage(name: string, names: readonly string[], { random, size }: Scope): CatalogPackage {
  const bundles = Array.from({ length: 1 + random(size.versions) }, (_, index): CatalogBundle => {
    const version = `${index + 1}.0.0`;
    const properties: Property[] = [{ type: 'olm.package', value: { packageName: name, version } }];
    for (let kind = 0; kind < size.kinds; kind++)
      if (random(5) === 0) properties.push({ type: 'olm.gvk', value: kindOf(kind) });
    const count = name === 'p0' ? 1 + random(3) : random(3);
    for (let at = 0; at < count; at++) properties.push(randomRequirement(names, { random, size }));
    if (random(8) === 0) properties.push({ type: 'slipway.minKubeVersion', value: '1.31.0' });
    return {
      name: `${name}.v${index + 1}`,
      package: name,
      version,
      image: `registry.example/${name}:${version}`,
      properties,
      relatedImages: [],
    };
  });
  const inMain = bundles.map(() => random(6) > 0);
  const entriesOf = (isIn: (index: number) => boolean): ChannelEntry[] =>
    bundles.flatMap((_, index) => (isIn(index) ? [randomEntry(name, index, random)] : []));
  const main = { name: 'main', entries: entriesOf((index) => inMain[index] === true) };
  const next = { name: 'next', entries: entriesOf((index) => inMain[index] !== true || random(3) === 0) };
  const deprecations = bundles
    .filter(() => random(6) === 0)
    .map((bundle) => ({ schema: 'olm.bundle' as const, name: bundle.name, message: 'it has a fault' }));
  return { name, defaultChannel: 'main', channels: [main, next], bundles, deprecations };
}

/** An entry that follows the one before it, or some of those before that, or nothing. */
function randomEntry(name: string, index: number, random: Random): ChannelEntry {
  const earlier = random(6) === 0 && index > 0 ? [`${name}.v${1 + random(index)}`] : [];
  return {
    name: `${name}.v${index + 1}`,
    skips: earlier,
    ...(index > 0 && random(4) > 0 && { replaces: `${name}.v${index}` }),
    ...(random(8) === 0 && { skipRange: `<${1 + random(index + 1)}.0.0` }),
  };
}

function randomRequirement(names: readonly string[], scope: Scope): Property {
  const { random, size } = scope;
  const packageName = names[random(names.length)] ?? '';
  const versionRange = randomRange(scope);
  switch (random(6)) {
    case 0:
    case 1:
    case 2:
      return { type: 'olm.package.required', value: { packageName, versionRange } };
    case 3:
      return { type: 'olm.gvk.required', value: kindOf(random(size.kinds)) };
    default:
      return { type: 'olm.constraint', value: randomConstraint(names, scope, 2) };
  }
}

function randomConstraint(names: readonly string[], scope: Scope, depth: number): Record<string, unknown> {
  const { random, size } = scope;
  const choice = random(depth > 0 ? 6 : 3);
  if (choice === 0) return { gvk: kindOf(random(size.kinds)) };
  if (choice === 1) return { package: { packageName: names[random(names.length)], versionRange: randomRange(scope) } };
  if (choice === 2) return { cel: { rule: randomRule(names, scope) } };
  const constraints = Array.from({ length: 1 + random(2) }, () => randomConstraint(names, scope, depth - 1));
  return { [['all', 'any', 'not'][choice - 3] ?? 'all']: { constraints } };
}

function randomRule(names: readonly string[], { random, size }: Scope): string {
  const provides = `properties.exists(p, p.type == "olm.gvk" && p.value.kind == "K${random(size.kinds)}")`;
  const name = names[random(names.length)];
  const is = `properties.exists(p, p.type == "olm.package" && p.value.packageName == "${name}" && semver_compare(p.value.version, "2.0") >= 0)`;
  return [provides, is, `${is} && ${provides}`][random(3)] ?? is;
}

function randomRange({ random, size }: Scope): string {
  const version = `${1 + random(size.versions)}.0.0`;
  return [`>=${version}`, `<=${version}`, version, `!=${version}`, '>=1.0.0'][random(5)] ?? version;
}

function kindOf(number: number): { readonly group: string; readonly version: string; readonly kind: string } {
  return { group: 'example.com', version: 'v1', kind: `K${number}` };
}

function installedOf(name: string, catalogs: readonly CatalogSource[], random: Random): InstalledPackage[] {
  const source = catalogs.find((catalog) => catalog.content(name) !== undefined);
  const bundles = source?.content(name)?.bundles ?? [];
  const bundle = bundles[random(Math.max(1, bundles.length))];
  if (source === undefined || bundle === undefined) return [];
  const { version, properties, image } = bundle;
  return [
    {
      package: name,
      bundle: bundle.name,
      version,
      catalog: source.name,
      image,
      properties,
      dependency: random(2) === 0,
    },
  ];
}
