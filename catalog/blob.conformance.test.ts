/**
 * Compares the entries that are made of bundle directories with those of the reference tool: whole, and by hash. Of the
 * hashes `make test` takes those of every tenth directory, `make conformance` all.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalJson, parseJson } from '../api/json.ts';
import { readBundleFolder } from '../bundles/testing/folder.ts';
import { byExtent, sampleOf } from '../e2e/lib/sample.ts';
import { devSet, hasShared, sharedPath, sharedRows } from '../e2e/lib/shared.ts';
import { buildBundleBlob, parseBundleDirectory, type BundleBlob, type BundleDirectory } from './blob.ts';

const FORMS = { 'bundle-object': 'objects', 'csv-metadata': 'excerpt' } as const;
type Level = keyof typeof FORMS;

function parse(directory: string): BundleDirectory {
  return parseBundleDirectory(readBundleFolder(join(devSet(), directory)));
}

function blobOf(directory: BundleDirectory, image: string, level: Level): BundleBlob {
  return buildBundleBlob(directory, { image, manifests: FORMS[level] });
}

function hash(blob: BundleBlob): string {
  return createHash('sha256').update(canonicalJson(blob)).digest('hex');
}

interface Row {
  readonly dir: string;
  readonly image: string;
  readonly level: Level;
  readonly sha256: string;
}

describe.skipIf(!hasShared)('the entry of a bundle equals what the reference tool makes of its directory', () => {
  it.each([
    { level: 'csv-metadata', count: 94 },
    { level: 'bundle-object', count: 30 },
  ] as const)('published entries, $level: $count', ({ level, count }) => {
    const folder = sharedPath('conformance', 'fbc-render', level);
    const names = readdirSync(folder);
    const different = names.filter((name) => {
      const { bundleDir, expected } = parseJson(readFileSync(join(folder, name), 'utf8')) as {
        readonly bundleDir: string;
        readonly expected: BundleBlob;
      };
      return canonicalJson(blobOf(parse(bundleDir), expected.image, level)) !== canonicalJson(expected);
    });
    process.stdout.write(`fbc-render/${level}: ${names.length - different.length} of ${names.length} equal\n`);
    expect(names).toHaveLength(count);
    expect(different).toEqual([]);
  });

  it('directories of the corpus, both forms, 2022 of them in all', () => {
    const rows = sharedRows<Row>('conformance', 'reference', 'fbc.jsonl.xz');
    const different: string[] = [];
    let compared = 0;
    for (const [dir, forms] of sampleOf([...Map.groupBy(rows, (row) => row.dir)], { every: 10 })) {
      compared += forms.length;
      const directory = parse(dir);
      const wrong = forms.filter(({ image, level, sha256 }) => hash(blobOf(directory, image, level)) !== sha256);
      different.push(...wrong.map(({ level }) => `${dir} ${level}`));
    }
    process.stdout.write(`reference/fbc: ${compared - different.length} of ${compared} equal\n`);
    expect(compared).toBe(byExtent({ all: 2022, sample: 204 }));
    expect(different).toEqual([]);
  });
});
