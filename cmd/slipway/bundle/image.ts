/** Makes the image of a bundle out of its folder: the same files, the same bytes, on every machine. */
import { BUNDLE_ANNOTATION } from '../../../bundles/annotations.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import { RefusedBundle } from './refused.ts';
import { buildImage, type BuiltImage } from '../../../oci/build.ts';
import { BUNDLE_FOLDERS, readBundleFolder } from '../input/bundle.ts';
import { identityOf, type BundleIdentity } from './identity.ts';

export interface CheckFlags {
  /** False: even a bundle that cannot be installed. */
  readonly check?: boolean;
}

export interface BuiltBundle extends BundleIdentity {
  readonly image: BuiltImage;
}

/** Further folders that published images have; an installation does not need them. */
const FURTHER_FOLDERS = ['tests'];

/**
 * One layer with the folders of the bundle, and its annotations as labels.
 *
 * @throws ReasonedError InputInvalid, BundleInvalid, BundleTooLarge; BundleUnsupported if it cannot be installed
 */
export async function buildBundleImage(path: string, flags: CheckFlags): Promise<BuiltBundle> {
  return bundleImageOf(await readBundleFolder(path, [...BUNDLE_FOLDERS, ...FURTHER_FOLDERS]), flags);
}

/** The same of files in memory. @throws ReasonedError BundleInvalid, BundleTooLarge, BundleUnsupported */
export function bundleImageOf(files: ReadonlyMap<string, Uint8Array>, { check = true }: CheckFlags): BuiltBundle {
  const bundle = parseBundle(files);
  if (check) RefusedBundle.throwIfRefused(bundle);
  const labels = { ...Object.fromEntries(bundle.annotations), ...FIXED_LABELS };
  return { ...identityOf(bundle), image: buildImage({ files, labels }) };
}

/** Where the files are in the image, whatever the annotations say. */
const FIXED_LABELS = {
  [BUNDLE_ANNOTATION.mediatype]: 'registry+v1',
  [BUNDLE_ANNOTATION.manifests]: 'manifests/',
  [BUNDLE_ANNOTATION.metadata]: 'metadata/',
};
