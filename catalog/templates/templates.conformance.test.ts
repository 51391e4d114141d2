import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../e2e/lib/shared.ts';
import { parseYaml } from '../../bundles/yaml.ts';
import type { BundleBlob } from '../blob.ts';
import { isFields, type Fields } from '../fields.ts';
import { versionRules } from '../testdata/version-rules.ts';
import { expandBasic } from './basic.ts';
import { expandSemver } from './semver.ts';

/** Rendered by an older tool, whose skips reach back one minor version only; all else is equal. */
const OLDER_SKIPS: ReadonlySet<string> = new Set([
  'certified-operators__kurrentdb-operator__template',
  'community-operators-prod__clusterpulse__semver',
  'community-operators-prod__openshift-integration-operator__semver',
]);

/** The template has gained versions that the published catalog does not have yet. */
const STALE: ReadonlySet<string> = new Set(['community-operators-prod__ecr-secret-operator__basic']);

describe.skipIf(!hasShared)('published catalogs come out of their templates', () => {
  test.each([
    { kind: 'basic', count: 369 },
    { kind: 'semver', count: 8 },
  ] as const)('$kind templates: $count', ({ kind, count }) => {
    const folder = sharedPath('conformance', 'fbc-templates', kind);
    const names = readdirSync(folder);
    const different = names.filter((name) => !isEqual(kind, join(folder, name)));
    const older = different.filter((name) => isEqual(kind, join(folder, name), 'skips'));
    const counts = `${names.length - different.length}/${names.length} equal, ${older.length} but for skips`;
    process.stdout.write(`fbc-templates/${kind}: ${counts}\n`);
    expect(names).toHaveLength(count);
    expect(older).toEqual(names.filter((name) => OLDER_SKIPS.has(name)));
    expect(different.filter((name) => !older.includes(name))).toEqual(names.filter((name) => STALE.has(name)));
  });
});

function isEqual(kind: 'basic' | 'semver', folder: string, without?: string): boolean {
  const read = (name: string): unknown => parseYaml(readFileSync(join(folder, name)))[0]?.value;
  const template = read(kind === 'basic' ? 'template.json' : 'template.yaml') as Fields;
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Fields[];
  const bundles = (JSON.parse(readFileSync(join(folder, 'bundles.json'), 'utf8')) as BundleBlob[]).map(
    (bundle) => [bundle.image, bundle] as const,
  );
  const known = new Map(kind === 'basic' ? imagesOf(template).map((image) => [image, stub(image)]) : bundles);
  const made = kind === 'basic' ? expandBasic(template, known) : expandSemver(template, new Map(bundles), versionRules);
  return comparable(made, kind, without) === comparable(expected, kind, without);
}

function imagesOf(template: Fields): string[] {
  return (template['entries'] as Fields[]).map((entry) => String(entry['image']));
}

/** Some bundles of these catalogs are gone from their registries; a basic template needs nothing of them. */
function stub(image: string): BundleBlob {
  return { schema: 'olm.bundle', name: image, package: '', image, properties: [], relatedImages: [] };
}

/** Everything but the bundles, in one order, without empty lists; publishers add texts and icons by hand later. */
function comparable(documents: readonly Fields[], kind: 'basic' | 'semver', without?: string): string {
  const text = (document: Fields): string => {
    const shown = kind === 'semver' && document['schema'] === 'olm.package' ? bare(document) : document;
    return JSON.stringify(sorted(shown), (key, value: unknown) => (key === without ? undefined : value));
  };
  const lines = documents.filter((document) => document['schema'] !== 'olm.bundle').map(text);
  return lines.sort().join('\n');
}

function bare({ schema, name, defaultChannel }: Fields): Fields {
  return { schema, name, defaultChannel };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(([, child]) => !(Array.isArray(child) && child.length === 0));
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, child]) => [key, sorted(child)]));
}
