import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import type { CatalogBundle, CatalogPackage } from '../catalog/model.ts';
import { isInside, originOf } from './selection.ts';
import type { Choice, Conflict } from './decision.ts';
import { explainDecision } from './explain.ts';
import { edgeInto, upgradeGraph } from './graph.ts';
import type { CatalogSource, ResolveInput, Wanted } from './input.ts';
import { parseMastermindsRange } from './ranges/masterminds.ts';
import { resolve } from './resolve.ts';
import { applySuggestion, saysToStay } from './testing/apply-suggestion.ts';
import { anyPackage, anyVersion, CHANNELS, nameOf, OLD_CLUSTER, RANGES } from './testing/random-packages.ts';
import { expandPackage } from './testing/small-catalogs.ts';
import { compareBundleVersions, parseBundleVersion, parseVersion } from './version.ts';

const RUNS = { numRuns: runsOf(1500) };
/** Runs for rare cases that must occur at least once. */
const MANY = { numRuns: runsOf(4500) };

const wanted: fc.Arbitrary<Wanted> = fc.record(
  {
    package: fc.constant('thing'),
    channel: fc.constantFrom(...CHANNELS),
    version: fc.constantFrom(...RANGES),
    edges: fc.constantFrom('Follow' as const, 'Follow' as const, 'Ignore' as const),
    dependencies: fc.constantFrom('Install' as const, 'Require' as const, 'Ignore' as const),
  },
  { requiredKeys: ['package', 'edges', 'dependencies'] },
);

const question: fc.Arbitrary<ResolveInput> = fc
  .record({
    wanted,
    content: anyPackage,
    installed: fc.option(anyVersion),
    quarantined: fc.array(anyVersion.map(nameOf), { maxLength: 2 }),
    cluster: fc.constantFrom(OLD_CLUSTER, { providedKinds: [] }),
  })
  .map(({ wanted: asked, content, installed, quarantined, cluster }) => ({
    wanted: asked,
    ...(installed !== null && {
      installed: { bundle: nameOf(installed), version: installed, catalog: 'a', image: 'x' },
    }),
    catalogs: [source('a', content)],
    quarantined,
    cluster,
  }));

const lib = expandPackage('lib', { bundles: ['1.0.0'], channels: { stable: [{ version: '1.0.0' }] } });

/** A catalog that has a package, and the packages that some of its bundles depend on. */
function source(name: string, ...contents: readonly CatalogPackage[]): CatalogSource {
  const content: CatalogSource['content'] = (one) => [...contents, lib].find((has) => has.name === one);
  return { name, priority: 0, state: 'Serving', content };
}

test('the chosen bundle is in the range and in the channel, not quarantined, and an allowed successor', () => {
  const seen = { upToDate: 0, install: 0, upgrade: 0 };
  fc.assert(
    fc.property(question, (input) => {
      const decision = resolve(input);
      if (decision.kind === 'none') return;
      seen[decision.kind]++;
      expect(isInRange(decision.bundle.version, input.wanted.version)).toBe(true);
      if (input.wanted.channel !== undefined && input.wanted.channel !== '*')
        expect(decision.channel).toBe(input.wanted.channel);
      if (decision.kind === 'upToDate') return;
      expect(decision.path.every(({ bundle }) => !input.quarantined.includes(bundle))).toBe(true);
      expect(decision.path.at(-1)?.bundle).toBe(decision.bundle.name);
      expect(decision.path[0]?.bundle).toBe(decision.next.name);
      if (input.wanted.edges === 'Follow' && input.installed !== undefined) expectSteps(input, decision);
    }),
    RUNS,
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(runsOf(20));
});

/** Every hop has an edge from the one before it, in its channel, and goes up. */
function expectSteps({ catalogs, installed }: ResolveInput, { path }: Choice): void {
  const content = catalogs[0]?.content('thing');
  if (content === undefined || installed === undefined) throw new Error('nothing to follow');
  const graph = upgradeGraph(content);
  let { version } = installed;
  let bundle = graph.bundles.has(installed.bundle)
    ? installed.bundle
    : (sameVersion(content, version) ?? installed.bundle);
  for (const hop of path) {
    const entries = graph.channels.get(hop.channel)?.entries.filter((entry) => entry.bundle.name === hop.bundle) ?? [];
    const from = originOf(bundle, version);
    expect(entries.some((entry) => edgeInto(entry, from) !== undefined)).toBe(true);
    expect(isUp(version, hop.version)).toBe(true);
    ({ bundle, version } = hop);
  }
}

function sameVersion(content: CatalogPackage, version: string): string | undefined {
  const parsed = parseBundleVersion(version);
  const found = content.bundles.find((bundle) => {
    const other = parseBundleVersion(bundle.version);
    return parsed.ok && other.ok && compareBundleVersions(parsed.value, other.value) === 0;
  });
  return found?.name;
}

function isUp(from: string | undefined, to: string): boolean {
  const [a, b] = [parseBundleVersion(from ?? ''), parseBundleVersion(to)];
  return !a.ok || !b.ok || compareBundleVersions(a.value, b.value) <= 0;
}

function isInRange(version: string, range: string | undefined): boolean {
  const parsed = parseMastermindsRange(range ?? '');
  const own = parseVersion(version);
  return range === undefined || (own.ok && parsed.ok && isInside(parsed.value, { version: own.value, release: [] }));
}

test('an operator that follows the graph is never downgraded', () => {
  fc.assert(
    fc.property(question, (input) => {
      const decision = resolve({ ...input, wanted: { ...input.wanted, edges: 'Follow' } });
      if (decision.kind === 'none' || input.installed === undefined) return;
      expect(decision.downgrade).toBe(false);
      expect(isUp(input.installed.version, decision.next.version)).toBe(true);
    }),
    RUNS,
  );
});

test('packages, catalogs and Subscriptions that do not concern the package do not change its decision', () => {
  const others = fc.array(
    fc.record({ name: fc.constantFrom('b', 'c', 'd'), priority: fc.integer({ min: -5, max: 5 }) }),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(question, others, anyPackage, (input, catalogs, content) => {
      const unrelated = catalogs.map(({ name, priority }) => ({
        ...source(name),
        priority,
        content: (one: string) => (one === 'other' ? { ...content, name: 'other' } : undefined),
      }));
      const packages = [
        {
          package: 'other',
          bundle: 'other.v1',
          version: '1.0.0',
          catalog: 'b',
          image: '',
          properties: [],
          dependency: false,
        },
      ];
      const cluster = { providedKinds: [], ...input.cluster, packages };
      const more = { ...input, catalogs: [...unrelated, ...input.catalogs], cluster };
      expect(resolve(more)).toEqual(resolve(input));
    }),
    { ...RUNS, numRuns: runsOf(500) },
  );
});

test('the order of catalogs, channels and bundles in the input does not change a decision', () => {
  fc.assert(
    fc.property(question, anyPackage, (input, second) => {
      const reversed = input.catalogs.map((catalog) => {
        const content = catalog.content('thing');
        return content === undefined ? catalog : source('a', { ...content, bundles: content.bundles.toReversed() });
      });
      const both = [{ ...source('b', second), priority: 1 }, ...reversed];
      expect(resolve({ ...input, catalogs: both })).toEqual(resolve({ ...input, catalogs: both.toReversed() }));
      expect(resolve({ ...input, catalogs: reversed })).toEqual(resolve(input));
    }),
    { ...RUNS, numRuns: runsOf(500) },
  );
});

test('a refusal is minimal: its facts alone rule out every bundle, and without any one of them a bundle is possible', () => {
  const sizes = new Map<string, number>();
  fc.assert(
    fc.property(question, (input) => {
      const decision = resolve(input);
      if (decision.kind !== 'none') return;
      const facts = [...new Set(decision.because.map(({ kind }) => kind))];
      sizes.set(facts.join(), (sizes.get(facts.join()) ?? 0) + 1);
      if (facts.includes('noBundles')) return;
      expect(isPossible(input, facts)).toBe(false);
      for (const fact of facts)
        expect({
          fact,
          possible: isPossible(
            input,
            facts.filter((one) => one !== fact),
          ),
        }).toEqual({ fact, possible: true });
    }),
    RUNS,
  );
  for (const fact of ['dependency', 'cluster', 'quarantined', 'downgrade', 'edges', 'version', 'channel'])
    expect([...sizes.keys()].filter((facts) => facts.split(',').includes(fact)).length).toBeGreaterThan(0);
});

/** Whether there is an answer when only these rules count; staying with the installed bundle is an answer. */
function isPossible(input: ResolveInput, facts: readonly Conflict['kind'][]): boolean {
  const { package: name, channel, version, edges, dependencies } = input.wanted;
  const { installed, ...rest } = input;
  const holds = facts.includes('edges') || facts.includes('downgrade');
  const origins = holds || installed === undefined ? [installed] : [installed, undefined];
  return origins.some((origin) => {
    const freed = resolve({
      ...rest,
      ...(origin !== undefined && { installed: origin }),
      wanted: {
        package: name,
        dependencies: facts.includes('dependency') ? dependencies : 'Ignore',
        edges: facts.includes('edges') ? edges : 'Ignore',
        ...(facts.includes('channel') ? channel !== undefined && { channel } : { channel: '*' }),
        ...(facts.includes('version') && version !== undefined && { version }),
      },
      quarantined: facts.includes('quarantined') ? input.quarantined : [],
      cluster: facts.includes('cluster') && input.cluster !== undefined ? input.cluster : { providedKinds: [] },
    });
    return freed.kind !== 'none';
  });
}

test('a refusal names only bundles that are at fault, and the graph only if that is', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(question, (input) => {
      const decision = resolve(input);
      if (decision.kind !== 'none') return;
      for (const fact of decision.because) {
        seen.set(fact.kind, (seen.get(fact.kind) ?? 0) + 1);
        expectAtFault(fact, input);
      }
      expect(explainDecision(decision, 'thing').message).not.toMatch(/[:;] ?;|: ?$/);
    }),
    MANY,
  );
  for (const kind of ['quarantined', 'cluster', 'dependency', 'edges'])
    expect(seen.get(kind) ?? 0).toBeGreaterThan(runsOf(10));
});

function expectAtFault(fact: Conflict, input: ResolveInput): void {
  const content = input.catalogs[0]?.content('thing');
  const bundleOf = (name: string): CatalogBundle | undefined => content?.bundles.find((one) => one.name === name);
  switch (fact.kind) {
    case 'quarantined':
      expect(fact.bundles.length).toBeGreaterThan(0);
      expect(input.quarantined).toEqual(expect.arrayContaining([...fact.bundles]));
      return;
    case 'cluster':
      expect(fact.causes.length).toBeGreaterThan(0);
      for (const { bundle, cause } of fact.causes)
        expect([cause.kind, bundleOf(bundle)?.properties[0]?.type]).toEqual([
          'kubernetesTooOld',
          'slipway.minKubeVersion',
        ]);
      return;
    case 'dependency':
      expect(fact.because.length > 0 || fact.problem !== undefined).toBe(true);
      expect(bundleOf(fact.bundle)?.properties[0]?.type).toMatch(/^olm\.(package\.required|constraint)$/);
      return;
    case 'edges':
      if (!fact.lowerOnly && fact.reaches.length === 0) expect(edgesUpFrom(input, fact.channel)).toEqual([]);
      return;
    default:
  }
}

/** Names of the bundles that accept the installed bundle and are not lower. */
function edgesUpFrom({ catalogs, installed }: ResolveInput, channel: string | undefined): readonly string[] {
  const content = catalogs[0]?.content('thing');
  if (content === undefined || installed === undefined) throw new Error('nothing to follow');
  const from = originOf(sameVersion(content, installed.version) ?? installed.bundle, installed.version);
  const channels = [...upgradeGraph(content).channels.values()].filter(
    ({ name }) => channel === undefined || channel === '*' || name === channel,
  );
  return channels
    .flatMap(({ entries }) => entries)
    .filter((entry) => entry.bundle.name !== from.name && edgeInto(entry, from) !== undefined)
    .filter(({ bundle }) => bundle.version.ok && isUp(installed.version, bundle.bundle.version))
    .map(({ bundle }) => bundle.name);
}

test('every suggested change helps: it leads to a choice, and to another one than staying unless it says so', () => {
  const seen = new Map<string, number>();
  const other = fc.option(anyPackage);
  fc.assert(
    fc.property(question, other, (input, second) => {
      const catalogs = [...input.catalogs, ...(second === null ? [] : [{ ...source('b', second), selected: false }])];
      const decision = resolve({ ...input, catalogs });
      if (decision.kind !== 'none') return;
      for (const suggestion of decision.suggestions) {
        const changed = applySuggestion({ ...input, catalogs }, suggestion);
        if (changed === undefined) continue;
        seen.set(suggestion.change, (seen.get(suggestion.change) ?? 0) + 1);
        const { kind } = resolve(changed);
        const helps = kind !== 'none' && (kind !== 'upToDate' || saysToStay(suggestion));
        expect({ ...suggestion, helps, kind }).toEqual({ ...suggestion, helps: true, kind });
      }
    }),
    MANY,
  );
  expect([...seen.keys()].sort()).toEqual(
    ['anyVersion', 'catalog', 'channel', 'cluster', 'dependencies', 'edge', 'edges', 'goDown', 'ignoreDependencies', 'release', 'together', 'version'], // prettier-ignore
  );
});

test('an explanation is a function of the input, in one line, without control characters', () => {
  fc.assert(
    fc.property(question, (input) => {
      const first = explainDecision(resolve(input), 'thing\u001B[31m');
      const again = explainDecision(resolve(structuredCloneOf(input)), 'thing\u001B[31m');
      expect(again).toEqual(first);
      expect(first.message).toMatch(/^[^\u0000-\u001F]+$/);
    }),
    { ...RUNS, numRuns: runsOf(500) },
  );
});

function structuredCloneOf(input: ResolveInput): ResolveInput {
  const content = input.catalogs[0]?.content('thing');
  return { ...input, catalogs: content === undefined ? [] : [source('a', structuredClone(content))] };
}
