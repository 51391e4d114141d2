import { expect, test } from 'vitest';
import { buildImage } from '../../oci/build.ts';
import { renderSbom } from './sbom.ts';

const CONTENTS = {
  architecture: 'arm64',
  image: buildImage({ files: new Map([['app/a.js', Buffer.from('1')]]) }),
  nodeVersion: '24.0.0',
  packages: [{ path: 'node_modules/@a/b', name: '@a/b', version: '1.0.0', licence: 'MIT', integrity: undefined }],
  debian: [{ name: 'libstdc++6', version: '1+deb', architecture: 'arm64', path: 'pool/x.deb', sha256: 'f'.repeat(64) }],
} as const;

interface Spdx {
  readonly packages: readonly {
    readonly SPDXID: string;
    readonly externalRefs: readonly { referenceLocator: string }[];
  }[];
  readonly relationships: readonly { readonly relatedSpdxElement: string }[];
}

test('a bill of materials names every part of the image in the form that scanners search for', () => {
  const text = renderSbom({ name: 'x', version: '1', created: '2026-01-01T00:00:00Z' }, CONTENTS);
  const { packages, relationships } = JSON.parse(text) as Spdx;
  const { digest } = CONTENTS.image.manifest.descriptor;
  expect(packages.map(({ externalRefs }) => externalRefs[0]?.referenceLocator)).toEqual([
    `pkg:oci/x@${encodeURIComponent(digest)}?arch=arm64`,
    'pkg:generic/node@24.0.0',
    'pkg:deb/debian/libstdc%2B%2B6@1%2Bdeb?arch=arm64',
    'pkg:npm/%40a/b@1.0.0',
  ]);
  expect(relationships.map(({ relatedSpdxElement }) => relatedSpdxElement)).toEqual(
    packages.map(({ SPDXID }) => SPDXID),
  );
  for (const { SPDXID } of packages) expect(SPDXID).toMatch(/^SPDXRef-[A-Za-z0-9.-]+$/);
});
