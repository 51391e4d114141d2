/** Writes the catalog of OLM v0: bundles with their manifests inline, so that OLM needs no Pod to unpack them. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { TestCluster } from '../cluster/cluster.ts';
import { OLM_CATALOG_FILE } from '../cluster/olm/start-olm.ts';

export interface OlmBundle {
  readonly version: string;
  /** The files of the bundle, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly replaces?: string;
}

export interface OlmPackage {
  readonly name: string;
  /** Each in the channel `stable`, the oldest first. */
  readonly bundles: readonly OlmBundle[];
}

type Manifest = Readonly<Record<string, unknown>> & { readonly kind?: string; readonly metadata?: { name: string } };

/** Replaces the catalog that OLM asks; it sees the change when it asks next. */
export function writeOlmCatalog({ folder }: Pick<TestCluster, 'folder'>, packages: readonly OlmPackage[]): void {
  const content = {
    packages: packages.map(({ name, bundles }) => ({
      name,
      defaultChannelName: 'stable',
      channels: [{ name: 'stable', csvName: `${name}.v${bundles.at(-1)?.version}` }],
    })),
    bundles: packages.flatMap(({ name, bundles }) => bundles.map((bundle) => describe(name, bundle))),
  };
  const path = join(folder, OLM_CATALOG_FILE);
  writeFileSync(`${path}.new`, JSON.stringify(content));
  renameSync(`${path}.new`, path);
}

function describe(name: string, { version, files, replaces }: OlmBundle): object {
  const manifests = [...files]
    .filter(([path]) => path.startsWith('manifests/'))
    .map(([, bytes]) => load(Buffer.from(bytes).toString()) as Manifest);
  const csv = manifests.find(({ kind }) => kind === 'ClusterServiceVersion');
  const provided = manifests.filter(({ kind }) => kind === 'CustomResourceDefinition').flatMap(kindsOf);
  return {
    csvName: `${name}.v${version}`,
    packageName: name,
    channelName: 'stable',
    version,
    csvJson: JSON.stringify(csv),
    object: manifests.map((one) => JSON.stringify(one)),
    providedApis: provided,
    properties: [
      { type: 'olm.package', value: JSON.stringify({ packageName: name, version }) },
      ...provided.map(({ group, version: served, kind }) => ({
        type: 'olm.gvk',
        value: JSON.stringify({ group, version: served, kind }),
      })),
    ],
    ...(replaces !== undefined && { replaces: `${name}.v${replaces}` }),
  };
}

interface ProvidedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

function kindsOf(crd: Manifest): readonly ProvidedKind[] {
  const { group, names, versions } = crd['spec'] as {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
  return versions.map(({ name }) => ({ group, version: name, kind: names.kind, plural: names.plural }));
}
