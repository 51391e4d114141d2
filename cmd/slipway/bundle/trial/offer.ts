/** Puts the bundles of a trial where a manager can pull them: one repository, in which each tag is a version. */
import { parseBundle, type Bundle } from '../../../../bundles/parse.ts';
import { pushImage } from '../../../../oci/build.ts';
import { parseReference, type Reference } from '../../../../oci/reference.ts';
import type { Registry } from '../../../../oci/registry.ts';
import type { Environment } from '../../environment.ts';
import { readBundleFrom, type BundleInput } from '../../input/bundle.ts';
import { invalidInput } from '../../../../api/invalid-input.ts';
import { withRegistry, type RegistryFlags } from '../../input/registry.ts';
import { bundleImageOf } from '../image.ts';

export interface TrialFlags extends RegistryFlags {
  readonly upgradeFrom?: string;
  /** Repository to push to: `registry.example/team/trial`. */
  readonly to?: string;
}

/** The bundles of a trial, the one to begin with first. */
export interface TrialOffer {
  /** `registry.example/team/gadget` */
  readonly repository: string;
  readonly package: string;
  readonly bundles: readonly [Bundle, ...Bundle[]];
}

/**
 * The repository that offers the bundles: `--to`, to which they are pushed, else the one of the images. @throws
 * ReasonedError InputInvalid if a folder has no `--to`, or the images are tagged otherwise than with their versions
 */
export function offer(environment: Environment, source: string, flags: TrialFlags): Promise<TrialOffer> {
  const sources = [...(flags.upgradeFrom === undefined ? [] : [flags.upgradeFrom]), source];
  return withRegistry(environment, flags, async (registry) => {
    const inputs: BundleInput[] = [];
    for (const one of sources) inputs.push(await readBundleFrom(registry, environment, one));
    const bundles = inputs.map(({ files }) => parseBundle(files)) as [Bundle, ...Bundle[]];
    refuseMixture(bundles);
    const { to } = flags;
    const repository = to === undefined ? repositoryOf(inputs, bundles) : repositoryText(parseRepository(to));
    if (to !== undefined)
      for (const [at, { files }] of inputs.entries())
        await push(registry, { ...parseRepository(to), tag: tagOf(bundles[at]!) }, files, environment.signal);
    return { repository, package: bundles[0].package, bundles };
  });
}

async function push(
  registry: Registry,
  reference: Reference,
  files: BundleInput['files'],
  signal: AbortSignal,
): Promise<void> {
  await pushImage(registry, reference, bundleImageOf(files, {}).image, { signal });
}

function refuseMixture(bundles: readonly Bundle[]): void {
  const [first, second] = bundles;
  if (first === undefined || second === undefined) return;
  if (first.package !== second.package)
    throw invalidInput(
      `the bundles are of two packages, ${first.package} and ${second.package}`,
      'Name a bundle of the same package by --upgrade-from',
    );
  if (versionOf(first) === versionOf(second))
    throw invalidInput(
      `both bundles have the version ${versionOf(first)}`,
      'Name an earlier version by --upgrade-from',
    );
}

/** The one repository of images whose tags are their versions. */
function repositoryOf(inputs: readonly BundleInput[], bundles: readonly Bundle[]): string {
  const hint = 'Name a repository that the cluster can pull from by --to; the bundles are pushed there';
  const references = inputs.map(({ source, image }, at) => {
    if (image?.reference === undefined) throw invalidInput(`${source} is a folder, which a cluster cannot pull`, hint);
    const reference = parseReference(source);
    if (reference.tag?.replace(/^v/, '') !== tagOf(bundles[at]!).slice(1) || reference.digest !== undefined)
      throw invalidInput(`${source} is not tagged with its version ${versionOf(bundles[at]!)}`, hint);
    return reference;
  });
  const names = [...new Set(references.map(repositoryText))];
  if (names.length > 1) throw invalidInput(`the bundles are in two repositories: ${names.join(', ')}`, hint);
  return names[0]!;
}

function parseRepository(text: string): Reference {
  const { registry, repository, tag, digest } = parseReference(text);
  if (digest === undefined && (tag === undefined || tag === 'latest' || !text.endsWith(`:${tag}`)))
    return { registry, repository };
  throw invalidInput(`${text} is more than a repository`, 'Name it without tag and digest: the tag is the version');
}

function repositoryText({ registry, repository }: Pick<Reference, 'registry' | 'repository'>): string {
  return `${registry}/${repository}`;
}

/** A tag has `_` for the `+` of a version. */
function tagOf(bundle: Bundle): string {
  return `v${versionOf(bundle).replaceAll('+', '_')}`;
}

/** The version of a bundle; one without can be installed nowhere. */
export function versionOf({ csv }: Bundle): string {
  const { version } = csv.spec;
  if (version !== undefined && version !== '') return version;
  throw invalidInput(`the bundle ${csv.name} has no version`, 'Set spec.version of its ClusterServiceVersion');
}
