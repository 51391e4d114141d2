import { describe, expect, test } from 'vitest';
import { parse as parseSemver, compare, SemVer } from 'semver';
import type { CatalogPackage, ChannelEntry } from '../catalog/model.ts';
import { hasShared } from '../e2e/lib/shared.ts';
import { explainDecision } from './explain.ts';
import { resolve } from './resolve.ts';
import { readDevSet } from './testing/dev-set.ts';

/**
 * For every package of the dev set, from every version, in every channel, in the default one and in all: the length of
 * the path to the best version equals the result of an independent search. That search shares nothing with the
 * resolver: npm's library compares versions, and skipRanges are parsed here, term by term.
 */
describe.skipIf(!hasShared)('the path to the head is found, or its absence explained', () => {
  const packages = hasShared ? [...readDevSet().values()] : [];

  test('from every version of every package of the dev set, with and without a channel, the shortest path is found', () => {
    const counts = { questions: 0, arrived: 0, atHead: 0, explained: 0, headsPassedOver: 0 };
    for (const content of packages) {
      for (const channel of [undefined, '*', ...content.channels.map(({ name }) => name)]) {
        const plain = plainly(content, channel);
        for (const bundle of content.bundles) {
          const { saysOfHead, ...own } = ask(content, channel, bundle);
          const searched = bruteForce(plain, bundle.name);
          expect({ package: content.name, channel, from: bundle.name, ...own }).toMatchObject(searched);
          counts.questions++;
          if (own.hops > 0) counts.arrived++;
          else if (own.end === undefined) counts.explained++;
          else counts.atHead++;
          const missed = saysOfHead.head === own.end ? undefined : saysOfHead.head;
          if (own.end === undefined || missed === undefined) continue;
          counts.headsPassedOver++;
          const causes = '(no edges lead to it|the way to it|it is lower|it is deprecated)';
          expect(saysOfHead.message).toMatch(new RegExp(`; the head ${escape(missed)} is not chosen: ${causes}`));
        }
      }
    }
    process.stdout.write(`paths: ${packages.length} packages: ${JSON.stringify(counts)}\n`);
    expect(counts).toEqual({ questions: 5547, arrived: 3273, atHead: 238, explained: 2036, headsPassedOver: 248 });
  });
});

interface Answer {
  readonly end: string | undefined;
  readonly hops: number;
}

/** Names have dots, which stand for themselves. */
function escape(name: string): string {
  return name.replaceAll('.', '\\.');
}

/** The answer, with the head of the channel and the explanation. */
interface Asked extends Answer {
  readonly saysOfHead: { readonly head: string | undefined; readonly message: string };
}

function ask(
  content: CatalogPackage,
  channel: string | undefined,
  { name, version }: { readonly name: string; readonly version: string },
): Asked {
  const decision = resolve({
    wanted: {
      package: content.name,
      ...(channel !== undefined && { channel }),
      edges: 'Follow',
      dependencies: 'Ignore',
    },
    installed: { bundle: name, version, catalog: 'dev', image: '' },
    catalogs: [{ name: 'dev', priority: 0, state: 'Serving', content: () => content }],
    quarantined: [],
  });
  const { message } = explainDecision(decision, content.name);
  if (decision.kind !== 'none') {
    const saysOfHead = { head: decision.head?.name, message };
    return { end: decision.bundle.name, hops: decision.path.length, saysOfHead };
  }
  expect(decision.because.length).toBeGreaterThan(0);
  return { end: undefined, hops: 0, saysOfHead: { head: undefined, message } };
}

/** One selection of channels, searched in the simplest way: every pair of bundles is tried. */
interface Plain {
  readonly selected: CatalogPackage['channels'];
  readonly versions: ReadonlyMap<string, SemVer | null>;
  readonly successors: ReadonlyMap<string, readonly string[]>;
}

function plainly(content: CatalogPackage, channel: string | undefined): Plain {
  const selected = content.channels.filter(
    ({ name }) => channel === '*' || name === (channel ?? content.defaultChannel),
  );
  const versions = new Map(content.bundles.map(({ name, version }) => [name, parseSemver(version)]));
  const accepts = selected
    .flatMap(({ entries }) => entries)
    .map((entry) => ({ name: entry.name, predecessor: acceptance(entry, versions) }));
  const after = (name: string): string[] =>
    accepts.filter((one) => versions.has(one.name) && one.predecessor(name)).map((one) => one.name);
  return { selected, versions, successors: new Map([...versions.keys()].map((name) => [name, after(name)])) };
}

function acceptance(entry: ChannelEntry, versions: ReadonlyMap<string, SemVer | null>): (name: string) => boolean {
  const range = readSkipRange(entry.skipRange ?? '');
  return (name) => {
    if (byVersion(versions, entry.name, name) < 0) return false;
    if (entry.replaces === name || entry.skips.includes(name)) return true;
    const version = versions.get(name);
    return version !== undefined && version !== null && range(version);
  };
}

/**
 * The skipRanges of the dev set, parsed in the simplest way: comparisons that must all hold. `>=1.2.x` is `>=1.2.0`,
 * and a `v` before a number makes the whole range invalid. Other forms would have to be added here first.
 */
function readSkipRange(text: string): (version: SemVer) => boolean {
  const terms = [...text.matchAll(/(>=|<)? *([^ <>=]+)/g)];
  if (terms.length === 0 || terms.some(([, , bound = '']) => bound.startsWith('v'))) return () => false;
  const comparisons = terms.map(([term, operator = '', bound = '']) => readComparison(term, operator, bound));
  return (version) => comparisons.every((holds) => holds(version));
}

function readComparison(term: string, operator: string, text: string): (version: SemVer) => boolean {
  const bound = parseSemver(operator === '>=' ? text.replace(/\.x$/, '.0') : text);
  if (bound === null || operator === '') throw new Error(`a skipRange has ${term}, which this test cannot read`);
  return (version) => compare(version, bound) >= 0 === (operator === '>=');
}

/** Levels of a breadth-first search over names. */
function bruteForce({ selected, versions, successors }: Plain, from: string): Answer {
  const levels = new Map([[from, 0]]);
  for (let level = 0, frontier = [from]; frontier.length > 0; level++) {
    frontier = [...new Set(frontier.flatMap((name) => successors.get(name) ?? []))].filter((name) => !levels.has(name));
    for (const name of frontier) levels.set(name, level + 1);
  }
  const inChannel = selected.some(({ entries }) => entries.some(({ name }) => name === from));
  const reached = [...levels.keys()].filter((name) => name !== from || inChannel);
  const heads = selected.map(({ entries }) => headOf(entries, versions)[0] ?? '');
  const isBehind = (name: string): boolean =>
    selected.every(
      ({ entries }, at) =>
        !entries.some((entry) => entry.name === name) || (heads[at] !== name && reached.includes(heads[at] ?? '')),
    );
  const behind = new Map(reached.map((name) => [name, Number(isBehind(name))]));
  const best = reached.sort(
    (a, b) => (behind.get(a) ?? 0) - (behind.get(b) ?? 0) || byVersion(versions, b, a) || (a < b ? -1 : 1),
  )[0];
  return { end: best, hops: best === undefined ? 0 : (levels.get(best) ?? -1) };
}

function headOf(entries: readonly ChannelEntry[], versions: ReadonlyMap<string, SemVer | null>): string[] {
  const names = entries.map(({ name }) => name).filter((name) => versions.has(name));
  const tops = names.filter(
    (name) =>
      !entries.some(
        (one) => one.name !== name && versions.has(one.name) && (one.replaces === name || one.skips.includes(name)),
      ),
  );
  return (tops.length > 0 ? tops : names).sort((a, b) => byVersion(versions, b, a) || (a < b ? -1 : 1)).slice(0, 1);
}

/** npm's order of versions; builds that distinguish releases are ordered too. */
function byVersion(versions: ReadonlyMap<string, SemVer | null>, a: string, b: string): number {
  const left = versions.get(a);
  const right = versions.get(b);
  if (left === undefined || left === null || right === undefined || right === null) return 0;
  return compare(left, right) || left.compareBuild(right);
}
