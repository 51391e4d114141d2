/** The rules for bundles. */
import { imageProblem } from '../../bundles/image-reference.ts';
import type { VersionRules } from '../versions.ts';
import type { Collected, SeenBundle } from './collect.ts';
import { errorIn, type CatalogFinding } from './finding.ts';

/** Finds the defects of bundles. */
export function* checkBundles(
  { packages, channels, bundles }: Collected,
  rules: VersionRules,
): Generator<CatalogFinding> {
  const packageNames = new Set(packages.map(({ name }) => name));
  const entries = new Set(
    channels.flatMap((channel) => channel.entries.map(({ name }) => `${channel.package}\0${name}`)),
  );
  const seen = new Set<string>();
  const versions = new Map<string, Set<string>>();
  for (const bundle of bundles) {
    const key = `${bundle.package}\0${bundle.name}`;
    yield* checkPlace(bundle, {
      hasPackage: packageNames.has(bundle.package),
      isEntry: entries.has(key),
      isSecond: seen.has(key),
    });
    yield* checkImages(bundle);
    const version = yield* checkIdentity(bundle, rules);
    seen.add(key);
    if (version === undefined) continue;
    const names = versions.get(`${bundle.package}\0${version}`) ?? new Set();
    versions.set(`${bundle.package}\0${version}`, names.add(bundle.name));
    if (names.size !== 2) continue;
    const message = `package ${bundle.package} has more than one bundle of version ${version}: ${[...names].join(', ')}`;
    yield errorIn(bundle, 'DuplicateVersion', message, 'Give each bundle a version of its own');
  }
}

interface BundlePlace {
  readonly hasPackage: boolean;
  readonly isEntry: boolean;
  readonly isSecond: boolean;
}

function* checkPlace(bundle: SeenBundle, { hasPackage, isEntry, isSecond }: BundlePlace): Generator<CatalogFinding> {
  const what = describe(bundle);
  if (bundle.name === '')
    yield errorIn(bundle, 'BundleName', `a bundle of package "${bundle.package}" has no name`, 'Set its name');
  if (bundle.package === '') {
    yield errorIn(bundle, 'UnknownPackage', `${what} names no package`, 'Set its package');
  } else if (!hasPackage) {
    yield errorIn(
      bundle,
      'UnknownPackage',
      `${what} is of package ${bundle.package}, which the catalog does not have`,
      'Add its olm.package',
    );
  } else if (!isEntry) {
    yield errorIn(
      bundle,
      'BundleWithoutEntry',
      `${what} is in no channel`,
      'Add an entry for it to a channel, or remove it',
    );
  }
  if (isSecond)
    yield errorIn(bundle, 'DuplicateBundle', `${what} is described more than once`, 'Keep one of the descriptions');
  for (const part of bundle.malformed) yield errorIn(bundle, 'Malformed', `${what}: ${part}`, 'Correct it');
  for (const problem of bundle.problems)
    yield errorIn(bundle, 'Properties', `${what}: ${problem}`, 'Correct the property');
}

function* checkImages(bundle: SeenBundle): Generator<CatalogFinding> {
  const what = describe(bundle);
  if (bundle.image === '' && !bundle.inlined) {
    yield errorIn(bundle, 'BundleImage', `${what} has no image`, 'Set image to where the bundle can be pulled from');
  }
  const problem = bundle.image === '' ? undefined : imageProblem(bundle.image);
  if (problem !== undefined) {
    yield errorIn(
      bundle,
      'BundleImage',
      `the image "${bundle.image}" of ${what} is invalid: ${problem}`,
      REFERENCE_ADVICE,
    );
  }
  for (const image of new Set(bundle.relatedImages)) {
    const wrong = image === '' ? 'it is empty' : imageProblem(image);
    if (wrong === undefined) continue;
    const message = `the related image "${image}" of ${what} is invalid: ${wrong}`;
    yield {
      ...errorIn(bundle, 'RelatedImage', message, REFERENCE_ADVICE),
      severity: image === '' ? 'warning' : 'error',
    };
  }
}

const REFERENCE_ADVICE = 'Write it like registry.example/name:tag or registry.example/name@sha256:…';

/** Returns the version with its release, if both can be parsed. */
function* checkIdentity(bundle: SeenBundle, rules: VersionRules): Generator<CatalogFinding, string | undefined> {
  const what = describe(bundle);
  const [identity, ...others] = bundle.identities;
  if (identity === undefined || others.length > 0) {
    const message = `${what} has ${bundle.identities.length} properties olm.package`;
    yield errorIn(bundle, 'BundleIdentity', message, 'Give it exactly one, with packageName and version');
    return undefined;
  }
  if (identity.packageName !== bundle.package) {
    const message = `${what} is of package "${bundle.package}", its property olm.package says "${identity.packageName}"`;
    yield errorIn(bundle, 'BundleIdentity', message, 'Make both the same');
  }
  const { version, release } = identity;
  const parsed = rules.parseBundleVersion(version, release);
  if (!parsed.ok) {
    const given = release === undefined ? version : `${version}, release ${release}`;
    yield errorIn(
      bundle,
      'BundleVersion',
      `the version "${given}" of ${what} is invalid: ${parsed.problem}`,
      'Write a full semantic version',
    );
    return undefined;
  }
  if (release === undefined) return version;
  const name = `${bundle.package}-v${version}-${release}`;
  if (bundle.name !== name)
    yield errorIn(bundle, 'BundleName', `${what} has a release and is to be named ${name}`, 'Rename it');
  return `${version}-${release}`;
}

function describe(bundle: SeenBundle): string {
  return `bundle ${bundle.name === '' ? '(no name)' : bundle.name}`;
}
