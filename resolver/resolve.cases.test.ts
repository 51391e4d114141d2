import { expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import type { Decision } from './decision.ts';
import { edgeInto, upgradeGraph } from './graph.ts';
import type { CatalogSource, Wanted } from './input.ts';
import { originOf } from './selection.ts';
import { resolve } from './resolve.ts';
import { matchesSelector, type LabelSelector } from './selector.ts';
import { expandPackage, readCases, type SmallPackage } from './testing/small-catalogs.ts';
import { parseBundleVersion } from './version.ts';

interface SmallCatalog {
  readonly has?: string;
  /** The package's name in this catalog. */
  readonly as?: string;
  readonly priority?: number;
  readonly state?: CatalogSource['state'];
  readonly fails?: string;
}

interface Case {
  readonly number: number | string;
  readonly title: string;
  readonly because: string;
  /** The answer of OLM v1, if it differs. */
  readonly olm?: string;
  readonly catalogs?: Readonly<Record<string, SmallCatalog>>;
  readonly selector?: LabelSelector;
  readonly wanted?: Partial<Wanted>;
  readonly installed?: string;
  readonly expect: Expected;
}

interface Expected {
  readonly next?: string;
  readonly catalog?: string;
  readonly path?: readonly string[];
  readonly downgrade?: boolean;
  readonly deprecations?: readonly string[];
  readonly reason?: string;
  readonly facts?: readonly string[];
  readonly suggestions?: readonly string[];
  readonly offered?: readonly string[];
  readonly asked?: readonly string[];
}

const resolution = readCases('olm-v1.yaml') as { packages: Record<string, SmallPackage>; cases: Case[] };

test.each(resolution.cases)('OLM v1 case $number: $title, because $because', (one) => {
  const asked: string[] = [];
  const decision = resolve({
    wanted: {
      package: 'thing',
      channel: '*',
      edges: 'Follow',
      dependencies: 'Install',
      catalogSelector: one.selector,
      ...one.wanted,
    },
    ...(one.installed !== undefined && {
      installed: {
        bundle: `thing.v${one.installed}`,
        version: one.installed,
        catalog: 'c',
        image: 'registry.example/x@sha256:0',
      },
    }),
    catalogs: sources(one, asked),
    quarantined: [],
    cluster: { providedKinds: [] },
  });
  expect(summarize(decision, asked, one.expect)).toEqual(one.expect);
});

/** The parts of a decision that a case has expectations for. */
function summarize(decision: Decision, asked: readonly string[], { ...expected }: Expected): Expected {
  const all: Expected =
    decision.kind === 'none'
      ? {
          reason: decision.reason,
          facts: decision.because.map(({ kind }) => kind),
          suggestions: decision.suggestions.map(({ change }) => change),
          offered: decision.because.flatMap((fact) =>
            fact.kind === 'ambiguous' ? fact.offers.map(({ catalog }) => catalog) : [],
          ),
        }
      : {
          next: decision.next.version,
          catalog: decision.catalog,
          path: decision.path.map(({ version }) => version),
          downgrade: decision.downgrade,
          deprecations: Object.keys(decision.deprecations),
        };
  const kept = Object.entries({ ...all, asked }).filter(
    ([key]) => key in expected || key === 'next' || key === 'reason',
  );
  return Object.fromEntries(kept);
}

function sources(
  { catalogs = { a: {}, b: {}, c: { has: 'gadget' } }, selector }: Case,
  asked: string[],
): CatalogSource[] {
  const names = Object.keys(catalogs).filter((name) => matchesSelector(selector, { name }));
  return names.map((name): CatalogSource => {
    const { has, as = 'thing', priority = 0, state = 'Serving', fails } = catalogs[name] ?? {};
    const small = has === undefined ? undefined : resolution.packages[has];
    const content = small === undefined ? undefined : expandPackage(as, small);
    return {
      name,
      priority,
      state,
      content: (one) => {
        asked.push(name);
        if (fails !== undefined)
          throw new ReasonedError({ reason: 'CatalogUnavailable', retry: 'backoff', message: fails });
        return one === as ? content : undefined;
      },
    };
  });
}

test('all 31 rows of the table are restated, and the answers that differ are these', () => {
  const rows = new Set(resolution.cases.map(({ number }) => Number.parseInt(String(number), 10)));
  expect([...rows].sort((a, b) => a - b)).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
  const differing = resolution.cases.filter(({ olm }) => olm !== undefined).map(({ number }) => String(number));
  expect(differing).toEqual(['3', '6b', '21a', '28a', '28b', '29b']);
});

interface SuccessorCase {
  readonly package: string;
  readonly installed: { readonly version: string; readonly release?: string };
  readonly because: string;
  readonly successors?: readonly string[];
  readonly known?: string;
  readonly entry?: string;
  readonly follows?: boolean;
  readonly invalid?: boolean;
}

const following = readCases('successors.yaml') as { packages: Record<string, SmallPackage>; cases: SuccessorCase[] };

test.each(following.cases)('successors of $installed.version in $package: $because', (one) => {
  const { version, release } = one.installed;
  if (one.invalid === true) {
    expect(parseBundleVersion(version, release).ok).toBe(false);
    return;
  }
  const small = following.packages[one.package];
  if (small === undefined) throw new Error(`no package ${one.package}`);
  const graph = upgradeGraph(expandPackage(one.package, small));
  const origin = originOf(`${one.package}.v${version}`, version, release);
  const entries = [...graph.channels.values()].flatMap((channel) => channel.entries);
  const successors = entries
    .filter((entry) => edgeInto(entry, origin) !== undefined)
    .map(({ bundle }) => bundle.bundle.version);
  if (one.entry === undefined) expect(successors).toEqual(one.successors);
  else expect(successors.includes(one.entry)).toBe(one.follows);
  expect(one.known === undefined || graph.bundles.get(origin.name)?.bundle.version === one.known).toBe(true);
});

test('all 12 successor rules are restated: 31 rows and these are the 43 cases of the reference', () => {
  expect(following.cases.length).toBe(12);
});
