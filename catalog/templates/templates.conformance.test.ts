import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasShared, sharedPath } from '../../e2e/lib/shared.ts';
import { parseYaml } from '../../bundles/yaml.ts';
import type { BundleBlob } from '../blob.ts';
import { isRecord, type Fields } from '../../api/untyped.ts';
import { versionRules } from '../testing/version-rules.ts';
import { expandBasic } from './basic.ts';
import { expandSemver } from './semver.ts';

/** Differences between published catalogs and the result of their templates; docs/deviations.md has the reasons. */
const DEVIATIONS: ReadonlyMap<string, (documents: readonly Fields[], published: readonly Fields[]) => Fields[]> =
  new Map([
    ['certified-operators__kurrentdb-operator__template', withOlderSkips],
    ['community-operators-prod__clusterpulse__semver', withOlderSkips],
    ['community-operators-prod__openshift-integration-operator__semver', withOlderSkips],
    ['community-operators-prod__ecr-secret-operator__basic', withoutUnpublished],
  ]);

describe.skipIf(!hasShared)('published catalogs come out of their templates', () => {
  it.each([
    { kind: 'basic', count: 369, deviations: 1 },
    { kind: 'semver', count: 8, deviations: 3 },
  ] as const)('$kind templates: $count, $deviations of them by a deviation', ({ kind, count, deviations }) => {
    const folder = sharedPath('conformance', 'fbc-templates', kind);
    const cases = readdirSync(folder).map((name) => ({ name, ...readCase(kind, join(folder, name)) }));
    const text = (documents: readonly Fields[]): string => comparable(documents, kind);
    const different = cases.filter(({ made, published }) => text(made) !== text(published));
    const unexplained = different.filter(({ name, made, published }) => {
      const change = DEVIATIONS.get(name);
      return change === undefined || text(change(made, published)) !== text(published);
    });
    const equal = cases.length - different.length;
    process.stdout.write(`fbc-templates/${kind}: ${equal} of ${cases.length} equal, ${deviations} by a deviation\n`);
    expect(cases).toHaveLength(count);
    expect(different).toHaveLength(deviations);
    expect(unexplained.map(({ name }) => name)).toEqual([]);
  });
});

function readCase(
  kind: 'basic' | 'semver',
  folder: string,
): { readonly made: readonly Fields[]; readonly published: readonly Fields[] } {
  const read = (name: string): unknown => parseYaml(readFileSync(join(folder, name)))[0]?.value;
  const template = read(kind === 'basic' ? 'template.json' : 'template.yaml') as Fields;
  const published = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Fields[];
  const bundles = JSON.parse(readFileSync(join(folder, 'bundles.json'), 'utf8')) as BundleBlob[];
  const known = new Map(bundles.map((bundle) => [bundle.image, bundle] as const));
  const made =
    kind === 'semver'
      ? expandSemver(template, known, versionRules)
      : expandBasic(template, new Map(imagesOf(template).map((image) => [image, stub(image)])));
  return { made, published };
}

/** Older versions of the tool also skip the replaced version, and nothing before that. */
function withOlderSkips(documents: readonly Fields[]): Fields[] {
  return documents.map((document) => {
    if (document['schema'] !== 'olm.channel') return { ...document };
    const entries = document['entries'] as { readonly name: string; readonly replaces?: string; skips?: unknown }[];
    const names = entries.map(({ name }) => name);
    const older = entries.map((entry, index) => {
      if (entry.replaces === undefined && entry.skips === undefined) return entry;
      return { ...entry, skips: names.slice(Math.max(0, names.indexOf(entry.replaces ?? '')), index).sort() };
    });
    return { ...document, entries: older };
  });
}

/** The template has gained versions since the catalog was published. */
function withoutUnpublished(documents: readonly Fields[], published: readonly Fields[]): Fields[] {
  const namesIn = (document: Fields): string[] =>
    document['schema'] === 'olm.channel' ? (document['entries'] as { name: string }[]).map(({ name }) => name) : [];
  const known = new Set(published.flatMap(namesIn));
  return documents.map((document) => {
    if (document['schema'] !== 'olm.channel') return document;
    const entries = (document['entries'] as { readonly name: string }[]).filter(({ name }) => known.has(name));
    return { ...document, entries };
  });
}

function imagesOf(template: Fields): string[] {
  return (template['entries'] as Fields[]).map((entry) => String(entry['image']));
}

/** Some bundles of these catalogs are gone from their registries; a basic template does not need their content. */
function stub(image: string): BundleBlob {
  return { schema: 'olm.bundle', name: image, package: '', image, properties: [], relatedImages: [] };
}

/** Everything but the bundles, in one order, without empty lists; publishers add texts and icons by hand later. */
function comparable(documents: readonly Fields[], kind: 'basic' | 'semver'): string {
  const text = (document: Fields): string => {
    const shown = kind === 'semver' && document['schema'] === 'olm.package' ? bare(document) : document;
    return JSON.stringify(sorted(shown));
  };
  const lines = documents.filter((document) => document['schema'] !== 'olm.bundle').map(text);
  return lines.sort().join('\n');
}

function bare({ schema, name, defaultChannel }: Fields): Fields {
  return { schema, name, defaultChannel };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, child]) => !(Array.isArray(child) && child.length === 0));
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, child]) => [key, sorted(child)]));
}
