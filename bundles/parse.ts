/**
 * Turns the files of a registry+v1 bundle into a Bundle: manifests by kind, metadata, the CSV as Go reads it.
 * Controllers and the CLI call it with the files of an image or a folder. It checks only what parsing needs: validate/
 * checks the content, and render/ refuses bundles that cannot be installed.
 * @see https://olm.operatorframework.io/docs/tasks/creating-operator-bundle/
 */
import { ReasonedError } from '../api/errors.ts';
import { BUNDLE_ANNOTATION } from './annotations.ts';
import type { Bundle, Csv, CsvSpec, Manifest, Property } from './bundle.ts';
import { DEFAULT_BUNDLE_LIMITS, type BundleLimits } from './limits.ts';
import { readManifests } from './manifests.ts';
import { openMetadata } from './metadata-file.ts';
import { mergeProperties, readAnnotations, readDependencies, readProperties } from './metadata.ts';
import { checkBundleSize, tooLarge } from './size.ts';
import { decode, DecodeError } from './typed/decode.ts';

export type * from './bundle.ts';
export type { BundleLimits } from './limits.ts';

/**
 * Reads a bundle from its files by path: `manifests/…`, `metadata/annotations.yaml`, `…/properties.yaml`,
 * `…/dependencies.yaml`, or files of other names in metadata/ that hold the same; others are ignored.
 * @throws ReasonedError BundleInvalid, BundleUnsupported or BundleTooLarge, naming file, document and object; never
 * worth a retry.
 */
export function parseBundle(files: ReadonlyMap<string, Uint8Array>, overrides: Partial<BundleLimits> = {}): Bundle {
  const limits = { ...DEFAULT_BUNDLE_LIMITS, ...overrides };
  checkBundleSize(files, limits);
  const find = openMetadata(files, limits);
  const annotations = readAnnotations(find);
  checkMediatype(annotations);
  const manifests = readManifests(files, limits);
  const published = readProperties(find);
  const csv = readCsv(manifests, published);
  checkLists(csv.csv, limits);
  return {
    package: annotations.get(BUNDLE_ANNOTATION.package) ?? '',
    channels: splitChannels(annotations.get(BUNDLE_ANNOTATION.channels)),
    ...optional('defaultChannel', annotations.get(BUNDLE_ANNOTATION.defaultChannel)),
    annotations,
    csv: csv.csv,
    crds: manifests.filter(({ object }) => object.kind === CRD),
    objects: manifests.filter(({ object }) => object.kind !== CRD && object.kind !== CSV),
    properties: csv.properties,
    ...readDependencies(find),
  };
}

const CSV = 'ClusterServiceVersion';
const CRD = 'CustomResourceDefinition';

function checkMediatype(annotations: ReadonlyMap<string, string>): void {
  const mediatype = annotations.get(BUNDLE_ANNOTATION.mediatype);
  if (mediatype === undefined || mediatype === '' || mediatype === 'registry+v1') return;
  throw new ReasonedError({
    reason: 'BundleUnsupported',
    retry: 'never',
    message: `metadata/annotations.yaml: the bundle has the format ${JSON.stringify(mediatype)}`,
    hint: 'Only bundles of the format registry+v1 can be installed',
  });
}

/** The last CSV counts, as for OLM; which one that is, is by the order of the files. */
function readCsv(
  manifests: readonly Manifest[],
  published: readonly Property[] | undefined,
): { readonly csv: Csv; readonly properties: readonly Property[] } {
  const manifest = manifests.findLast(({ object }) => object.kind === CSV);
  if (manifest === undefined) {
    throw invalid('manifests/: the bundle has no ClusterServiceVersion', 'Is it a bundle of an operator');
  }
  const { metadata, spec } = decodeCsv(manifest);
  const { properties, annotations } = mergeProperties(manifest, metadata.annotations ?? {}, published);
  const name = metadata.name ?? '';
  return { csv: { name, annotations, labels: metadata.labels ?? {}, spec, manifest }, properties };
}

interface DecodedCsv {
  readonly metadata: {
    readonly name?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: CsvSpec;
}

function decodeCsv(manifest: Manifest): DecodedCsv {
  try {
    return decode(CSV, manifest.object) as DecodedCsv;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const place = `${manifest.file}, document ${manifest.document}`;
    throw invalid(`${place}: ${CSV} ${manifest.object.metadata.name}: ${error.message}`, 'Correct the field');
  }
}

/**
 * Limits of items that are compared with each other, or with the settings of a Subscription; real CSVs have at most 86
 * webhooks and 48 CRDs.
 */
function checkLists({ spec, manifest }: Csv, { maxObjects }: BundleLimits): void {
  const { install, customresourcedefinitions, apiservicedefinitions } = spec;
  const pods = (install.spec?.deployments ?? []).map((deployment) => deployment.spec.template.spec);
  const lists = {
    'spec.install.spec.deployments': install.spec?.deployments,
    'the containers of spec.install.spec.deployments': pods.flatMap(({ containers }) => containers ?? []),
    'spec.install.spec.permissions': install.spec?.permissions,
    'spec.install.spec.clusterPermissions': install.spec?.clusterPermissions,
    'spec.webhookdefinitions': spec.webhookdefinitions,
    'spec.installModes': spec.installModes,
    'spec.customresourcedefinitions.owned': customresourcedefinitions.owned,
    'spec.customresourcedefinitions.required': customresourcedefinitions.required,
    'spec.apiservicedefinitions.owned': apiservicedefinitions.owned,
  };
  for (const [path, list] of Object.entries(lists)) {
    if ((list?.length ?? 0) > maxObjects)
      throw tooLarge(`${manifest.file}: ${path} has more than ${maxObjects} entries`);
  }
}

function invalid(message: string, hint: string): ReasonedError {
  return new ReasonedError({ reason: 'BundleInvalid', retry: 'never', message, hint });
}

function splitChannels(list: string | undefined): readonly string[] {
  return list === undefined || list === '' ? [] : list.split(',');
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]?: Value });
}
