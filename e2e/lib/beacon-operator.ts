/**
 * Publishes the beacon operator of bundles/examples: its image, its bundles and a catalog that offers them; the good
 * releases as they are, and releases that fail in one way each, which are made from the last good one.
 */
import { join } from 'node:path';
import type { BuiltIndex } from '../../oci/build.ts';
import { pushIndex } from '../../oci/testing/push-built.ts';
import { parseReference } from '../../oci/reference.ts';
import { ownArchitecture } from '../../scripts/build/architecture.ts';
import { buildNodeImage } from '../../scripts/build/node-image.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { ROOT } from './manager.ts';
import { openRegistry, packageDocuments, publishCatalog, publishFiles, readTree } from './publish.ts';

export const PACKAGE = 'beacon-operator';
const EXAMPLES = join(ROOT, 'bundles/examples/beacon-operator');

export interface Release {
  readonly version: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  /** The folder of its files, if it is not that of its version. */
  readonly from?: string;
  /** What its author did to them. */
  readonly change?: (files: Files) => void;
  /** Whether its image was forgotten. */
  readonly withoutImage?: boolean;
}

type Files = Map<string, Uint8Array>;

/** The three good releases. */
export const RELEASES: readonly Release[] = [
  { version: '1.0.0' },
  { version: '1.1.0', replaces: '1.0.0' },
  { version: '2.0.0', replaces: '1.1.0' },
];

const CSV = 'manifests/beacon-operator.clusterserviceversion.yaml';
const CRD = 'manifests/beacons.crd.yaml';

type Difference = Pick<Release, 'replaces' | 'skips' | 'change' | 'withoutImage'>;

/** Like 2.0.0, which it replaces by default, except for the effect of `change`; it supersedes the `skips`. */
export function successor(version: string, options: Difference = {}): Release {
  return { version, replaces: '2.0.0', from: '2.0.0', ...options };
}

/** Starts the program with a defect. */
export function withFault(fault: string): Pick<Release, 'change'> {
  return { change: (files) => replaceIn(files, CSV, /--release=[^,\]]+/, `$&, --fault=${fault}`) };
}

/** A new field in the CRD with a rule that is no expression. */
export function withBrokenSchema(): Pick<Release, 'change'> {
  const field = 'enum: [Steady, Blinking]';
  const rule = "x-kubernetes-validations: [{rule: 'self in [', message: never}]";
  const broken = `                horn: {type: string, description: The sound of it., ${rule}}`;
  return { change: (files) => replaceIn(files, CRD, field, `${field}\n${broken}`) };
}

let built: Promise<BuiltIndex> | undefined;

/** The operator's image for this machine, built once. */
export function beaconImage(): Promise<BuiltIndex> {
  built ??= buildNodeImage({
    entries: { operator: 'bundles/examples/beacon-operator/program/main.ts' },
    entrypoint: 'operator',
    architectures: [ownArchitecture()],
    labels: { 'org.opencontainers.image.title': 'beacon-operator' },
  }).then(({ index }) => index);
  return built;
}

/** Pushes the image under the tag of each release that has one, which is where their bundles expect it. */
export async function publishImages({ registry }: TestCluster, releases: readonly Release[]): Promise<void> {
  const image = await beaconImage();
  const client = openRegistry();
  try {
    for (const { version, withoutImage } of releases) {
      if (withoutImage === true) continue;
      await pushIndex(client, parseReference(`${registry}/${PACKAGE}:v${version}`), image);
    }
  } finally {
    client.close();
  }
}

/** Pushes the bundles, then `catalog:latest` which offers them; returns the catalog's reference by digest. */
export async function publishReleases({ registry }: TestCluster, releases: readonly Release[]): Promise<string> {
  const published = [];
  for (const release of releases) {
    const image = await publishFiles(filesOf(release), `${registry}/${PACKAGE}-bundle:v${release.version}`);
    published.push({ ...release, image });
  }
  return publishCatalog(packageDocuments(PACKAGE, published), `${registry}/catalog:latest`);
}

function filesOf({ version, replaces, from = version, change }: Release): Files {
  const files = readTree(join(EXAMPLES, from));
  if (from !== version) {
    replaceIn(files, CSV, new RegExp(`\\b(v?)${from.replaceAll('.', '\\.')}\\b`, 'g'), `$1${version}`);
    replaceIn(files, CSV, /replaces: .*/, `replaces: ${PACKAGE}.v${replaces}`);
  }
  change?.(files);
  return files;
}

function replaceIn(files: Files, path: string, what: string | RegExp, by: string): void {
  const text = Buffer.from(files.get(path) ?? []).toString();
  const isThere = typeof what === 'string' ? text.includes(what) : text.search(what) >= 0;
  if (!isThere) throw new Error(`there is no ${what} in ${path}`);
  files.set(path, Buffer.from(text.replace(what, by)));
}
