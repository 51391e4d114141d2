/** Compares bundles of a catalog that an author edits by their versions. Pure. */
import { isRecord, type Fields } from '../../api/untyped.ts';
import { listField, textField } from '../fields.ts';
import type { BundleVersionLike, VersionRules } from '../versions.ts';
import { entryOf } from './channel.ts';
import type { PackageDocuments } from './documents.ts';

/** The version and release that a bundle states; both may be empty. */
export function identityOf(bundle: unknown): { readonly version: string; readonly release: string } {
  const property = listField(isRecord(bundle) ? bundle : {}, 'properties')
    .filter(isRecord)
    .find((one) => textField(one, 'type') === 'olm.package');
  const value = property?.['value'];
  const fields: Fields = isRecord(value) ? value : {};
  return { version: textField(fields, 'version') ?? '', release: textField(fields, 'release') ?? '' };
}

/** Whether one bundle has a lower version than another; false if one of them has none that can be read. */
export function isLower(bundle: unknown, than: unknown, rules: VersionRules): boolean {
  const [a, b] = [versionOf(bundle, rules), versionOf(than, rules)];
  return a !== undefined && b !== undefined && rules.compareBundleVersions(a, b) < 0;
}

function versionOf(bundle: unknown, rules: VersionRules): BundleVersionLike | undefined {
  const { version, release } = identityOf(bundle);
  const parsed = rules.parseBundleVersion(version, release === '' ? undefined : release);
  return parsed.ok ? parsed.value : undefined;
}

/** The name of the bundle that a version or a name means; undefined if the package has none such. */
export function findBundle({ bundles, channels }: PackageDocuments, text: string): string | undefined {
  if (bundles.has(text)) return text;
  const named = [...bundles].find(([, { value }]) => identityOf(value).version === text)?.[0];
  if (named !== undefined) return named;
  return [...channels.values()].some((channel) => entryOf(channel, text) !== undefined) ? text : undefined;
}
