/**
 * The bill of materials of an image, as SPDX 2.3: Node, the Debian packages and the npm packages that are in it, each
 * at its version, with its licence where that is known and the address that scanners look up. Pure.
 *
 * @see https://spdx.github.io/spdx-spec/v2.3/
 */
import type { ImageContents } from './node-image.ts';

export const SPDX = 'application/spdx+json';

export interface SbomFacts {
  readonly name: string;
  readonly version: string;
  /** RFC 3339. */
  readonly created: string;
}

interface Part {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly purl: string;
  readonly sha256?: string;
}

export function renderSbom({ name, version, created }: SbomFacts, contents: ImageContents): string {
  const { digest } = contents.image.manifest.descriptor;
  const image: Part = {
    name,
    version,
    licence: 'Apache-2.0',
    purl: `pkg:oci/${name}@${encodeURIComponent(digest)}?arch=${contents.architecture}`,
    sha256: digest.slice('sha256:'.length),
  };
  const parts = partsOf(contents);
  const packages = [image, ...parts].map((part, index) => packageOf(part, index));
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${name}-${version}-${contents.architecture}`,
    documentNamespace: `https://slipway.dev/spdx/${name}/${digest.slice('sha256:'.length)}`,
    creationInfo: { created, creators: ['Tool: slipway-build'] },
    packages,
    relationships: [
      relation('SPDXRef-DOCUMENT', 'DESCRIBES', packages[0]!.SPDXID),
      ...packages.slice(1).map(({ SPDXID }) => relation(packages[0]!.SPDXID, 'CONTAINS', SPDXID)),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function partsOf({ nodeVersion, debian, packages }: ImageContents): readonly Part[] {
  return [
    { name: 'node', version: nodeVersion, licence: 'MIT', purl: `pkg:generic/node@${nodeVersion}` },
    ...debian.map(({ name, version, architecture, sha256 }) => ({
      name,
      version,
      licence: 'NOASSERTION',
      purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`,
      sha256,
    })),
    ...packages.map(({ name, version, licence }) => ({
      name,
      version,
      licence,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    })),
  ];
}

interface SpdxPackage {
  readonly SPDXID: string;
  readonly [field: string]: unknown;
}

function packageOf({ name, version, licence, purl, sha256 }: Part, index: number): SpdxPackage {
  return {
    SPDXID: `SPDXRef-${index}-${name.replaceAll(/[^A-Za-z0-9.-]/g, '-')}`,
    name,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: licence,
    copyrightText: 'NOASSERTION',
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
    ...(sha256 !== undefined && { checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }] }),
  };
}

function relation(from: string, relationshipType: string, to: string): object {
  return { spdxElementId: from, relationshipType, relatedSpdxElement: to };
}
