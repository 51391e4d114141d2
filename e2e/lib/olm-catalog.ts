/** Writes the catalog of OLM v0: bundles with their manifests inline, so that OLM needs no Pod to unpack them. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatJson } from '../../api/json.ts';
import { parseYaml } from '../../bundles/yaml.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { OLM_CATALOG_FILE } from '../cluster/olm/start-olm.ts';

export interface OlmBundle {
  readonly version: string;
  /** The files of the bundle, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly replaces?: string;
  /** Requirements, as a file-based catalog has them. */
  readonly properties?: readonly { readonly type: string; readonly value: unknown }[];
}

export interface OlmPackage {
  readonly name: string;
  /** `stable` if absent. */
  readonly channel?: string;
  /** Each in the channel, the oldest first. */
  readonly bundles: readonly OlmBundle[];
}

type Manifest = Readonly<Record<string, unknown>> & { readonly kind?: string; readonly metadata?: { name: string } };

/** Replaces the catalog that OLM asks; it sees the change when it asks next. */
export function writeOlmCatalog({ folder }: Pick<TestCluster, 'folder'>, packages: readonly OlmPackage[]): void {
  const content = {
    packages: packages.map(({ name, channel = 'stable', bundles }) => ({
      name,
      defaultChannelName: channel,
      channels: [{ name: channel, csvName: nameOf(bundles.at(-1)!) }],
    })),
    bundles: packages.flatMap((one) => one.bundles.map((bundle) => describe(one, bundle))),
  };
  const path = join(folder, OLM_CATALOG_FILE);
  writeFileSync(`${path}.new`, JSON.stringify(content));
  renameSync(`${path}.new`, path);
}

/** The manifests of a bundle, the ClusterServiceVersion among them. */
function manifestsOf({ files }: OlmBundle): readonly Manifest[] {
  return [...files]
    .filter(([path]) => path.startsWith('manifests/'))
    .flatMap(([, bytes]) => parseYaml(bytes).map(({ value }) => value as Manifest));
}

function versionOf(bundle: OlmBundle): Manifest | undefined {
  return manifestsOf(bundle).find(({ kind }) => kind === 'ClusterServiceVersion');
}

function nameOf(bundle: OlmBundle): string {
  return versionOf(bundle)?.metadata?.name ?? '';
}

function describe({ name, channel = 'stable', bundles }: OlmPackage, bundle: OlmBundle): object {
  const { version, replaces, properties = [] } = bundle;
  const manifests = manifestsOf(bundle);
  const provided = manifests.filter(({ kind }) => kind === 'CustomResourceDefinition').flatMap(kindsOf);
  const replaced = bundles.find((one) => one.version === replaces);
  return {
    csvName: nameOf(bundle),
    packageName: name,
    channelName: channel,
    version,
    csvJson: formatJson(versionOf(bundle)),
    object: manifests.map((one) => formatJson(one)),
    providedApis: provided,
    properties: [
      { type: 'olm.package', value: JSON.stringify({ packageName: name, version }) },
      ...provided.map(({ group, version: served, kind }) => ({
        type: 'olm.gvk',
        value: JSON.stringify({ group, version: served, kind }),
      })),
      ...properties.map(({ type, value }) => ({ type, value: JSON.stringify(value) })),
    ],
    ...(replaced !== undefined && { replaces: nameOf(replaced) }),
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
