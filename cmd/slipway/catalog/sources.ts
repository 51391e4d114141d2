/** The sources of a catalog: templates, which are files, and bundles, which are folders or images. */
import { buildBundleBlob, parseBundleDirectory, type BundleBlob } from '../../../catalog/blob.ts';
import { textField } from '../../../catalog/fields.ts';
import { isRecord, type Fields } from '../../../api/untyped.ts';
import { buildRepositoryCatalog } from '../../../catalog/repository/build.ts';
import {
  buildStatedPackage,
  statedGraph,
  statesGraph,
  type StatedGraph,
  type StatingVersion,
} from '../../../catalog/stated-graph.ts';
import { BASIC_SCHEMA, basicImages, expandBasic } from '../../../catalog/templates/basic.ts';
import { expandSemver, SEMVER_SCHEMA, semverImages } from '../../../catalog/templates/semver.ts';
import type { CatalogDocument } from '../../../catalog/templates/template.ts';
import { formatReference, parseReference, withDigest } from '../../../oci/reference.ts';
import type { Registry } from '../../../oci/registry.ts';
import type { Environment } from '../environment.ts';
import { readBundleFrom } from '../input/bundle.ts';
import { readYamlFile } from '../input/files.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { findPlace } from '../input/place.ts';
import { withRegistry, type RegistryFlags } from '../input/registry.ts';
import { versionRules } from '../../../resolver/version-rules.ts';

export interface SourceFlags extends RegistryFlags {
  readonly manifests: 'excerpt' | 'objects';
  /** The upgrade graph of bundles that are named alone: the stated one, or one by versions that ignores it. */
  readonly graph: 'stated' | 'versions';
  /** Names images by digest, whatever the sources say. */
  readonly pin?: boolean;
  /** Where the image of a bundle's folder is: `registry.example/{package}:v{version}`. */
  readonly imageTemplate?: string;
}

/**
 * The documents of the catalog: those that the templates define, and for bundles that are named alone a package with
 * the channels and edges that they state. If they state none, their versions in order are the upgrade graph.
 * @throws ReasonedError InputInvalid, CatalogInvalid, BundleInvalid, and the errors of a registry
 */
export function expandSources(
  environment: Environment,
  sources: readonly string[],
  flags: SourceFlags,
): Promise<readonly CatalogDocument[]> {
  return withRegistry(environment, flags, async (registry) => {
    const reading = { registry, environment, flags };
    const documents: CatalogDocument[] = [];
    const bundles: string[] = [];
    for (const source of sources) {
      const { kind } = await findPlace(environment, source);
      if (kind === 'file') documents.push(...(await expandTemplate(reading, source)));
      else bundles.push(source);
    }
    return [...documents, ...graphOf(await describeAll(reading, bundles), flags)];
  });
}

/** The entries of bundles, in their order. @throws ReasonedError InputInvalid, BundleInvalid, and the errors of a registry */
export function describeBundles(
  environment: Environment,
  sources: readonly string[],
  flags: SourceFlags,
): Promise<readonly DescribedBundle[]> {
  return withRegistry(environment, flags, (registry) => describeAll({ registry, environment, flags }, sources));
}

interface SourceReading {
  readonly registry: Registry;
  readonly environment: Environment;
  readonly flags: SourceFlags;
}

async function expandTemplate(reading: SourceReading, path: string): Promise<readonly CatalogDocument[]> {
  const template = await readYamlFile(reading.environment, path);
  const kind = isRecord(template) ? TEMPLATES.get(textField(template, 'schema') ?? '') : undefined;
  if (kind === undefined) {
    throw invalidInput(`${path} is no template`, `Its schema must be one of ${[...TEMPLATES.keys()].join(', ')}`);
  }
  const images = kind.images(template as Fields);
  const blobs = await describeAll(reading, images);
  return kind.expand(template as Fields, new Map(images.map((image, index) => [image, blobs[index]!.bundle])));
}

interface TemplateKind {
  readonly images: (template: Fields) => readonly string[];
  readonly expand: (template: Fields, bundles: ReadonlyMap<string, BundleBlob>) => readonly CatalogDocument[];
}

const TEMPLATES: ReadonlyMap<string, TemplateKind> = new Map([
  [BASIC_SCHEMA, { images: basicImages, expand: expandBasic }],
  [
    SEMVER_SCHEMA,
    { images: semverImages, expand: (template, bundles) => expandSemver(template, bundles, versionRules) },
  ],
]);

const AT_ONCE = 4;

interface DescribedBundle {
  readonly bundle: BundleBlob;
  readonly stated: StatedGraph;
}

/** The entries of bundles, in their order. */
async function describeAll(reading: SourceReading, sources: readonly string[]): Promise<readonly DescribedBundle[]> {
  const blobs: DescribedBundle[] = [];
  for (let at = 0; at < sources.length; at += AT_ONCE) {
    const some = sources.slice(at, at + AT_ONCE);
    blobs.push(...(await Promise.all(some.map((source) => describeBundle(reading, source)))));
  }
  return blobs;
}

async function describeBundle(
  { registry, environment, flags }: SourceReading,
  source: string,
): Promise<DescribedBundle> {
  const { files, image } = await readBundleFrom(registry, environment, source);
  const { manifests, pin = false, imageTemplate: template } = flags;
  const directory = parseBundleDirectory(files);
  const entry = (at: string): BundleBlob => buildBundleBlob(directory, { image: at, manifests });
  const stated = statedGraph(directory);
  if (image?.reference !== undefined) return { bundle: entry(pin ? image.reference : source), stated };
  if (template !== undefined) {
    const named = fillIn(template, entry(template));
    return { bundle: entry(pin ? await pinned(registry, named, environment) : named), stated };
  }
  throw invalidInput(
    `${source} is a folder, and nothing says where its image is`,
    'Push it and name the image, or say --image-template registry.example/team/{package}:v{version}',
  );
}

async function pinned(registry: Registry, image: string, { signal }: Environment): Promise<string> {
  const reference = parseReference(image);
  if (reference.digest !== undefined) return image;
  const { digest } = await registry.resolve(reference, signal);
  return formatReference(withDigest(reference, digest));
}

function fillIn(template: string, { package: packageName, name, properties }: BundleBlob): string {
  const version = versionOf(properties).replaceAll('+', '_'); // as tags have it, which cannot have a plus
  const facts = new Map([
    ['package', packageName],
    ['name', name],
    ['version', version],
  ]);
  return template.replaceAll(/\{(\w+)\}/g, (whole, key: string) => {
    const value = facts.get(key);
    if (value !== undefined) return value;
    throw invalidInput(`--image-template has ${whole}`, 'Use {package}, {name} and {version}');
  });
}

function versionOf(properties: BundleBlob['properties']): string {
  const value = properties.find(({ type }) => type === 'olm.package')?.value;
  return isRecord(value) ? (textField(value, 'version') ?? '') : '';
}

function graphOf(bundles: readonly DescribedBundle[], { graph }: SourceFlags): readonly CatalogDocument[] {
  const versions = bundles.map(describeVersion);
  refuseSameNames(versions);
  const packages = [...Map.groupBy(versions, ({ bundle }) => bundle.package)];
  const isStated = (some: readonly StatingVersion[]): boolean => graph === 'stated' && statesGraph(some);
  const stated = packages.filter(([, some]) => isStated(some));
  const others = packages.filter(([, some]) => !isStated(some));
  return [
    ...stated.flatMap(([name, some]) => buildStatedPackage(name, some, versionRules)),
    ...graphOfVersions(others),
  ];
}

function refuseSameNames(versions: readonly StatingVersion[]): void {
  const seen = new Map<string, string>();
  for (const { tag, bundle } of versions) {
    const other = seen.get(bundle.name);
    if (other !== undefined) {
      throw invalidInput(`${tag}: its bundle is named ${bundle.name}, as that of ${other} is`, 'Leave one of them out');
    }
    seen.set(bundle.name, tag);
  }
}

/** As a Catalog of repositories has it: from every version one may upgrade to every higher one. */
function graphOfVersions(
  packages: readonly (readonly [string, readonly StatingVersion[]])[],
): readonly CatalogDocument[] {
  const repositories = packages.map(([name, versions]) => ({ repository: name, versions }));
  const { documents, ignored } = buildRepositoryCatalog(repositories, versionRules);
  const [first] = ignored;
  if (first !== undefined) throw invalidInput(`${first.tag}: ${first.because}`, 'Leave it out, or write a template');
  return documents;
}

function describeVersion({ bundle, stated }: DescribedBundle): StatingVersion {
  const version = versionRules.parseBundleVersion(versionOf(bundle.properties));
  if (!version.ok) throw invalidInput(`the version of ${bundle.name} is invalid: ${version.problem}`);
  return { tag: bundle.image, bundle, version: version.value, stated };
}
