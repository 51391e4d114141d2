/** The name, version and channels of a bundle that is made, and the words of its author: from flags, then from the existing bundle. */
import { extname } from 'node:path';
import { formatJson } from '../../../api/json.ts';
import { isRecord } from '../../../api/untyped.ts';
import { BUNDLE_ANNOTATION } from '../../../bundles/annotations.ts';
import type { AuthorOptions, AuthorWords, ExistingBundle, SourceObject } from '../../../bundles/author/compose.ts';
import { versionRules } from '../../../resolver/version-rules.ts';
import type { Environment } from '../environment.ts';
import { readOneFile } from '../input/files.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

export interface IdentityFlags {
  readonly package?: string;
  readonly version?: string;
  readonly channel?: readonly string[];
  readonly defaultChannel?: string;
  /** Empty: none. */
  readonly replaces?: string;
}

export interface WordFlags {
  readonly displayName?: string;
  readonly description?: string;
  /** A file. */
  readonly icon?: string;
  readonly provider?: string;
  /** `Name <address>` */
  readonly maintainer?: readonly string[];
  readonly maturity?: string;
  readonly minKubeVersion?: string;
}

interface KnownIdentity {
  /** Name of the target folder. */
  readonly folder: string;
  readonly flags: IdentityFlags;
  readonly sources: readonly SourceObject[];
  readonly existing: ExistingBundle;
}

type AuthoredIdentity = Pick<AuthorOptions, 'package' | 'version' | 'channels' | 'defaultChannel' | 'replaces'>;

/** @throws ReasonedError InputInvalid if the package or version is invalid, or no version is known */
export function identify({ folder, flags, sources, existing }: KnownIdentity): AuthoredIdentity {
  const { annotations = new Map<string, string>() } = existing;
  const packageName = flags.package ?? annotations.get(BUNDLE_ANNOTATION.package) ?? folder;
  if (!PACKAGE.test(packageName)) {
    throw invalidInput(
      `${JSON.stringify(packageName)} cannot be the name of a package`,
      'Say --package, with at most 63 lower-case letters, digits and "-", and a letter or digit at both ends',
    );
  }
  const version = versionOf(flags, sources, existing);
  const replaces = replacesOf(flags, version, existing);
  const channels = flags.channel ?? (annotations.get(BUNDLE_ANNOTATION.channels) ?? 'stable').split(',');
  const defaultChannel = flags.defaultChannel ?? annotations.get(BUNDLE_ANNOTATION.defaultChannel);
  return {
    package: packageName,
    version,
    channels,
    ...(defaultChannel !== undefined && { defaultChannel }),
    ...(replaces !== undefined && { replaces }),
  };
}

const PACKAGE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function versionOf({ version }: IdentityFlags, sources: readonly SourceObject[], { csv }: ExistingBundle): string {
  const known = version ?? specOf(csv)['version'] ?? tagOf(sources);
  if (known === undefined) {
    throw invalidInput(
      'the version of the bundle is unknown: no image of a Deployment has a version as its tag',
      'Say --version 1.0.0',
    );
  }
  const text = textOf(known).replace(/^v/, '');
  const parsed = versionRules.parseBundleVersion(text);
  if (parsed.ok) return text;
  throw invalidInput(`${JSON.stringify(text)} is no version: ${parsed.problem}`, 'Use a semantic version, as in 1.0.0');
}

/** A version that is written as a number in YAML, too. */
function textOf(version: unknown): string {
  return typeof version === 'string' ? version : formatJson(version);
}

function specOf(csv: ExistingBundle['csv']): Readonly<Record<string, unknown>> {
  return isRecord(csv?.['spec']) ? csv['spec'] : {};
}

interface WithContainers {
  readonly spec?: {
    readonly template?: { readonly spec?: { readonly containers?: readonly { readonly image?: string }[] } };
  };
}

/** The first tag of an image of a Deployment that is a version. */
function tagOf(sources: readonly SourceObject[]): string | undefined {
  const images = sources
    .filter(({ object }) => object.kind === 'Deployment')
    .flatMap(({ object }) => (object as unknown as WithContainers).spec?.template?.spec?.containers ?? [])
    .map(({ image = '' }) => image);
  const tags = images.map((image) => /:v?([^:/@]+)(?:@|$)/.exec(image)?.[1] ?? '');
  return tags.find((tag) => versionRules.parseBundleVersion(tag).ok);
}

/** A new version replaces the one that the folder has had. */
function replacesOf({ replaces }: IdentityFlags, version: string, { csv }: ExistingBundle): string | undefined {
  if (replaces !== undefined) return replaces === '' ? undefined : replaces;
  const spec = specOf(csv);
  if (csv !== undefined && spec['version'] !== undefined && spec['version'] !== version) return csv.metadata.name;
  return typeof spec['replaces'] === 'string' ? spec['replaces'] : undefined;
}

/** @throws ReasonedError InputInvalid for an icon that no hub shows, or a maintainer without an address */
export async function readWords(environment: Environment, flags: WordFlags): Promise<AuthorWords> {
  const { displayName, description, icon, provider, maintainer, maturity, minKubeVersion } = flags;
  return {
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    ...(icon !== undefined && { icon: await readIcon(environment, icon) }),
    ...(provider !== undefined && { provider }),
    ...(maintainer !== undefined && { maintainers: maintainer.map(readMaintainer) }),
    ...(maturity !== undefined && { maturity }),
    ...(minKubeVersion !== undefined && { minKubeVersion }),
  };
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
]);

async function readIcon(environment: Environment, path: string): Promise<NonNullable<AuthorWords['icon']>> {
  const mediatype = MEDIA_TYPES.get(extname(path).toLowerCase());
  if (mediatype === undefined)
    throw invalidInput(`${path} is no icon`, `Name a file that ends in ${[...MEDIA_TYPES.keys()].join(', ')}`);
  return { base64data: Buffer.from(await readOneFile(environment, path)).toString('base64'), mediatype };
}

function readMaintainer(text: string): { readonly name: string; readonly email: string } {
  const [, name, email] = /^\s*([^<>]+?)\s*<([^<>\s]+@[^<>\s]+)>\s*$/.exec(text) ?? [];
  if (name === undefined || email === undefined)
    throw invalidInput(`${JSON.stringify(text)} names no maintainer`, 'Write "Name <address@example.com>"');
  return { name, email };
}
