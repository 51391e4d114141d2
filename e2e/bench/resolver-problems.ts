/**
 * Dependency problems that are larger than any published: always the same packages, in which a plan has to be looked
 * for, and some questions about them.
 */
import type { CatalogBundle, CatalogPackage, Property } from '../../catalog/model.ts';
import type { Decision } from '../../resolver/decision.ts';
import type { CatalogSource, InstalledPackage, ResolveInput, UpgradeWay } from '../../resolver/input.ts';

export interface DependencyProblem {
  readonly packages: number;
  readonly bundles: number;
  readonly questions: readonly { readonly what: string; readonly input: ResolveInput; readonly budget: number }[];
}

const PACKAGES = 600;
const VERSIONS = 30;

/** 600 packages with 30 versions each, all of them reachable from the first. */
export const LARGE_PROBLEM: DependencyProblem = describeLarge();

/** One package of 1,000 versions, none of which has satisfiable dependencies: every one of them is tried. */
export const LONG_PACKAGE: DependencyProblem = describeLong();

/** One package of 1,000 versions, each of which may follow any lower one, and 20 upgrades that need some of them. */
export const NEEDED_PACKAGE: DependencyProblem = describeNeeded();

/** Catalogs of which few words describe as many edges as the square of their bundles. */
export const DENSE_PACKAGES: readonly DependencyProblem[] = [describeEqual(), describeUnordered(), describeBusy()];

/** What came out of a question. */
export function describeProblem({ packages, bundles }: DependencyProblem, decision: Decision): string {
  const size = `${packages} packages, ${bundles} bundles`;
  return decision.kind === 'none'
    ? `${size}: refused for ${decision.because.length} facts`
    : `${size}: ${decision.dependencies.length} steps before ${decision.next.name}`;
}

function describeLarge(): DependencyProblem {
  const packages = Array.from({ length: PACKAGES }, (_, index) => packageOf(index, needsOf));
  const impossible = packages.map((one, index) => (index === PACKAGES - 1 ? packageOf(index, needsOfLast) : one));
  const installed = packages.slice(1).filter((_, index) => index % 3 === 0);
  const size = `dependencies among ${PACKAGES} packages, ${PACKAGES * VERSIONS} bundles`;
  const ask = (offered: readonly CatalogPackage[], present: readonly CatalogPackage[]): ResolveInput => ({
    wanted: { package: nameOf(0), edges: 'Follow', dependencies: 'Install', version: `${VERSIONS}.0.0` },
    catalogs: [sourceOf(offered)],
    quarantined: [],
    cluster: { providedKinds: [], packages: present.map(installedOf) },
  });
  return {
    packages: PACKAGES,
    bundles: PACKAGES * VERSIONS,
    questions: [
      { what: `${size}, nothing installed`, input: ask(packages, []), budget: 1000 },
      { what: `${size}, 200 installed as dependencies`, input: ask(packages, installed), budget: 1000 },
      { what: `${size}, impossible`, input: ask(impossible, []), budget: 1000 },
    ],
  };
}

function describeLong(): DependencyProblem {
  const versions = 1000;
  const bundles = Array.from({ length: versions }, (_, at) => bundleOf('long', at + 1, [required('gone', '>=1.0.0')]));
  const content = chained('long', bundles);
  const ask = (from: number): ResolveInput => ({
    wanted: { package: 'long', edges: 'Follow', dependencies: 'Install' },
    catalogs: [sourceOf([content])],
    quarantined: [],
    cluster: { providedKinds: [] },
    ...(from > 0 && { installed: { bundle: `long.v${from}`, version: `${from}.0.0`, catalog: 'large', image: '' } }),
  });
  const what = 'a package of 1,000 versions, none of which can have what it needs';
  return {
    packages: 1,
    bundles: versions,
    questions: [
      { what: `${what}, first installation`, input: ask(0), budget: 1000 },
      { what: `${what}, upgrade`, input: ask(1), budget: 1000 },
    ],
  };
}

function describeNeeded(): DependencyProblem {
  const versions = 1000;
  const bundles = Array.from({ length: versions }, (_, at) => bundleOf('needed', at + 1, []));
  const entries = bundles.map(({ name, version }) => ({ name, skips: [], skipRange: `<${version}` }));
  const content = { ...chained('needed', bundles), channels: [{ name: 'stable', entries }] };
  const ways = Array.from({ length: 20 }, (_, at) => ({
    subscription: `market/shop-${at}`,
    steps: ['>=1.0.0', `>=${100 + at}.0.0`, `<=${500 - at}.0.0`].map((range, step) => ({
      bundle: `shop.v${step + 2}`,
      properties: [required('needed', range)],
    })),
  }));
  const input: ResolveInput = {
    wanted: { package: 'needed', edges: 'Follow', dependencies: 'Install' },
    catalogs: [sourceOf([content])],
    quarantined: [],
    cluster: { providedKinds: [], ways: () => ways },
    installed: { bundle: 'needed.v1', version: '1.0.0', catalog: 'large', image: '' },
  };
  const what = 'a package of 1,000 versions, some of which 20 upgrades of others need';
  return { packages: 1, bundles: versions, questions: [{ what, input, budget: 1000 }] };
}

/** 1,500 bundles of one version text, each of which may follow every other, and a step that none of them makes possible. */
function describeEqual(): DependencyProblem {
  const content = denseOf(1500, () => ({ version: '2.0.0', skipRange: '<9.0.0' }));
  const questions = [1, 8].map((steps) => ({
    what: `a package of 1,500 bundles of the same version, and an upgrade with ${steps} impossible steps`,
    input: askDense(content, [
      wayOf(
        'shop',
        Array.from({ length: steps }, () => '=7.0.0'),
      ),
    ]),
    budget: 1000,
  }));
  return { packages: 1, bundles: 1500, questions };
}

/** 5,000 versions without regard to edges: each of them may follow every lower one. */
function describeUnordered(): DependencyProblem {
  const content = denseOf(5000, (at) => ({ version: `${at + 2}.0.0` }));
  const asked = askDense(content, [wayOf('shop', ['>=1.0.0', '<=2500.0.0'])]);
  const input: ResolveInput = { ...asked, wanted: { ...asked.wanted, edges: 'Ignore' } };
  const what = 'a package of 5,000 versions whose edges are ignored, some of which an upgrade needs';
  return { packages: 1, bundles: 5000, questions: [{ what, input, budget: 1000 }] };
}

/** More steps of more upgrades than the effort for them allows: the package stays as it is. */
function describeBusy(): DependencyProblem {
  const content = denseOf(1500, () => ({ version: '2.0.0', skipRange: '<9.0.0' }));
  const ranges = Array.from({ length: 2000 }, () => '=7.0.0');
  const ways = Array.from({ length: 100 }, (_, at) => wayOf(`shop-${at}`, ranges));
  const what = 'a package of 1,500 bundles of the same version, and 100 upgrades of 2,000 steps: given up';
  return { packages: 1, bundles: 1500, questions: [{ what, input: askDense(content, ways), budget: 1000 }] };
}

function denseOf(
  count: number,
  entryOf: (at: number) => { readonly version: string; readonly skipRange?: string },
): CatalogPackage {
  const described = Array.from({ length: count }, (_, at) => ({ ...entryOf(at), name: `dense.v${at + 2}` }));
  const bundles = described.map(({ version }, at) => ({ ...bundleOf('dense', at + 2, []), version }));
  const entries = described.map(({ version: _version, ...entry }) => ({ ...entry, skips: [] }));
  return { ...chained('dense', bundles), channels: [{ name: 'stable', entries }] };
}

function wayOf(name: string, ranges: readonly string[]): UpgradeWay {
  const steps = ranges.map((range, at) => ({ bundle: `${name}.v${at + 2}`, properties: [required('dense', range)] }));
  return { subscription: `market/${name}`, steps };
}

function askDense(content: CatalogPackage, ways: readonly UpgradeWay[]): ResolveInput {
  return {
    wanted: { package: 'dense', edges: 'Follow', dependencies: 'Install' },
    catalogs: [sourceOf([content])],
    quarantined: [],
    cluster: { providedKinds: [], ways: () => ways },
    installed: { bundle: 'dense.v1', version: '1.0.0', catalog: 'large', image: '' },
  };
}

/**
 * Each version needs some of the packages after it, in ranges some of which exclude each other, and
 * the provider of a kind. One choice of versions fits, so that there is a plan.
 */
function needsOf(index: number, version: number): readonly Property[] {
  const needs: Property[] = [];
  for (const step of [1, 7, 31]) {
    const other = index + step;
    if (other >= PACKAGES) continue;
    const fits = version === plannedOf(index) ? plannedOf(other) : 1 + ((index * 7 + version * 11 + step) % VERSIONS);
    const below = step === 7 ? ` <${fits + 9}.0.0` : '';
    needs.push(required(nameOf(other), `>=${Math.max(1, fits - 9)}.0.0${below}`));
  }
  if (index % 10 === 0) needs.push({ type: 'olm.gvk.required', value: kindOf(Math.floor(index / 20)) });
  return needs;
}

function plannedOf(index: number): number {
  return index === 0 ? VERSIONS : 1 + ((index * 13) % VERSIONS);
}

/** The last package excludes the versions of another one that its dependents require. */
function needsOfLast(): readonly Property[] {
  return [required(nameOf(PACKAGES - 2), '>=999.0.0')];
}

function packageOf(index: number, needs: (index: number, version: number) => readonly Property[]): CatalogPackage {
  const name = nameOf(index);
  const provides: readonly Property[] =
    index % 20 === 19 ? [{ type: 'olm.gvk', value: kindOf(Math.floor(index / 20)) }] : [];
  const bundles = Array.from({ length: VERSIONS }, (_, at) =>
    bundleOf(name, at + 1, [...provides, ...needs(index, at + 1)]),
  );
  return chained(name, bundles);
}

function chained(name: string, bundles: readonly CatalogBundle[]): CatalogPackage {
  const entries = bundles.map((bundle, at) => ({
    name: bundle.name,
    skips: [],
    ...(at > 0 && { replaces: bundles[at - 1]?.name ?? '' }),
  }));
  return { name, defaultChannel: 'stable', channels: [{ name: 'stable', entries }], bundles, deprecations: [] };
}

function bundleOf(name: string, version: number, needs: readonly Property[]): CatalogBundle {
  const text = `${version}.0.0`;
  return {
    name: `${name}.v${version}`,
    package: name,
    version: text,
    image: `registry.invalid/${name}:v${version}`,
    properties: [{ type: 'olm.package', value: { packageName: name, version: text } }, ...needs],
    relatedImages: [],
  };
}

function required(packageName: string, versionRange: string): Property {
  return { type: 'olm.package.required', value: { packageName, versionRange } };
}

function kindOf(number: number): { readonly group: string; readonly version: string; readonly kind: string } {
  return { group: 'example.invalid', version: 'v1', kind: `Thing${number}` };
}

function sourceOf(packages: readonly CatalogPackage[]): CatalogSource {
  const contents = new Map(packages.map((one) => [one.name, one]));
  const providers = new Map<string, string[]>();
  for (const { name, bundles } of packages) {
    for (const { type, value } of bundles[0]?.properties ?? []) {
      const { kind } = value as { readonly kind?: string };
      if (type === 'olm.gvk' && kind !== undefined) providers.set(kind, [...(providers.get(kind) ?? []), name]);
    }
  }
  return {
    name: 'large',
    priority: 0,
    state: 'Serving',
    content: (name) => contents.get(name),
    packages: () => [...contents.keys()],
    providersOf: ({ kind }) => providers.get(kind) ?? [],
  };
}

/** Installed long ago, as a dependency of something. */
function installedOf({ name, bundles }: CatalogPackage): InstalledPackage {
  const [bundle] = bundles;
  if (bundle === undefined) throw new Error(`${name} has no bundles`);
  const { properties, version, image } = bundle;
  return { package: name, bundle: bundle.name, version, image, properties, catalog: 'large', dependency: true };
}

function nameOf(index: number): string {
  return `p${String(index).padStart(3, '0')}`;
}
