/** What a catalog is built from: templates, which are files, and bundles, which are folders or images. */
import { buildBundleBlob, parseBundleDirectory, type BundleBlob } from '../../../catalog/blob.ts';
import { isFields, textField, type Fields } from '../../../catalog/fields.ts';
import { buildRepositoryCatalog, type DescribedVersion } from '../../../catalog/repository/build.ts';
import { BASIC_SCHEMA, basicImages, expandBasic } from '../../../catalog/templates/basic.ts';
import { expandSemver, SEMVER_SCHEMA, semverImages } from '../../../catalog/templates/semver.ts';
import type { CatalogDocument } from '../../../catalog/templates/template.ts';
import type { ImageSource } from '../../../oci/source.ts';
import type { Environment } from '../environment.ts';
import { readBundleFrom } from '../input/bundle.ts';
import { readYamlFile } from '../input/files.ts';
import { invalidInput } from '../input/invalid.ts';
import { findPlace } from '../input/place.ts';
import { withRegistry, type RegistryFlags } from '../input/registry.ts';
import { versionRules } from '../../../resolver/version-rules.ts';

export interface SourceFlags extends RegistryFlags {
  readonly manifests: 'excerpt' | 'objects';
  /** Names images by digest, whatever the sources say. */
  readonly pin?: boolean;
  /** Where the image of a bundle's folder is: `registry.example/{package}:v{version}`. */
  readonly imageTemplate?: string;
}

/**
 * The documents of the catalog: those of the templates as they say, and for bundles that are named alone a package
 * whose versions, in their order, are its upgrade graph.
 *
 * @throws ReasonedError InputInvalid, CatalogInvalid, BundleInvalid, and what a registry throws
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
    return [...documents, ...graphOf(await describeAll(reading, bundles))];
  });
}

interface Reading {
  readonly registry: ImageSource;
  readonly environment: Environment;
  readonly flags: SourceFlags;
}

async function expandTemplate(reading: Reading, path: string): Promise<readonly CatalogDocument[]> {
  const template = await readYamlFile(reading.environment, path);
  const kind = isFields(template) ? TEMPLATES.get(textField(template, 'schema') ?? '') : undefined;
  if (kind === undefined) {
    throw invalidInput(`${path} is no template`, `Its schema must be one of ${[...TEMPLATES.keys()].join(', ')}`);
  }
  const images = kind.images(template as Fields);
  const blobs = await describeAll(reading, images);
  return kind.expand(template as Fields, new Map(images.map((image, index) => [image, blobs[index] as BundleBlob])));
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

/** The entries of bundles, in their order. */
async function describeAll(reading: Reading, sources: readonly string[]): Promise<readonly BundleBlob[]> {
  const blobs: BundleBlob[] = [];
  for (let at = 0; at < sources.length; at += AT_ONCE) {
    const some = sources.slice(at, at + AT_ONCE);
    blobs.push(...(await Promise.all(some.map((source) => describeBundle(reading, source)))));
  }
  return blobs;
}

async function describeBundle({ registry, environment, flags }: Reading, source: string): Promise<BundleBlob> {
  const { files, image } = await readBundleFrom(registry, environment, source);
  const { manifests, pin = false } = flags;
  if (image?.reference !== undefined)
    return buildBundleBlob(parseBundleDirectory(files), { image: pin ? image.reference : source, manifests });
  const template = flags.imageTemplate;
  if (template !== undefined) {
    const directory = parseBundleDirectory(files);
    const described = buildBundleBlob(directory, { image: template, manifests });
    return buildBundleBlob(directory, { image: fillIn(template, described), manifests });
  }
  throw invalidInput(
    `${source} is a folder, and nothing says where its image is`,
    'Push it and name the image, or say --image-template registry.example/team/{package}:v{version}',
  );
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
  return isFields(value) ? (textField(value, 'version') ?? '') : '';
}

/** As a Catalog of repositories has it: from every version one may upgrade to every higher one. */
function graphOf(bundles: readonly BundleBlob[]): readonly CatalogDocument[] {
  const repositories = [...Map.groupBy(bundles, (bundle) => bundle.package)].map(([name, group]) => ({
    repository: name,
    versions: group.map(describeVersion),
  }));
  const { documents, ignored } = buildRepositoryCatalog(repositories, versionRules);
  const [first] = ignored;
  if (first !== undefined) throw invalidInput(`${first.tag}: ${first.because}`, 'Leave it out, or write a template');
  return documents;
}

function describeVersion(bundle: BundleBlob): DescribedVersion {
  const version = versionRules.parseBundleVersion(versionOf(bundle.properties));
  if (!version.ok) throw invalidInput(`the version of ${bundle.name} is invalid: ${version.problem}`);
  return { tag: bundle.image, bundle, version: version.value };
}
