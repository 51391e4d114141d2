import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { BundleBlob } from '../blob.ts';
import { buildIndex } from '../index/build.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { versionRules } from '../testing/version-rules.ts';
import { buildRepositoryCatalog, fileOf } from './build.ts';
import { roomForPackage } from './package-room.ts';
import { orderTags } from './tags.ts';

/** The limit of the index in this test, in bytes of memory. */
const MOST = 1 << 18;

function bundle(version: string, properties: number): BundleBlob {
  return {
    schema: 'olm.bundle',
    name: `gadget.v${version}`,
    package: 'gadget',
    image: `registry.example/gadget@sha256:${'a'.repeat(64)}`,
    properties: [
      { type: 'olm.package', value: { packageName: 'gadget', version } },
      { type: 'olm.csv.metadata', value: { description: '\u{1F600}'.repeat(8192) } },
      ...Array.from({ length: properties }, () => ({ type: 'a', value: 1 })),
    ],
    relatedImages: [],
  };
}

it.each([
  { because: 'all versions are small', properties: 1 },
  { because: 'one version takes a tenth of it', properties: 60 },
  { because: 'one version takes most of it', properties: 400 },
])('the versions for which there is room are a package that the index takes, as $because', async ({ properties }) => {
  const room = roomForPackage(MOST);
  const all = Array.from({ length: 200 }, (_, at) => `1.${at}.0-rc.1`).concat(['2.0.0']);
  const taken = all.filter((version) => room.take(bundle(version, properties), version));
  expect(taken.length).toBeGreaterThan(0);
  expect(taken.length).toBeLessThan(all.length);
  const { versions } = orderTags(taken, versionRules);
  const described = versions.map((version) => ({ ...version, bundle: bundle(version.tag, properties) }));
  const { documents } = buildRepositoryCatalog([{ repository: 'r', versions: described }], versionRules);
  const folder = mkdtempSync(join(tmpdir(), 'slipway-room-'));
  const limits = { ...DEFAULT_LIMITS, maxPackageBytes: MOST };
  const counts = await buildIndex({ files: [fileOf(documents)], target: join(folder, 'x.db'), limits });
  expect(counts.bundles).toBe(taken.length);
  rmSync(folder, { recursive: true });
});
