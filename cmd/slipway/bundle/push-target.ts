/** Which image a push may write: one that is named in full, so that it is found where people and Catalogs look. Pure. */
import { DEFAULT_REGISTRY } from '../../../oci/host.ts';
import { formatReference, parseReference, type Reference } from '../../../oci/reference.ts';
import { compareBundleVersions, parseBundleVersion } from '../../../resolver/version.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

/** The image of a text that names a registry. @throws ReasonedError ReferenceInvalid; InputInvalid without a registry, or with a digest, which follows from the content */
export function pushTarget(text: string): Reference {
  const reference = parseReference(text);
  if (reference.digest !== undefined) throw invalidInput(`${text} names a digest`, 'Name a tag; the digest is printed');
  if (reference.registry === DEFAULT_REGISTRY && !NAMES_REGISTRY.test(text))
    throw invalidInput(
      `${text} names no registry`,
      `Write the registry before it, as in registry.example/${text}; ${formatReference(reference)} is that of Docker`,
    );
  return reference;
}

/** A first part with a dot, as in `docker.io/team/app`. */
const NAMES_REGISTRY = /^[^/]*\.[^/]*\//;

/** The same for a bundle, which needs a tag, too. @throws ReasonedError as `pushTarget`; InputInvalid without a tag */
export function bundleTarget(text: string): Reference {
  const reference = pushTarget(text);
  if (/:[^/]*$/.test(text)) return reference;
  throw invalidInput(
    `${text} names no tag, and a Catalog of repositories does not offer the tag latest`,
    `Name the version as the tag, as in ${text}:v1.0.0`,
  );
}

/** @throws ReasonedError InputInvalid if the tag is another version than the bundle: no Catalog would offer it */
export function checkTag({ tag = '' }: Reference, version: string): void {
  const named = parseBundleVersion(tag.replace(/^v/, '').replaceAll('_', '+'));
  const own = parseBundleVersion(version);
  if (!named.ok || !own.ok || compareBundleVersions(named.value, own.value) === 0) return;
  throw invalidInput(
    `the tag ${tag} is another version than that of the bundle, ${version}`,
    `Push it as v${version.replaceAll('+', '_')}; --no-check pushes it nevertheless`,
  );
}
